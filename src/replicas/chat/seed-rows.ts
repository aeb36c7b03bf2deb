/** A seed → the rows of each table. The same seed gives the same rows: nothing is random and nothing is "now". */

import { nearest } from "~/nearest";
import { isStandardEmoji } from "~/replicas/chat/emoji";
import {
  asTs,
  canvasFileRow,
  canvasSections,
  channelRow,
  contentRow,
  fileRow,
  messageRow,
  micros,
  type Row,
  rank,
  seconds,
  teamRow,
  tsMicros,
  userRow,
} from "~/replicas/chat/seed-columns";
import type { ChatSeed, SeedReply } from "~/replicas/chat/seed-model";
import { ALIAS_RECORD } from "~/replicas/chat/store/aliases";
import { UNREAD } from "~/replicas/chat/store/channels";
import { SeedError, SeedMistakes } from "~/replicas/seed-mistakes";

export type SeedRows = { readonly [table: string]: readonly Row[] };

/** Throws SeedError for names that are unknown or ambiguous. */
export function seedRows(seed: ChatSeed): SeedRows {
  const mistakes = new SeedMistakes();
  const { aliases = {}, team, users, channels, messages = [], usergroups = [], emoji = [] } = seed;
  const user = index("user", "users", users, ({ name }) => [name]);
  index("user", "users", users, ({ id }) => [id]);
  const channel = index("channel", "channels", channels, ({ id, name }) =>
    name ? [id, name] : [id],
  );
  const files = seed.files ?? [];
  const file = index("file", "files", files, ({ id }) => [id]);
  const custom = index("emoji", "emoji", emoji, ({ name }) => [name]);
  const people = (names: readonly string[], path: string) =>
    names.map((name, place) => user(name, `${path}[${place}]`).id);

  const rows: Record<string, Row[]> = {
    teams: [teamRow(team)],
    users: users.map((entry, place) => userRow(entry, team.id, place)),
    channels: [],
    channel_members: [],
    messages: [],
    reactions: [],
    pins: [],
    bookmarks: [],
    stars: [],
    files: [],
    file_contents: files.map(contentRow),
    file_shares: [],
    canvases: [],
    usergroups: [],
    usergroup_users: [],
    reminders: [],
    emoji: emoji.map(({ name, url }) => ({ name, url })),
    records: Object.entries(aliases).map(([id, data]) => ({ type: ALIAS_RECORD, id, data })),
  };
  const add = (table: string, ...added: Row[]) => rows[table]?.push(...added);

  mistakes.each(files, (entry, place) =>
    add("files", fileRow(entry, user(entry.user, `files[${place}].user`).id)),
  );
  mistakes.each(channels, (entry, place) => {
    const path = `channels[${place}]`;
    const members = people(entry.members, `${path}.members`);
    add("channels", channelRow(entry, user(entry.creator, `${path}.creator`).id, members));
    for (const name of Object.keys(entry.last_read ?? {}))
      if (!entry.members.includes(name))
        throw new SeedError(`${path}.last_read`, `"${name}" is not a member`);
    add(
      "channel_members",
      ...members.map((id, order) => ({
        channel_id: entry.id,
        user_id: id,
        joined_at: micros(entry.created) + order,
        last_read: asTs(entry.last_read?.[entry.members[order] ?? ""] ?? UNREAD),
        is_open: entry.type === "im" || entry.type === "mpim",
      })),
    );
  });

  const taken = new Set<string>();
  const post = (message: SeedReply, channelId: string, root: string | null, path: string) => {
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
  mistakes.each(messages, ({ replies = [], channel: name, ...message }, place) => {
    const path = `messages[${place}]`;
    const { id } = channel(name, `${path}.channel`);
    const root = post(message, id, null, path);
    for (const [order, reply] of replies.entries())
      post(reply, id, root, `${path}.replies[${order}]`);
  });

  mistakes.each(seed.canvases ?? [], (entry, place) => {
    const path = `canvases[${place}]`;
    const channelId = entry.channel && channel(entry.channel, `${path}.channel`).id;
    add("files", canvasFileRow(entry, user(entry.user, `${path}.user`).id));
    add("canvases", { file_id: entry.id, channel_id: channelId, sections: canvasSections(entry) });
  });
  mistakes.each(seed.bookmarks ?? [], (entry, place) => {
    const path = `bookmarks[${place}]`;
    add("bookmarks", {
      id: entry.id,
      channel_id: channel(entry.channel, `${path}.channel`).id,
      title: entry.title,
      link: entry.link,
      emoji: entry.emoji,
      type: "link",
      rank: rank(place),
      date_created: seconds(entry.created),
      date_updated: 0,
      last_updated_by_user_id: user(entry.user, `${path}.user`).id,
    });
  });
  mistakes.each(usergroups, (group, place) => {
    const path = `usergroups[${place}]`;
    const by = user(group.created_by, `${path}.created_by`).id;
    const defaults = (group.channels ?? []).map((name, order) =>
      channel(name, `${path}.channels[${order}]`),
    );
    const ids = (isPrivate: boolean) =>
      defaults.filter(({ type }) => (type === "private") === isPrivate).map(({ id }) => id);
    const ended = group.disabled === undefined ? 0 : seconds(group.disabled);
    add("usergroups", {
      id: group.id,
      name: group.name,
      handle: group.handle,
      description: group.description ?? "",
      prefs: { channels: ids(false), groups: ids(true) },
      date_create: seconds(group.created),
      date_update: ended || seconds(group.created),
      date_delete: ended,
      created_by: by,
      updated_by: by,
      deleted_by: ended ? by : null,
    });
    for (const id of people(group.users, `${path}.users`))
      add("usergroup_users", { usergroup_id: group.id, user_id: id });
  });
  mistakes.each(seed.reminders ?? [], (entry, place) => {
    const path = `reminders[${place}]`;
    add("reminders", {
      id: entry.id,
      user_id: user(entry.user, `${path}.user`).id,
      creator: user(entry.creator ?? entry.user, `${path}.creator`).id,
      text: entry.text,
      time: seconds(entry.time),
      complete_ts: entry.complete === undefined ? 0 : seconds(entry.complete),
      recurring: entry.recurrence !== undefined,
      recurrence: entry.recurrence,
    });
  });
  mistakes.end();
  return rows;
}

/** Finds an entry of a list by its unique names. */
function index<T>(
  what: string,
  list: string,
  entries: readonly T[],
  namesOf: (entry: T) => readonly string[],
) {
  const known = new Map<string, T>();
  for (const [place, entry] of entries.entries())
    for (const name of namesOf(entry)) {
      if (known.has(name)) throw new SeedError(`${list}[${place}]`, `there are two of "${name}"`);
      known.set(name, entry);
    }
  return (name: string, path: string): T => {
    const found = known.get(name);
    if (found === undefined)
      throw new SeedError(path, `there is no ${what} "${name}"${nearest(name, known.keys())}`);
    return found;
  };
}
