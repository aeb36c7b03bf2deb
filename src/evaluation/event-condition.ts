/** Conditions on an event of an environment, in the words of assertions. */
import { type At, type Columns, compileWhere } from "~/evaluation/conditions";
import { SpecError } from "~/evaluation/mistakes";
import { matcher, type Row } from "~/evaluation/predicate";

/** The fields that conditions can name, as lists of events have them, with the types of their values. */
const COLUMNS: Columns = new Map([
  ["n", "integer"],
  ["service", "text"],
  ["cause", "json"],
  ["payload", "json"],
]);

/** `path`: where the conditions are in the request. Throws SpecError. */
export function compileEventCondition(where: unknown, path: string): (event: Row) => boolean {
  const patterns = { steps: 0 };
  const at: At = {
    ...{ assertion: undefined, columns: COLUMNS, table: "an event" },
    ...{ patterns, isNew: true },
  };
  const predicate = compileWhere(where, path, at);
  // Each is tested between other calls, on payloads that an agent chooses.
  if (patterns.steps > 0) throw new SpecError("conditions on events take no regex", path);
  return matcher(predicate);
}
