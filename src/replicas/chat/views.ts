/** Rows → the objects on the wire. One function each, so that a message looks the same from every method. */
import type { ChannelRow } from "~/replicas/chat/store/channels";
import type { MessageRow } from "~/replicas/chat/store/messages";
import type { UserRow } from "~/replicas/chat/store/users";
import { zone } from "~/replicas/chat/zones";

type Wire = Record<string, unknown>;

/** Leaves out what is null: the service omits fields rather than sending null. */
const present = (fields: Wire): Wire =>
  Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== null && value !== undefined),
  );

/** The user who writes notices, and under whose name deleted messages stand. Not a row: it is the same everywhere. */
export const SLACKBOT = "USLACKBOT";

export function userView(user: UserRow, withLocale = false): Wire {
  const { tz, label, offset } = zone(user.tz);
  const base = {
    id: user.id,
    team_id: user.team_id,
    name: user.name,
    deleted: user.deleted,
  };
  if (user.deleted)
    return {
      ...base,
      profile: profileView(user),
      is_bot: user.is_bot,
      is_app_user: false,
      updated: user.updated,
    };
  return {
    ...base,
    color: user.color,
    real_name: user.real_name,
    tz,
    tz_label: label,
    tz_offset: offset,
    profile: profileView(user),
    is_admin: user.is_admin,
    is_owner: user.is_owner,
    is_primary_owner: user.is_primary_owner,
    is_restricted: user.is_restricted,
    is_ultra_restricted: user.is_ultra_restricted,
    is_bot: user.is_bot,
    is_app_user: false,
    updated: user.updated,
    is_email_confirmed: !user.is_bot,
    who_can_share_contact_card: "EVERYONE",
    ...(withLocale ? { locale: user.locale } : {}),
  };
}

const IMAGE_SIZES = [24, 32, 48, 72, 192, 512] as const;

export function profileView(user: UserRow): Wire {
  const { profile } = user;
  const image = (size: number) =>
    `${user.avatar_base}/${user.id}_${profile["avatar_hash"]}_${size}.png`;
  const images = Object.fromEntries(IMAGE_SIZES.map((size) => [`image_${size}`, image(size)]));
  return {
    title: "",
    phone: "",
    skype: "",
    status_text: "",
    status_text_canonical: "",
    status_emoji: "",
    status_emoji_display_info: [],
    status_expiration: 0,
    display_name: "",
    display_name_normalized: "",
    real_name: user.real_name,
    real_name_normalized: user.real_name,
    ...profile,
    ...images,
    team: user.team_id,
    ...present({ bot_id: user.bot_id, api_app_id: user.app_id }),
  };
}

export function slackbotView(teamId: string): Wire {
  return {
    id: SLACKBOT,
    team_id: teamId,
    name: "slackbot",
    deleted: false,
    color: "757575",
    real_name: "Slackbot",
    tz: "America/Los_Angeles",
    tz_label: "Pacific Standard Time",
    tz_offset: -28_800,
    profile: {
      real_name: "Slackbot",
      real_name_normalized: "Slackbot",
      display_name: "Slackbot",
      display_name_normalized: "Slackbot",
      avatar_hash: "sv41d8cd98f0",
      status_text: "",
      status_emoji: "",
      status_expiration: 0,
      always_active: true,
      team: teamId,
    },
    is_admin: false,
    is_owner: false,
    is_primary_owner: false,
    is_restricted: false,
    is_ultra_restricted: false,
    is_bot: false,
    is_app_user: false,
    updated: 0,
    is_email_confirmed: false,
    who_can_share_contact_card: "EVERYONE",
  };
}

export function channelView(channel: ChannelRow): Wire {
  if (channel.is_im)
    return present({
      id: channel.id,
      created: channel.created,
      is_im: true,
      is_org_shared: false,
      is_archived: channel.is_archived,
      context_team_id: channel.team_id,
      updated: Number(channel.updated),
      user: channel.other_user,
      is_user_deleted: channel.other_deleted ?? false,
      priority: 0,
      is_open: channel.is_open,
      last_read: channel.last_read,
    });
  return present({
    id: channel.id,
    name: channel.name,
    name_normalized: channel.name,
    is_channel: channel.is_channel,
    is_group: channel.is_group,
    is_im: false,
    is_mpim: channel.is_mpim,
    is_private: channel.is_private,
    is_archived: channel.is_archived,
    is_general: channel.is_general,
    created: channel.created,
    creator: channel.creator,
    is_member: channel.is_member,
    is_shared: false,
    is_ext_shared: false,
    is_org_shared: false,
    is_pending_ext_shared: false,
    pending_shared: [],
    pending_connected_team_ids: [],
    shared_team_ids: [channel.team_id],
    internal_team_ids: [],
    context_team_id: channel.team_id,
    unlinked: 0,
    updated: Number(channel.updated),
    topic: channel.topic,
    purpose: channel.purpose,
    previous_names: channel.previous_names,
    num_members: channel.num_members,
    is_open: channel.is_mpim ? channel.is_open : null,
    priority: 0,
  });
}

export function messageView(message: MessageRow): Wire {
  const bot = message.bot;
  const isReply = message.thread_ts !== null;
  const thread = message.thread;
  return present({
    subtype: message.subtype,
    user: message.user_id,
    type: "message",
    ts: message.ts,
    client_msg_id: message.client_msg_id,
    text: message.text,
    team: message.team_id,
    username: message.username,
    icons: message.icons,
    bot_id: message.bot_id,
    app_id: message.app_id,
    bot_profile: bot && {
      id: bot.bot_id,
      deleted: bot.deleted,
      name: bot.real_name,
      updated: bot.updated,
      app_id: bot.app_id,
      user_id: bot.id,
      icons: botIcons(bot),
      team_id: bot.team_id,
    },
    blocks: message.blocks,
    attachments: message.attachments,
    metadata: message.metadata,
    edited: message.edited,
    ...message.extra,
    ...(message.subtype === "tombstone" ? { hidden: true } : {}),
    thread_ts: message.thread_ts ?? (thread ? message.ts : null),
    parent_user_id: isReply ? message.parent_user_id : null,
    ...(thread
      ? {
          reply_count: thread.reply_count,
          reply_users_count: thread.reply_users_count,
          latest_reply: thread.latest_reply,
          reply_users: thread.reply_users,
          is_locked: false,
          subscribed: thread.subscribed,
        }
      : {}),
    reactions: message.reactions,
  });
}

export const botIcons = ({ id, avatar_base }: { id: string; avatar_base: string }): Wire => ({
  image_36: `${avatar_base}/${id}_36.png`,
  image_48: `${avatar_base}/${id}_48.png`,
  image_72: `${avatar_base}/${id}_72.png`,
});
