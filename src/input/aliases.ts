/** Earlier ids of the rows of a template, which calls, seeds and assertions may still use. */

/** From an earlier id to the present one. */
export type Aliases = ReadonlyMap<string, string>;

export const NO_ALIASES: Aliases = new Map();

/** The form of an alias: letters and digits, or a timestamp, which mean themselves in JSON. */
export const ALIAS = "^([A-Za-z0-9]{1,32}|[0-9]{10}\\.[0-9]{6})$";
export const ALIASES_MAX = 1_000;

const patterns = new WeakMap<Aliases, RegExp>();

function patternOf(aliases: Aliases): RegExp {
  const known = patterns.get(aliases);
  if (known) return known;
  const earlier = [...aliases.keys()].map(RegExp.escape).join("|");
  const pattern = new RegExp(`(?<![A-Z0-9])(?:${earlier})(?![A-Z0-9])`, "g");
  patterns.set(aliases, pattern);
  return pattern;
}

/** Replaces earlier ids that stand alone in a text, such as JSON. */
export const withoutAliases = (text: string, aliases: Aliases): string =>
  aliases.size === 0
    ? text
    : text.replace(patternOf(aliases), (earlier) => aliases.get(earlier) ?? earlier);

/** The same in the strings of a JSON value. */
export const valueWithoutAliases = <T>(value: T, aliases: Aliases): T =>
  aliases.size === 0 ? value : JSON.parse(withoutAliases(JSON.stringify(value), aliases));
