/** Earlier ids in arguments become the present ones. */
import type { Aliases } from "~/input/aliases";

/** Names of arguments, and of fields within them, that hold ids. All others hold texts, which stay as they are. */
const HOLDS_IDS =
  /(?:^|_)(?:app|bot|canvas|channel|conversation|entity|file|slack|team|user|usergroup)s?(?:_ids?)?$|^created_by$|(?:^|_)ts$|^(?:timestamp|latest|oldest)$/;
/** In a query: what a modifier or a mention names. */
const NAMED_IN_QUERY = /(?<=[<:][@#]?)[A-Z][A-Z0-9]+(?![A-Za-z0-9])/g;

/** The arguments of a call. */
export const presentIds = <T extends object>(args: T, aliases: Aliases): T =>
  aliases.size === 0 ? args : (inFields(args, aliases) as T);

const inFields = (fields: object, aliases: Aliases): object =>
  Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, inField(name, value, aliases)]),
  );

function inField(name: string, value: unknown, aliases: Aliases): unknown {
  if (typeof value === "string") return inText(name, value, aliases);
  if (Array.isArray(value)) return value.map((item) => inField(name, item, aliases));
  if (typeof value !== "object" || value === null || value instanceof Uint8Array) return value;
  return inFields(value, aliases);
}

function inText(name: string, text: string, aliases: Aliases): string {
  if (name === "query") return text.replace(NAMED_IN_QUERY, (named) => aliases.get(named) ?? named);
  const present = aliases.get(text);
  return present !== undefined && HOLDS_IDS.test(name) ? present : text;
}
