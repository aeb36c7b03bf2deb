/** The shape of `seeds/chat_*.yaml`, and how it becomes rows. */
import { type Static, type TSchema, Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import type { Tx } from "~/db/connect";
import type { Tables } from "~/db/session";
import { memberKey } from "~/replicas/chat/store/directs";
import { normalizeText } from "~/replicas/chat/text";
import { SeedError } from "~/replicas/replica";

const Id = (prefix: string) => Type.String({ pattern: `^${prefix}[A-Z0-9]{2,15}$` });
/** Written in quotes: bare, YAML reads a number and drops its zeros. */
const Ts = Type.String({ pattern: "^\\d{10}\\.\\d{6}$" });
const Moment = Type.String({ pattern: "^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ$" });
const Handle = Type.String({ pattern: "^[a-z0-9][a-z0-9._-]*$" });
const strict = <P extends Record<string, TSchema>>(properties: P) =>
  Type.Object(properties, { additionalProperties: false });

const Team = strict({ id: Id("T"), name: Type.String(), domain: Type.String() });

const User = strict({
  id: Id("[UW]"),
  name: Handle,
  real_name: Type.String(),
  email: Type.Optional(Type.String({ pattern: "@" })),
  display_name: Type.Optional(Type.String()),
  title: Type.Optional(Type.String()),
  tz: Type.Optional(Type.String()),
  is_admin: Type.Optional(Type.Boolean()),
  is_owner: Type.Optional(Type.Boolean()),
  deleted: Type.Optional(Type.Boolean()),
  bot_id: Type.Optional(Id("B")),
  app_id: Type.Optional(Id("A")),
});

const Channel = strict({
  id: Id("[CDG]"),
  name: Type.Optional(Type.String({ pattern: "^[a-z0-9_-]{1,80}$" })),
  type: Type.Optional(
    Type.Union([Type.Literal("private"), Type.Literal("im"), Type.Literal("mpim")]),
  ),
  is_general: Type.Optional(Type.Boolean()),
  is_archived: Type.Optional(Type.Boolean()),
  creator: Handle,
  created: Moment,
  topic: Type.Optional(Type.String()),
  purpose: Type.Optional(Type.String()),
  members: Type.Array(Handle),
});

const Reaction = strict({ name: Type.String(), users: Type.Array(Handle, { minItems: 1 }) });
const Reply = strict({
  ts: Ts,
  user: Handle,
  text: Type.String(),
  broadcast: Type.Optional(Type.Boolean()),
  edited: Type.Optional(Moment),
  reactions: Type.Optional(Type.Array(Reaction)),
});
const Message = strict({
  ...Reply.properties,
  channel: Type.String(),
  replies: Type.Optional(Type.Array(Reply)),
});

export const ChatSeed = Type.Object({
  team: Team,
  users: Type.Array(User),
  channels: Type.Array(Channel),
  messages: Type.Optional(Type.Array(Message)),
});
type ChatSeed = Static<typeof ChatSeed>;

const COLORS = [
  "9f69e7",
  "4bbe2e",
  "e7392d",
  "3c989f",
  "674b1b",
  "e96699",
  "e0a729",
  "684b6c",
  "5b89d5",
  "2b6836",
];

const seconds = (moment: string) => Date.parse(moment) / 1000;
const microseconds = (ts: string) => ts.replace(".", "");

export async function seedChat(tx: Tx, t: Tables, seed: unknown): Promise<void> {
  const first = Value.Errors(ChatSeed, seed).First();
  if (first) throw new SeedError(readable(first.path), first.message);
  const { team, users, channels, messages = [] } = seed as ChatSeed;
  const userIds = new Map(users.map(({ id, name }) => [name, id]));
  const channelIds = new Map(
    channels.flatMap(
      ({ id, name }) =>
        [
          [name ?? id, id],
          [id, id],
        ] as const,
    ),
  );
  const user = (name: string, path: string) => lookUp(userIds, name, path, "user");
  const insert = async (table: string, rows: readonly object[]) => {
    for (let from = 0; from < rows.length; from += BATCH)
      await tx`insert into ${t[table] as never} ${tx(rows.slice(from, from + BATCH) as never)}`;
  };

  await insert("teams", [
    {
      ...team,
      email_domain: `${team.domain}.test`,
      url: `https://${team.domain}.chat.test/`,
      plan: "std",
      who_can_post_general: "everyone",
      msg_edit_window_mins: -1,
      allow_message_deletion: true,
      display_real_names: true,
      disable_file_uploads: "allow_all",
      message_limit: null,
      restrict_bots: false,
      profile: { fields: [], sections: [] },
    },
  ]);
  await insert(
    "users",
    users.map((entry, index) => userRow(entry, team.id, index)),
  );
  await insert(
    "channels",
    channels.map((channel, index) =>
      channelRow(channel, user(channel.creator, `channels[${index}].creator`), (name) =>
        user(name, `channels[${index}].members`),
      ),
    ),
  );
  await insert(
    "channel_members",
    channels.flatMap(({ id, created, members, type }, index) =>
      members.map((member, place) => ({
        channel_id: id,
        user_id: user(member, `channels[${index}].members[${place}]`),
        joined_at: seconds(created) * 1_000_000 + place,
        last_read: "0000000000.000000",
        is_open: type === "im" || type === "mpim",
      })),
    ),
  );
  const rows: object[] = [];
  const reactions: object[] = [];
  const add = (
    message: Static<typeof Reply>,
    channel: string,
    threadTs: string | null,
    path: string,
  ) => {
    const author = users.find(({ name }) => name === message.user);
    rows.push({
      channel_id: channel,
      ts: message.ts,
      thread_ts: threadTs,
      subtype: threadTs !== null && message.broadcast ? "thread_broadcast" : null,
      user_id: user(message.user, `${path}.user`),
      text: normalizeText(message.text),
      bot_id: author?.bot_id ?? null,
      app_id: author?.app_id ?? null,
      edited: message.edited
        ? tx.json({ user: user(message.user, path), ts: `${seconds(message.edited)}.000000` })
        : null,
    });
    for (const [index, { name, users: people }] of (message.reactions ?? []).entries())
      for (const [place, person] of people.entries())
        reactions.push({
          channel_id: channel,
          ts: message.ts,
          name,
          user_id: user(person, `${path}.reactions[${index}].users[${place}]`),
          created_at:
            BigInt(microseconds(message.ts)) + BigInt(1_000_000 * (index * 100 + place + 1)),
        });
  };
  for (const [index, { replies = [], channel, ...message }] of messages.entries()) {
    const path = `messages[${index}]`;
    const id = lookUp(channelIds, channel, `${path}.channel`, "channel");
    add(message, id, null, path);
    for (const [place, reply] of replies.entries())
      add(reply, id, message.ts, `${path}.replies[${place}]`);
  }
  await insert("messages", rows);
  await insert("reactions", reactions);
}

const BATCH = 500;

function lookUp(
  ids: ReadonlyMap<string, string>,
  name: string,
  path: string,
  what: string,
): string {
  const id = ids.get(name);
  if (id === undefined) throw new SeedError(path, `there is no ${what} "${name}"`);
  return id;
}

/** `/users/0/name` → `users[0].name`. */
const readable = (pointer: string) =>
  pointer
    .replace(/\/(\d+)/g, "[$1]")
    .replace(/\//g, ".")
    .replace(/^\./, "");

function userRow(user: Static<typeof User>, teamId: string, index: number) {
  const profile = {
    real_name: user.real_name,
    real_name_normalized: user.real_name,
    display_name: user.display_name ?? user.name,
    display_name_normalized: user.display_name ?? user.name,
    first_name: user.real_name.split(" ")[0],
    last_name: user.real_name.split(" ").slice(1).join(" "),
    title: user.title ?? "",
    avatar_hash: `g${user.id.toLowerCase()}`,
    ...(user.email ? { email: user.email } : {}),
  };
  return {
    id: user.id,
    team_id: teamId,
    name: user.name,
    deleted: user.deleted ?? false,
    color: COLORS[index % COLORS.length],
    real_name: user.real_name,
    tz: user.tz ?? "America/Los_Angeles",
    locale: "en-US",
    profile,
    is_admin: user.is_admin ?? user.is_owner ?? false,
    is_owner: user.is_owner ?? false,
    is_primary_owner: user.is_owner ?? false,
    is_restricted: false,
    is_ultra_restricted: false,
    is_bot: user.bot_id !== undefined,
    bot_id: user.bot_id ?? null,
    app_id: user.app_id ?? null,
    home_tab_enabled: user.bot_id !== undefined,
    presence: "auto",
    dnd_enabled: false,
    dnd_start: "22:00",
    dnd_end: "08:00",
    dnd_ended_ts: 0,
    snooze_endtime: 0,
    updated: 1_767_225_600, // 2026-01-01
  };
}

function channelRow(
  channel: Static<typeof Channel>,
  creator: string,
  user: (name: string) => string,
) {
  const { id, name = null, type, created, topic = "", purpose = "" } = channel;
  const direct = type === "im" || type === "mpim";
  const note = (value: string) => ({
    value,
    creator: value ? creator : "",
    last_set: value ? seconds(created) : 0,
  });
  return {
    id,
    name,
    is_channel: !direct,
    is_group: false,
    is_im: type === "im",
    is_mpim: type === "mpim",
    is_private: type !== undefined,
    is_general: channel.is_general ?? false,
    is_archived: channel.is_archived ?? false,
    creator,
    created: seconds(created),
    updated: seconds(created) * 1000,
    topic: note(topic),
    purpose: note(purpose),
    previous_names: [],
    member_key: direct ? memberKey(channel.members.map(user)) : null,
  };
}
