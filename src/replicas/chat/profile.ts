/** Changes of profiles, and the fields that follow from them. */
import { isObject } from "~/input/json";
import { ChatError } from "~/replicas/chat/errors";
import type { Profile, UserRow } from "~/replicas/chat/store/users";

/** Plain fields and their maximum lengths. */
const FIELDS_MAX = {
  real_name: 80,
  display_name: 80,
  first_name: 80,
  last_name: 80,
  title: 255,
  phone: 255,
  skype: 255,
  email: 255,
  pronouns: 255,
  start_date: 10,
  status_text: 100,
  status_emoji: 110,
} as const;
type Field = keyof typeof FIELDS_MAX;

const CUSTOM_FIELD_MAX = 255;
const SECONDS_MAX = 2 ** 31 - 1;
/** Read-only fields of a profile, which clients send back unchanged. */
const SHOWN_ONLY =
  /^(image_.*|avatar_hash|.*_normalized|team|bot_id|api_app_id|always_active|status_text_canonical|status_emoji_display_info|is_custom_image)$/;
const RESERVED_NAMES = new Set(["slackbot", "slack", "here", "channel", "everyone", "group"]);
/** The emoji of a status that has only text. */
const STATUS_EMOJI = ":speech_balloon:";

export type ProfileChange = { [F in Field]?: string } & {
  status_expiration?: number;
  fields?: Record<string, { value: string; alt: string }>;
};

/** A name without diacritics. */
export const normalizeName = (name: string) => name.normalize("NFKD").replace(/\p{M}/gu, "");

const isField = (name: string): name is Field => Object.hasOwn(FIELDS_MAX, name);

/** A change from a client. Throws the service's codes for fields that cannot be set. */
export function readProfile(given: unknown): ProfileChange {
  if (!isObject(given)) throw new ChatError("invalid_profile");
  const change: ProfileChange = {};
  for (const [name, value] of Object.entries(given)) {
    if (SHOWN_ONLY.test(name)) continue;
    if (name === "status_expiration") change.status_expiration = readExpiration(value);
    else if (name === "fields") change.fields = readFields(value);
    else if (isField(name)) change[name] = readField(name, value);
    else throw new ChatError("profile_set_failed");
  }
  if (Object.keys(change).length === 0) throw new ChatError("invalid_profile");
  const names = [change.display_name, change.real_name];
  if (names.some((name) => name !== undefined && RESERVED_NAMES.has(name.toLowerCase())))
    throw new ChatError("reserved_name");
  if (change.real_name === "") throw new ChatError("invalid_profile");
  return change;
}

function readField(name: Field, value: unknown): string {
  if (typeof value !== "string") throw new ChatError("invalid_profile");
  const text = value.trim();
  if (text.length > FIELDS_MAX[name]) throw new ChatError("too_long");
  return text;
}

function readExpiration(value: unknown): number {
  const seconds = Number(value);
  if (!Number.isInteger(seconds) || seconds < 0 || seconds > SECONDS_MAX)
    throw new ChatError("invalid_profile");
  return seconds;
}

/** `{Xf…: {value, alt}}`; an empty list means none. */
function readFields(value: unknown): NonNullable<ProfileChange["fields"]> {
  if (Array.isArray(value) && value.length === 0) return {};
  if (!isObject(value)) throw new ChatError("invalid_profile");
  const entries = Object.entries(value).map(([id, field]) => {
    const { value, alt = "" } = (field ?? {}) as { value?: unknown; alt?: unknown };
    if (typeof value !== "string" || typeof alt !== "string")
      throw new ChatError("invalid_profile");
    if (value.length > CUSTOM_FIELD_MAX) throw new ChatError("too_long");
    return [id, { value, alt }] as const;
  });
  return Object.fromEntries(entries);
}

/** The columns of a user after a change. */
export function changeProfile(
  user: UserRow,
  change: ProfileChange,
): { real_name: string; profile: Profile } {
  const status = changeStatus(user.profile, change);
  const { fields, ...plain } = change;
  const old = user.profile;
  const realName = nameAfter(user, change);
  const [first = "", ...rest] = realName.split(" ");
  const names =
    realName === user.real_name
      ? {}
      : {
          real_name: realName,
          real_name_normalized: normalizeName(realName),
          first_name: change.first_name ?? first,
          last_name: change.last_name ?? rest.join(" "),
        };
  const display =
    plain.display_name === undefined
      ? {}
      : { display_name_normalized: normalizeName(plain.display_name) };
  return {
    real_name: realName,
    profile: {
      ...old,
      ...plain,
      ...names,
      ...display,
      ...status,
      ...(fields ? { fields: { ...(old["fields"] as object | undefined), ...fields } } : {}),
    },
  };
}

function nameAfter({ real_name: name, profile }: UserRow, change: ProfileChange): string {
  if (change.real_name !== undefined) return change.real_name;
  if (change.first_name === undefined && change.last_name === undefined) return name;
  const first = change.first_name ?? String(profile["first_name"] ?? "");
  const last = change.last_name ?? String(profile["last_name"] ?? "");
  return `${first} ${last}`.trim() || name;
}

/** Text and emoji of a status are set and cleared together; a cleared status does not expire. */
function changeStatus(profile: Profile, change: ProfileChange): Profile {
  const { status_text: text, status_emoji: emoji } = change;
  if (text === undefined && emoji === undefined) return {};
  const halfCleared =
    (text === "" && emoji === undefined && profile["status_emoji"]) ||
    (emoji === "" && text === undefined && profile["status_text"]);
  if (halfCleared) throw new ChatError("must_clear_both_status_text_and_status_emoji");
  const shown = text ?? String(profile["status_text"] ?? "");
  const icon = (emoji ?? String(profile["status_emoji"] ?? "")) || (shown ? STATUS_EMOJI : "");
  return {
    status_text: shown,
    status_text_canonical: "",
    status_emoji: icon && `:${icon.replace(/^:|:$/g, "")}:`,
    status_expiration: shown || icon ? (change.status_expiration ?? 0) : 0,
  };
}
