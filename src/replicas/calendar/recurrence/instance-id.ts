/** Ids of single occurrences: the master's id and the original start, `team_20260309T083000Z` or `team_20260309`. */
import { calendarDate, utcInstant } from "./rule";

/** The start is a date, or an instant in milliseconds. */
export function instanceId(masterId: string, start: string | number): string {
  const text = typeof start === "string" ? start : `${new Date(start).toISOString().slice(0, 19)}Z`;
  return `${masterId}_${text.replace(/[-:]/g, "")}`;
}

/** Undefined if the id does not end like that of an occurrence. */
export function readInstanceId(
  id: string,
): { readonly masterId: string; readonly start: string | number } | undefined {
  const at = id.lastIndexOf("_");
  const text = id.slice(at + 1);
  const start = utcInstant(text) ?? calendarDate(text);
  return at > 0 && start !== undefined ? { masterId: id.slice(0, at), start } : undefined;
}
