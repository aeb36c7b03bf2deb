/** A seed → the rows of each table. The same seed gives the same rows: nothing is random and nothing is "now". */

import {
  asTs,
  canvasFileRow,
  canvasSections,
  channelRow,
  contentRow,
  fileRow,
  micros,
  type Row,
  rank,
  seconds,
  teamRow,
  userRow,
} from "~/replicas/chat/seed-columns";
import { createPosting } from "~/replicas/chat/seed-messages";
import { index } from "~/replicas/chat/seed-names";
import type { ChatSeed } from "~/replicas/chat/seed-shape";
import { ALIAS_RECORD } from "~/replicas/chat/store/aliases";
import { UNREAD } from "~/replicas/chat/store/channels";
import { SeedError, SeedMistakes } from "~/replicas/kit/seed-mistakes";

type SeedRows = { readonly [table: string]: readonly Row[] };

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
    reminders: [],
    emoji: emoji.map(({ name, url }) => ({ name, url })),
    records: Object.entries(aliases).map(([id, data]) => ({ type: ALIAS_RECORD, id, data })),
  };
  const add = (table: string, ...added: Row[]) => void rows[table]?.push(...added);

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

  const post = createPosting({ user, people, file, custom }, add);
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
      users: people(group.users, `${path}.users`).toSorted(),
      date_create: seconds(group.created),
      date_update: ended || seconds(group.created),
      date_delete: ended,
      created_by: by,
      updated_by: by,
      deleted_by: ended ? by : null,
    });
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
