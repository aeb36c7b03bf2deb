/** The shape of `seeds/chat_*.yaml`. People are named by handle, channels by name or id. */
import { type Static, type TSchema, Type } from "@sinclair/typebox";
import { ALIAS, ALIASES_MAX } from "~/input/aliases";
import { HEADING } from "~/replicas/kit/seed-shape";

const Id = (prefix: string) => Type.String({ pattern: `^${prefix}[A-Z0-9]{2,13}$` });
const Moment = Type.String({
  pattern: "^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ$",
  expected: "a moment in UTC: 2026-01-05T09:00:00Z",
});
/**
 * A message's timestamp, or the moment it was posted at: `2026-01-05T09:00:00Z` is `1767603600.731938`. A timestamp is
 * written in quotes: bare, YAML reads a number and drops its zeros.
 */
const Ts = Type.String({
  pattern: "^(\\d{10}\\.\\d{6}|\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ)$",
  expected: "a moment in UTC (2026-01-05T09:00:00Z) or a timestamp in quotes",
});
const Handle = Type.String({ pattern: "^[a-z0-9][a-z0-9._-]*$" });
const Name = Type.String({ minLength: 1 });
const Clock = Type.String({ pattern: "^\\d\\d:\\d\\d$" });
const EmojiName = Type.String({ pattern: "^[a-z0-9_+'-]+(::skin-tone-[2-6])?$" });
const Items = Type.Array(Type.Record(Type.String(), Type.Unknown()));
const ProfileFields = Type.Array(
  Type.Object({ field_name: Type.Optional(Type.String()) }, { additionalProperties: true }),
);

const strict = <P extends Record<string, TSchema>>(properties: P) =>
  Type.Object(properties, { additionalProperties: false });
const maybe = Type.Optional;
const flag = maybe(Type.Boolean());
const text = maybe(Type.String());

const Team = strict({
  id: Id("T"),
  name: Name,
  domain: Type.String({ pattern: "^[a-z0-9-]+$" }),
  plan: text,
  who_can_post_general: maybe(
    Type.Union([
      Type.Literal("everyone"),
      Type.Literal("ra"),
      Type.Literal("admin"),
      Type.Literal("owner"),
    ]),
  ),
  msg_edit_window_mins: maybe(Type.Integer({ minimum: -1 })),
  allow_message_deletion: flag,
  display_real_names: flag,
  disable_file_uploads: maybe(
    Type.Union([
      Type.Literal("allow_all"),
      Type.Literal("disable_all_except_images"),
      Type.Literal("disable_all"),
    ]),
  ),
  message_limit: maybe(Type.Integer({ minimum: 1 })),
  profile: maybe(strict({ fields: ProfileFields, sections: Items })),
});

const User = strict({
  id: Id("[UW]"),
  name: Handle,
  real_name: Name,
  email: maybe(Type.String({ pattern: "@" })),
  display_name: text,
  title: text,
  phone: text,
  pronouns: text,
  tz: text,
  locale: text,
  is_admin: flag,
  is_owner: flag,
  is_primary_owner: flag,
  is_restricted: flag,
  is_ultra_restricted: flag,
  deleted: flag,
  bot_id: maybe(Id("B")),
  app_id: maybe(Id("A")),
  home_tab_enabled: flag,
  presence: maybe(Type.Union([Type.Literal("auto"), Type.Literal("away")])),
  status_emoji: maybe(Type.String({ pattern: "^:[^:]+:$" })),
  status_text: maybe(Type.String({ maxLength: 100 })),
  dnd: maybe(strict({ start: Clock, end: Clock })),
  fields: maybe(Type.Record(Type.String({ pattern: "^Xf[A-Z0-9]+$" }), Type.Unknown())),
});

const Channel = strict({
  id: Id("[CDG]"),
  name: maybe(Type.String({ pattern: "^[a-z0-9_-]{1,80}$" })),
  type: maybe(Type.Union([Type.Literal("private"), Type.Literal("im"), Type.Literal("mpim")])),
  is_general: flag,
  is_archived: flag,
  creator: Handle,
  created: Moment,
  topic: text,
  purpose: text,
  previous_names: maybe(Type.Array(Type.String())),
  members: Type.Array(Handle),
  /** How far members have read. All others have read only their own messages. */
  last_read: maybe(Type.Record(Handle, Ts)),
});

