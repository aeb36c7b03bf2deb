/** The entries of a seed as rows. */
import { createHash } from "node:crypto";
import { sectionId, toSections } from "~/replicas/chat/canvas";
import { decodeText, describeText, typeOfName } from "~/replicas/chat/filetypes";
import { normalizeName } from "~/replicas/chat/profile";
import type {
  SeedCanvas,
  SeedChannel,
  SeedFile,
  SeedReply,
  SeedTeam,
  SeedUser,
} from "~/replicas/chat/seed-shape";
import { memberKey } from "~/replicas/chat/store/directs";
import { normalizeText } from "~/replicas/chat/text";

export type Row = Record<string, unknown>;

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
const UPDATED = 1_767_225_600; // 2026-01-01
const UPDATED_WITHIN = 300 * 86_400;
/** Some moment of the year before, which follows from the id. */
const updatedAt = (id: string) =>
  UPDATED - (createHash("md5").update(id).digest().readUInt32BE() % UPDATED_WITHIN);
/** Ranks are text that sorts in the order of the bookmarks. */
export const rank = (place: number) => `0|${String(place).padStart(6, "0")}`;

export const seconds = (moment: string) => Date.parse(moment) / 1000;
export const micros = (moment: string) => seconds(moment) * 1_000_000;
/** A moment's timestamp has microseconds that look drawn and follow from its second. Statements compute them, too. */
export function asTs(given: string): string {
  if (!given.includes("T")) return given;
  const second = `${seconds(given)}`;
  const drawn = createHash("md5").update(second).digest().readUInt32BE() % 1_000_000;
  return `${second}.${`${drawn}`.padStart(6, "0")}`;
}
export const tsMicros = (ts: string) => Number(ts.replace(".", ""));

export const teamRow = (team: SeedTeam): Row => ({
  plan: "std",
  who_can_post_general: "everyone",
  msg_edit_window_mins: -1,
  allow_message_deletion: true,
  display_real_names: false,
  disable_file_uploads: "allow_all",
  message_limit: null,
  profile: { fields: [], sections: [] },
  ...team,
  email_domain: `${team.domain}.test`,
  url: `https://${team.domain}.chat.test/`,
});

export function userRow(user: SeedUser, teamId: string, place: number): Row {
  const [first = "", ...rest] = user.real_name.split(" ");
  const displayName = user.display_name ?? user.name;
  const isOwner = user.is_owner ?? user.is_primary_owner ?? false;
  const { email, phone, pronouns, status_text, status_emoji, fields } = user;
  const given = { email, phone, pronouns, status_text, status_emoji, fields };
  return {
    id: user.id,
    team_id: teamId,
    name: user.name,
    deleted: user.deleted ?? false,
    color: COLORS[place % COLORS.length],
    real_name: user.real_name,
    tz: user.tz ?? "America/Los_Angeles",
    locale: user.locale ?? "en-US",
    profile: {
      real_name: user.real_name,
      real_name_normalized: normalizeName(user.real_name),
      display_name: displayName,
      display_name_normalized: normalizeName(displayName),
      first_name: first,
      last_name: rest.join(" "),
      title: user.title ?? "",
      avatar_hash: `g${user.id.toLowerCase()}`,
      ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)),
    },
    is_admin: user.is_admin ?? isOwner,
    is_owner: isOwner,
    is_primary_owner: user.is_primary_owner ?? isOwner,
    is_restricted: user.is_restricted ?? user.is_ultra_restricted ?? false,
    is_ultra_restricted: user.is_ultra_restricted ?? false,
    is_bot: user.bot_id !== undefined,
    bot_id: user.bot_id,
    app_id: user.app_id,
    home_tab_enabled: user.home_tab_enabled ?? user.app_id !== undefined,
    presence: user.presence ?? "auto",
    dnd_enabled: user.dnd !== undefined,
    dnd_start: user.dnd?.start ?? "22:00",
    dnd_end: user.dnd?.end ?? "08:00",
    dnd_ended_ts: 0,
    snooze_endtime: 0,
    updated: updatedAt(user.id),
  };
}

export function channelRow(channel: SeedChannel, creator: string, members: readonly string[]): Row {
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
    previous_names: channel.previous_names ?? [],
    member_key: direct ? memberKey(members) : null,
  };
}

export function messageRow(message: SeedReply, author: SeedUser, root: string | null): Row {
  const { username, icon_emoji: emoji, edited, attachments, blocks } = message;
  const disguised = username !== undefined || emoji !== undefined ? "bot_message" : null;
  return {
    thread_ts: root,
    subtype:
      root !== null && message.broadcast ? "thread_broadcast" : (message.subtype ?? disguised),
    user_id: author.id,
    text: normalizeText(message.text),
    bot_id: author.bot_id,
    app_id: author.app_id,
    username,
    icons: emoji === undefined ? null : { emoji },
    blocks,
    attachments: attachments?.map((item, place) => ({ id: place + 1, ...item })),
    edited: edited === undefined ? null : { user: author.id, ts: `${seconds(edited)}.000000` },
  };
}

const bytesOf = ({ content, base64 = "" }: SeedFile) =>
  content === undefined ? Buffer.from(base64, "base64") : Buffer.from(content);

export function fileRow(file: SeedFile, owner: string): Row {
  const { filetype, mimetype } = typeOfName(file.name);
  const text = decodeText({ mimetype }, bytesOf(file));
  return {
    id: file.id,
    user_id: owner,
    name: file.name,
    title: file.title ?? file.name,
    mimetype,
    filetype,
    mode: text === null ? "hosted" : "snippet",
    size: bytesOf(file).byteLength,
    alt_txt: file.alt_txt,
    ...describeText(text),
    public_url_shared: false,
    created_at: micros(file.created),
  };
}

export const contentRow = (file: SeedFile): Row => ({
  file_id: file.id,
  content: `\\x${bytesOf(file).toString("hex")}`,
  plain_text: decodeText(typeOfName(file.name), bytesOf(file)),
});

export const canvasSections = ({ id, markdown }: SeedCanvas) =>
  toSections(markdown, (place) =>
    sectionId(createHash("md5").update(`${id} ${place}`).digest("hex")),
  );

export const canvasFileRow = (canvas: SeedCanvas, owner: string): Row => ({
  id: canvas.id,
  user_id: owner,
  name: canvas.title,
  title: canvas.title,
  mimetype: "application/vnd.slack-docs",
  filetype: "quip",
  mode: "quip",
  size: Buffer.byteLength(canvas.markdown),
  public_url_shared: false,
  created_at: micros(canvas.created),
});
