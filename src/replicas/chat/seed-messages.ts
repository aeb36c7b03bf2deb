/** The rows of the messages of a seed, and of what belongs to a message. */
import { isStandardEmoji } from "~/replicas/chat/emoji";
import { asTs, messageRow, micros, type Row, tsMicros } from "~/replicas/chat/seed-columns";
import type { Find } from "~/replicas/chat/seed-names";
import type { ChatSeed, SeedReply } from "~/replicas/chat/seed-shape";
import { SeedError } from "~/replicas/kit/seed-mistakes";

type Names = {
  readonly user: Find<ChatSeed["users"][number]>;
  /** The ids of users. */
  readonly people: (names: readonly string[], path: string) => string[];
  readonly file: Find<{ readonly id: string }>;
  readonly custom: Find<unknown>;
};

/** Adds a message with its reactions, files, pin and stars; returns its timestamp. Throws SeedError. */
export function createPosting(
  { user, people, file, custom }: Names,
  add: (table: string, ...rows: Row[]) => void,
) {
  const taken = new Set<string>();
  return (message: SeedReply, channelId: string, root: string | null, path: string): string => {
    const ts = asTs(message.ts);
    if (taken.has(channelId + ts))
      throw new SeedError(`${path}.ts`, "the channel has another message of this time");
    if (root !== null && ts <= root)
      throw new SeedError(`${path}.ts`, "a reply is later than its root");
    taken.add(channelId + ts);
    const author = user(message.user, `${path}.user`);
    const place = { channel_id: channelId, ts };
    add("messages", { ...place, ...messageRow(message, author, root) });
    for (const [order, { name, users: by }] of (message.reactions ?? []).entries()) {
      if (!isStandardEmoji(name)) custom(name, `${path}.reactions[${order}].name`);
      add(
        "reactions",
        ...people(by, `${path}.reactions[${order}].users`).map((id, turn) => ({
          ...place,
          name,
          user_id: id,
          created_at: tsMicros(ts) + 1_000_000 * (order * 100 + turn + 1),
        })),
      );
    }
    for (const [order, id] of (message.files ?? []).entries())
      add("file_shares", {
        ...place,
        file_id: file(id, `${path}.files[${order}]`).id,
        place: order + 1,
      });
    if (message.pinned)
      add("pins", {
        ...place,
        created_by: user(message.pinned.by, `${path}.pinned.by`).id,
        created_at: micros(message.pinned.at),
      });
    for (const id of people(message.starred_by ?? [], `${path}.starred_by`))
      add("stars", {
        ...place,
        user_id: id,
        type: "message",
        file_id: "",
        created_at: tsMicros(ts) + 1,
      });
    return ts;
  };
}