const Reaction = strict({ name: EmojiName, users: Type.Array(Handle, { minItems: 1 }) });
const posted = {
  ts: Ts,
  user: Handle,
  text: Type.String(),
  subtype: maybe(
    Type.Union([
      Type.Literal("me_message"),
      Type.Literal("channel_join"),
      Type.Literal("channel_leave"),
      Type.Literal("channel_topic"),
      Type.Literal("channel_archive"),
    ]),
  ),
  username: text,
  icon_emoji: maybe(Type.String({ pattern: "^:[^:]+:$" })),
  blocks: maybe(Items),
  attachments: maybe(Items),
  edited: maybe(Moment),
  files: maybe(Type.Array(Id("F"))),
  pinned: maybe(strict({ by: Handle, at: Moment })),
  starred_by: maybe(Type.Array(Handle)),
  reactions: maybe(Type.Array(Reaction)),
};
export const Reply = strict({ ...posted, broadcast: flag });
const Message = strict({ ...posted, channel: Type.String(), replies: maybe(Type.Array(Reply)) });

const File = strict({
  id: Id("F"),
  name: Name,
  title: text,
  user: Handle,
  created: Moment,
  alt_txt: text,
  content: maybe(Type.String({ expected: "the text" })),
  base64: maybe(Type.String({ expected: "base64 text" })),
});

const Canvas = strict({
  id: Id("F"),
  title: Name,
  user: Handle,
  created: Moment,
  channel: maybe(Type.String({ expected: "the channel whose own canvas it is" })),
  markdown: Type.String(),
});

const Bookmark = strict({
  id: Id("Bk"),
  channel: Type.String(),
  title: Name,
  link: Type.String({ pattern: "^https?://" }),
  emoji: maybe(Type.String({ pattern: "^:[^:]+:$" })),
  user: Handle,
  created: Moment,
});

const Usergroup = strict({
  id: Id("S"),
  name: Name,
  handle: Handle,
  description: text,
  channels: maybe(Type.Array(Type.String())),
  users: Type.Array(Handle),
  created_by: Handle,
  created: Moment,
  disabled: maybe(Moment),
});

const Reminder = strict({
  id: Id("Rm"),
  user: Handle,
  creator: maybe(Handle),
  text: Name,
  time: Moment,
  complete: maybe(Moment),
  recurrence: maybe(
    strict({
      frequency: Type.Union([
        Type.Literal("daily"),
        Type.Literal("weekly"),
        Type.Literal("monthly"),
        Type.Literal("yearly"),
      ]),
      weekdays: maybe(Type.Array(Type.String())),
    }),
  ),
});

const Emoji = strict({ name: EmojiName, url: Type.String({ pattern: "^(https?://|alias:)" }) });

const Aliases = Type.Record(Type.String({ pattern: ALIAS }), Type.String({ pattern: ALIAS }), {
  additionalProperties: false,
  maxProperties: ALIASES_MAX,
  description: "ids of earlier versions, to the present ones",
});

export const ChatSeed = strict({
  ...HEADING,
  aliases: maybe(Aliases),
  team: Team,
  users: Type.Array(User),
  channels: Type.Array(Channel),
  files: maybe(Type.Array(File)),
  canvases: maybe(Type.Array(Canvas)),
  messages: maybe(Type.Array(Message)),
  bookmarks: maybe(Type.Array(Bookmark)),
  usergroups: maybe(Type.Array(Usergroup)),
  reminders: maybe(Type.Array(Reminder)),
  emoji: maybe(Type.Array(Emoji)),
});

export type ChatSeed = Static<typeof ChatSeed>;
export type SeedTeam = Static<typeof Team>;
export type SeedUser = Static<typeof User>;
export type SeedChannel = Static<typeof Channel>;
export type SeedReply = Static<typeof Reply>;
export type SeedFile = Static<typeof File>;
export type SeedCanvas = Static<typeof Canvas>;
