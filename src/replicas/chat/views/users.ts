/** Rows → the objects on the wire. One function each, so that a user looks the same from every method. */
import { codeOf } from "~/replicas/chat/emoji";
import type { UserRow } from "~/replicas/chat/store/users";
import { present, type Wire } from "~/replicas/chat/views/wire";
import { zone } from "~/replicas/chat/zones";

/** The user who writes notices and is the author of deleted messages. Not a row: it is the same everywhere. */
export const SLACKBOT = "USLACKBOT";

/** `now`: a Unix time. */
export function userView(user: UserRow, now: number, withLocale = false): Wire {
  const { tz, label, offset } = zone(user.tz, now);
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
  const original = profile["is_custom_image"]
    ? { image_1024: image(1024), image_original: image(1024).replace("_1024", "_original") }
    : {};
  return {
    title: "",
    phone: "",
    skype: "",
    status_text: "",
    status_text_canonical: "",
    status_emoji: "",
    status_emoji_display_info: emojiInfo(user),
    status_expiration: 0,
    display_name: "",
    display_name_normalized: "",
    real_name: user.real_name,
    real_name_normalized: user.real_name,
    ...profile,
    ...images,
    ...original,
    team: user.team_id,
    ...present({ bot_id: user.bot_id, api_app_id: user.app_id }),
  };
}

/** The emoji of a status, as clients draw it. */
function emojiInfo({ profile, avatar_base: base }: UserRow): Wire[] {
  const name = String(profile["status_emoji"] ?? "").replace(/^:|:$/g, "");
  if (name === "") return [];
  const code = codeOf(name.replace(/::skin-tone-\d$/, ""));
  const url = `${base.replace(/avatars$/, "emoji")}/${code ?? name}.png`;
  return [present({ emoji_name: name, display_url: url, unicode: code })];
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

export const botIcons = ({ id, avatar_base }: { id: string; avatar_base: string }): Wire => ({
  image_36: `${avatar_base}/${id}_36.png`,
  image_48: `${avatar_base}/${id}_48.png`,
  image_72: `${avatar_base}/${id}_72.png`,
});

export const botView = (bot: UserRow): Wire =>
  present({
    id: bot.bot_id,
    deleted: bot.deleted,
    name: bot.real_name,
    updated: bot.updated,
    app_id: bot.app_id,
    user_id: bot.id,
    icons: botIcons(bot),
  });
