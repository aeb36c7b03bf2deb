/** What may be said in a profile, and what follows from it. */
import { ChatError } from "~/replicas/chat/errors";
import type { TeamRow } from "~/replicas/chat/store/team";
import type { Profile } from "~/replicas/chat/store/users";

const STATUS_MAX = 100;
const NAME_MAX = 80;
const TEXT_MAX = 255;
const SECONDS_MAX = 2 ** 31 - 1;
const RESERVED: readonly string[] = ["slackbot", "everyone", "channel", "here", "group", "admin"];
const NAMES = ["real_name", "display_name", "first_name", "last_name"];
const TEXTS = ["title", "phone", "skype", "pronouns", "start_date", "email"];
const STATUS = ["status_text", "status_emoji", "status_expiration"];
/** What the service writes when only the text of a status is given. */
const DEFAULT_EMOJI = ":speech_balloon:";

/** A name in letters without marks, as people without such keys would type it. */
export const normalizeName = (name: string) => name.normalize("NFKD").replace(/\p{M}/gu, "");

type Change = Record<string, unknown>;

/** The profile after a change. Throws the service's code for the first thing that cannot be. */
export function changeProfile(profile: Profile, given: unknown, team: TeamRow): Profile {
  if (typeof given !== "object" || given === null || Array.isArray(given))
    throw new ChatError("invalid_profile");
  const { fields, ...change } = given as Change;
  for (const [field, value] of Object.entries(change)) requireField(field, value);
  requireStatus(profile, change);
  return {
    ...profile,
    ...change,
    ...namesOf(profile, change),
    ...statusOf(profile, change),
    ...(fields === undefined ? {} : { fields: changeFields(profile["fields"], fields, team) }),
  };
}

function requireField(field: string, value: unknown): void {
  if (field === "status_expiration") {
    const seconds = Number(value);
    if (!Number.isInteger(seconds) || seconds < 0 || seconds > SECONDS_MAX)
      throw new ChatError("invalid_profile");
    return;
  }
  // The rest of a profile is computed, or belongs to an app.
  if (![...NAMES, ...TEXTS, ...STATUS].includes(field)) throw new ChatError("profile_set_failed");
  if (typeof value !== "string") throw new ChatError("invalid_profile");
  const max = NAMES.includes(field) ? NAME_MAX : TEXT_MAX;
  if (value.length > (field === "status_text" ? STATUS_MAX : max)) throw new ChatError("too_long");
  if (field === "status_emoji" && value !== "" && !/^:[^:\s]+(::skin-tone-[2-6])?:$/.test(value))
    throw new ChatError("invalid_profile");
  if (field === "email" && !/^[^@\s]+@[^@\s]+$/.test(value)) throw new ChatError("invalid_profile");
  if (NAMES.includes(field) && RESERVED.includes(value.trim().toLowerCase()))
    throw new ChatError("reserved_name");
  if (field === "real_name" && value.trim() === "") throw new ChatError("invalid_profile");
}

/** One half of a status cannot be taken away from the other. */
function requireStatus(profile: Profile, change: Change): void {
  const isLeft = (cleared: string, other: string) =>
    change[cleared] === "" && !(other in change) && profile[cleared] && profile[other];
  if (isLeft("status_text", "status_emoji") || isLeft("status_emoji", "status_text"))
    throw new ChatError("must_clear_both_status_text_and_status_emoji");
}

function namesOf(profile: Profile, change: Change): Change {
  const named: Change = {};
  if (typeof change["real_name"] === "string") {
    const [first = "", ...rest] = change["real_name"].trim().split(/\s+/);
    Object.assign(named, { first_name: first, last_name: rest.join(" ") });
  } else if ("first_name" in change || "last_name" in change) {
    const part = (name: string) => String(change[name] ?? profile[name] ?? "").trim();
    named["real_name"] = `${part("first_name")} ${part("last_name")}`.trim();
  }
  for (const name of ["real_name", "display_name"]) {
    const value = named[name] ?? change[name];
    if (typeof value === "string") named[`${name}_normalized`] = normalizeName(value);
  }
  return named;
}

function statusOf(profile: Profile, change: Change): Change {
  const text = change["status_text"] ?? profile["status_text"] ?? "";
  const emoji = change["status_emoji"] ?? profile["status_emoji"] ?? "";
  if (!STATUS.some((field) => field in change)) return {};
  if (text === "" && emoji === "")
    return { status_text: "", status_emoji: "", status_expiration: 0 };
  return {
    status_emoji: emoji === "" ? DEFAULT_EMOJI : emoji,
    status_expiration: Number(change["status_expiration"] ?? profile["status_expiration"] ?? 0),
  };
}

/** Custom fields: a value, or a value with another text to show. An empty one takes the field away. */
function changeFields(known: unknown, given: unknown, team: TeamRow): Change {
  if (typeof given !== "object" || given === null || Array.isArray(given))
    throw new ChatError("invalid_profile");
  const fields: Change = { ...(known as Change | undefined) };
  for (const [id, entry] of Object.entries(given)) {
    if (!team.profile.fields.some((field) => field["id"] === id))
      throw new ChatError("invalid_profile");
    const { value, alt = "" } = typeof entry === "string" ? { value: entry } : (entry ?? {});
    if (typeof value !== "string" || typeof alt !== "string") throw new ChatError("invalid_profile");
    if (value.length > TEXT_MAX || alt.length > TEXT_MAX) throw new ChatError("too_long");
    if (value === "") delete fields[id];
    else fields[id] = { value, alt };
  }
  return fields;
}
