/** The language of assertions, from the shapes themselves. */
import { code, page, table } from "~/docs/reference/markdown";
import { CALL_FIELDS } from "~/evaluation/calls";
import { DELIVERY_FIELDS } from "~/evaluation/deliveries";
import { OPERATORS } from "~/evaluation/operators";
import { Assertion, DIFF_TYPES, Spec, WhereSchema } from "~/evaluation/spec";

type Properties = { [name: string]: { description?: string; default?: unknown } };

const fields = (properties: Properties, required: readonly string[] = []) =>
  Object.entries(properties).map(([name, { description = "", default: fallback }]) => [
    code(required.includes(name) ? name : `${name}?`),
    fallback === undefined ? description : `${description}. Omitted: ${code(String(fallback))}`,
  ]);

export function assertionsPage(): string {
  const { diff_type: _, ...others } = Assertion.properties;
  return page(
    "# Language of assertions",
    "A test's `expectedOutput`. Stored specs are checked against the tables and columns of their template; a wrong name gets the nearest right one as a suggestion. The same as a JSON Schema: `GET /api/platform/assertion-schema`. A `?` marks an optional field.",
    "## Spec",
    table(["Field", "Meaning"], fields(Spec.properties, Spec.required)),
    "## Assertion",
    "An assertion counts rows, calls, or deliveries of events. Its `diff_type` says which:",
    table(
      [code("diff_type"), "Counts"],
      Object.entries(DIFF_TYPES).map(([name, says]) => [code(name), says]),
    ),
    table(["Field", "Meaning"], fields(others, Assertion.required)),
    "## Calls",
    "With `called`, `where` names these fields of a call:",
    table(
      ["Field", "Value"],
      Object.entries(CALL_FIELDS).map(([name, { says }]) => [code(name), says]),
    ),
    "## Deliveries",
    "With `delivered`, `where` names these fields of a delivery. There is one for each event of the run and each app of the environment, as it was at the run's end:",
    table(
      ["Field", "Value"],
      Object.entries(DELIVERY_FIELDS).map(([name, { says }]) => [code(name), says]),
    ),
    "## Where",
    `${WhereSchema.description}. And:`,
    table(["Field", "Meaning"], fields(WhereSchema.properties)),
    "## Operators",
    "Of `where`, and of `from` and `to` in `expected_changes`:",
    table(
      ["Operator", "Holds for"],
      Object.entries(OPERATORS).map(([name, { says }]) => [code(name), says]),
    ),
  );
}
