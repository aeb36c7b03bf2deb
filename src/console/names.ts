/** Names that others gave: in a template they may have any length. */
const NAME_MAX = 200;

/** The beginning of a long name. */
export const shortName = (name: string) =>
  name.length > NAME_MAX ? `${name.slice(0, NAME_MAX)}…` : name;

const NAMES = new Set(["name", "displayName", "title"]);

/** A copy of an answer with short names, at any depth. */
export function withShortNames<T>(value: T): T {
  if (Array.isArray(value)) return value.map(withShortNames) as T;
  if (value === null || typeof value !== "object") return value;
  const fields = Object.entries(value).map(([key, each]) => [
    key,
    NAMES.has(key) && typeof each === "string" ? shortName(each) : withShortNames(each),
  ]);
  return Object.fromEntries(fields) as T;
}
