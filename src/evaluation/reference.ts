/** The assertion language as Markdown, for the README: written from the shapes themselves. */
import { OPERATORS } from "~/evaluation/operators";
import { Assertion, DIFF_TYPES, Spec } from "~/evaluation/spec";

const table = (heads: readonly string[], rows: readonly (readonly string[])[]) =>
  [heads, heads.map(() => "---"), ...rows]
    .map((cells) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`)
    .join("\n");

const code = (text: string) => `\`${text}\``;

type Properties = { [name: string]: { description?: string; default?: unknown } };

const fields = (properties: Properties, required: readonly string[] = []) =>
  Object.entries(properties).map(([name, { description = "", default: fallback }]) => [
    code(name) + (required.includes(name) ? "" : "?"),
    fallback === undefined ? description : `${description}. Omitted: ${code(String(fallback))}`,
  ]);

export function assertionReference(): string {
  const { assertions: _, ...rest } = Spec.properties;
  const { diff_type: __, ...others } = Assertion.properties;
  return [
    "An `expectedOutput` has a list of `assertions`, and:",
    table(["Field", "Meaning"], fields(rest)),
    "An assertion counts rows:",
    table(
      ["`diff_type`", "Counts"],
      Object.entries(DIFF_TYPES).map(([name, says]) => [code(name), says]),
    ),
    table(["Field", "Meaning"], fields(others, Assertion.required)),
    "The operators of `where`, and of `from` and `to` in `expected_changes`:",
    table(
      ["Operator", "Holds of a value that"],
      Object.entries(OPERATORS).map(([name, { says }]) => [code(name), says]),
    ),
  ].join("\n\n");
}
