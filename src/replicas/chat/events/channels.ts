/** Channels and their members. */
import {
  type Audience,
  type Change,
  type Derived,
  derived,
  EVERYONE,
  rowOf,
} from "~/replicas/chat/events/change";
import { type Channel, type Context, membersOf } from "~/replicas/chat/events/context";

/** The service's notice of a change, in its transaction: who did it. */
const noticeOf = (
  context: Context,
  change: { transaction: string },
  channel: string,
  ending: string,
) =>
  context
    .beside(change, "messages")
    .map(rowOf)
    .find((row) => row.channel_id === channel && row.subtype?.endsWith(ending));

const created = (channel: Channel, team: string) => ({
  id: channel.id,
  name: channel.name,
  name_normalized: channel.name,
  created: channel.created,
  creator: channel.creator,
  context_team_id: team,
  is_channel: channel.is_channel,
  is_group: channel.is_group,
  is_im: channel.is_im,
  is_mpim: channel.is_mpim,
  is_private: channel.is_private,
  is_archived: channel.is_archived,
  is_general: channel.is_general,
  is_frozen: false,
  is_shared: false,
  is_org_shared: false,
  is_ext_shared: false,
  is_pending_ext_shared: false,
});

function opened(change: Change<"channels">, channel: Channel, context: Context): Derived[] {
  const audience = membersOf(context, channel.id, change);
  if (channel.is_im) {
    const fields = { user: channel.creator, channel: { id: channel.id } };
    return [derived("im_created", change, fields, audience)];
  }
  if (channel.is_private) return [];
  const fields = { channel: created(channel, context.team.id) };
  return [derived("channel_created", change, fields, EVERYONE)];
}

function archived(change: Change<"channels">, channel: Channel, context: Context): Derived {
  const { id, is_private: isPrivate, is_archived: isArchived } = channel;
  const audience = isPrivate ? membersOf(context, id, change) : EVERYONE;
  const user = noticeOf(context, change, id, isArchived ? "_archive" : "_unarchive")?.user_id;
  if (isArchived)
    return derived(
      isPrivate ? "group_archive" : "channel_archive",
      change,
      { channel: id, user, is_moved: 0 },
      audience,
    );
  return isPrivate
    ? derived("group_unarchive", change, { channel: id, actor_id: user }, audience)
    : derived("channel_unarchive", change, { channel: id, user }, audience);
}

export function channels(change: Change<"channels">, context: Context): Derived[] {
  const { before, after } = change;
  if (after === null) return [];
  if (before === null) return opened(change, after, context);
  const { id, name, is_private: isPrivate } = after;
  const audience = isPrivate ? membersOf(context, id, change) : EVERYONE;
  const renamed = {
    channel: {
      id,
      name,
      name_normalized: name,
      created: after.created,
      is_channel: after.is_channel,
      is_mpim: after.is_mpim,
    },
  };
  return [
    ...(name === before.name
      ? []
      : [derived(isPrivate ? "group_rename" : "channel_rename", change, renamed, audience)]),
    ...(after.is_archived === before.is_archived ? [] : [archived(change, after, context)]),
  ];
}

const onlyOf =
  (member: string): Audience =>
  ({ user }) =>
    user === member ? undefined : "its bot is not the member concerned";

/** A direct message that a member opens or closes: in the member's list, not in that of others. */
function shown(change: Change<"channel_members">, channel: Channel): Derived[] {
  const { before, after } = change;
  const { user_id: user } = rowOf(change);
  const isOpen = after?.is_open ?? false;
  if (isOpen === (before?.is_open ?? false)) return [];
  const [im, group] = isOpen
    ? (["im_open", "group_open"] as const)
    : (["im_close", "group_close"] as const);
  const fields = { user, channel: channel.id };
  return [derived(channel.is_im ? im : group, change, fields, onlyOf(user))];
}

export function members(change: Change<"channel_members">, context: Context): Derived[] {
  const { before, after } = change;
  const { channel_id: id, user_id: user } = rowOf(change);
  const channel = context.channels.get(id);
  if (!channel) return [];
  if (channel.is_im || channel.is_mpim) return shown(change, channel);
  const place = { user, channel: id, channel_type: channel.is_private ? "G" : "C" };
  const team = context.team.id;
  const others = membersOf(context, id, change);
  if (before === null) {
    const notice = context
      .beside(change, "messages")
      .map(rowOf)
      .find(
        (row) => row.channel_id === id && row.user_id === user && row.subtype?.endsWith("_join"),
      );
    const { inviter } = (notice?.extra ?? {}) as { inviter?: string };
    return [derived("member_joined_channel", change, { ...place, team, inviter }, others)];
  }
  if (after !== null) return [];
  const audience: Audience = (app) => (app.user === user ? undefined : others(app));
  const left = channel.is_private ? "group_left" : "channel_left";
  return [
    derived("member_left_channel", change, { ...place, team }, audience),
    derived(left, change, { channel: id, actor_id: user }, onlyOf(user)),
  ];
}
