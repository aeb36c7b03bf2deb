/** Files and where they are shared. Apps fetch the rest with files.info. */
import {
  type Audience,
  type Change,
  type Derived,
  derived,
  rowOf,
} from "~/replicas/chat/events/change";
import type { Context } from "~/replicas/chat/events/context";
import type { EventType } from "~/replicas/chat/events/types";
import type { Rows } from "~/replicas/chat/store/rows";

type File = Rows["files"];
type Position = { readonly transaction: string; readonly micros: number };

/** The owner's app, and those in a channel that shares the file. */
const audienceOf =
  (
    context: Context,
    { id, user_id: owner }: Pick<File, "id" | "user_id">,
    change: Position,
  ): Audience =>
  ({ user }) => {
    const at = context.endOf(change);
    const isIn = context
      .sharesOf(id, at)
      .some(({ channel_id: channel }) => context.isMember(channel, user, at));
    return user === owner || isIn ? undefined : "its bot is in no channel with the file";
  };

const about = (
  context: Context,
  type: EventType,
  change: Position,
  { id, user_id: user }: Pick<File, "id" | "user_id">,
  more: object = {},
): Derived =>
  derived(
    type,
    change,
    { file_id: id, user_id: user, file: { id }, ...more },
    audienceOf(context, { id, user_id: user }, change),
  );

const isComplete = (file: File | null) => file !== null && file.upload_token === null;

/** The columns of a file that clients show. */
const face = ({ name, title, mimetype, filetype, mode, size, external_url, alt_txt }: File) => ({
  name,
  title,
  mimetype,
  filetype,
  mode,
  size,
  external_url,
  alt_txt,
});

export function files(change: Change<"files">, context: Context): Derived[] {
  const { before, after } = change;
  if (after === null || !isComplete(after)) return [];
  if (before === null || !isComplete(before))
    return [about(context, "file_created", change, after)];
  if (after.mode === "tombstone") {
    if (before.mode === "tombstone") return [];
    const shares = context.sharesOf(after.id, context.endOf(change));
    const channels = [...new Set(shares.map(({ channel_id: channel }) => channel))];
    const fields = { file_id: after.id, channel_ids: channels };
    return [derived("file_deleted", change, fields, audienceOf(context, after, change))];
  }
  if (after.public_url_shared && !before.public_url_shared)
    return [about(context, "file_public", change, after)];
  const isChanged =
    after.public_url_shared !== before.public_url_shared ||
    !Bun.deepEquals(face(after), face(before));
  return isChanged ? [about(context, "file_change", change, after)] : [];
}

/** The text of a canvas that was already there, unless its file changes with it. */
export function canvases(change: Change<"canvases">, context: Context): Derived[] {
  const { before, after } = change;
  if (before === null || after === null || Bun.deepEquals(before.sections, after.sections))
    return [];
  const isKnown = context
    .beside(change, "files")
    .some(({ after: row }) => row?.id === after.file_id);
  const file = isKnown ? undefined : context.files.get(after.file_id);
  return file ? [about(context, "file_change", change, file)] : [];
}

/** A file that comes into a channel or leaves it. In the first public one, it becomes public. */
export function shares(change: Change<"file_shares">, context: Context): Derived[] {
  const { before, after } = change;
  const { file_id: id, channel_id: channel, ts } = rowOf(change);
  if (before !== null && after !== null) return [];
  const file = context.files.get(id);
  const at = after ? context.endOf(change) : context.startOf(change);
  const message = context.message({ channel_id: channel, ts }, at);
  if (!file) return [];
  const sharer = { id, user_id: message?.user_id ?? file.user_id };
  const shared = about(context, after ? "file_shared" : "file_unshared", change, sharer, {
    channel_id: channel,
  });
  const audience: Audience = (app) => {
    const isIn =
      app.user === sharer.user_id || context.isMember(channel, app.user, context.endOf(change));
    return isIn ? undefined : "its bot is not in the channel";
  };
  const isPublic = (at: string) => context.channels.get(at)?.is_private === false;
  const earlier = context.sharesOf(id, change.number - 1);
  const becomesPublic =
    after !== null &&
    isPublic(channel) &&
    !file.public_url_shared &&
    !earlier.some((share) => isPublic(share.channel_id));
  return [
    ...(becomesPublic ? [about(context, "file_public", change, file)] : []),
    { ...shared, audience },
  ];
}
