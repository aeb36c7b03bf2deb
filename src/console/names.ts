/** Names of things that have ids. */

/** Names by id. */
export type Names = ReadonlyMap<string, string>;

/** Names that others gave: in a template they may have any length. */
const NAME_MAX = 200;

/** The beginning of a long name. */
export const shortName = (name: string) =>
  name.length > NAME_MAX ? `${name.slice(0, NAME_MAX)}…` : name;
