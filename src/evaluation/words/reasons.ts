/** A verdict in words: each assertion, the rows that decided it, and the changes that nobody asked for. */
import type { CompiledSpec } from "~/evaluation/compile";
import { type Compared, type Findings, isUnmet, type Seen } from "~/evaluation/findings";
import { isOfTable } from "~/evaluation/spec";
import { sayExpected, together } from "~/evaluation/words/conditions";
import {
  sayAllowance,
  sayAssertion,
  sayCount,
  sayMove,
  sayRule,
  saySeen,
} from "~/evaluation/words/sentences";
import { type Beside, columnWords, labelOf, sayValue, type Words } from "~/evaluation/words/values";
import { onOneLine } from "~/replicas/row-words";

const FIELDS_MAX = 12;
const DESCRIPTION_MAX = 500;
const ALLOWED_MAX = 50;

const NOTHING_ELSE = "Nothing else changes";

/** A condition on a row, and what the row has. */
type Field = {
  readonly label: string;
  readonly expected: string;
  readonly actual: string;
  readonly holds: boolean;
};

/** `descriptions`: of the assertions, where the spec has them. */
export function sayReasons(
  words: Words,
  spec: CompiledSpec,
  descriptions: readonly (string | undefined)[],
  findings: Findings | undefined,
) {
  return {
    assertions: spec.assertions.map((assertion, index) => {
      const found = findings?.assertions[index];
      const description = descriptions[index];
      return {
        assertion: index + 1,
        expected: sayAssertion(words, assertion),
        description: description === undefined ? null : onOneLine(description, DESCRIPTION_MAX),
        harm: assertion.isHarm,
        holds: found?.holds ?? null,
        found: found ? sayCount(found.count) : null,
        rows: (found?.counted ?? []).map((row) => sayRow(words, row)),
        nearest: (found?.nearest ?? []).map(({ compared, ...row }) => ({
          ...sayRow(words, row),
          fields: fieldsOf(words, row, compared),
        })),
      };
    }),
    closedWorld: spec.closedWorld
      ? { expected: NOTHING_ELSE, holds: findings?.isClosed ?? null }
      : null,
    allowed: spec.allowed.slice(0, ALLOWED_MAX).map((each) => sayAllowance(words, each)),
    unsafe: {
      count: findings?.unsafeCount ?? 0,
      rows: (findings?.unsafe ?? []).map((row) => sayRow(words, row)),
    },
  };
}

function sayRow(words: Words, seen: Seen) {
  const { table, change, key, row, event } = seen;
  return {
    words: saySeen(words, seen),
    table,
    change,
    key,
    event,
    call: change === "called" && typeof row["n"] === "number" ? row["n"] : null,
    place: placeOf(words, seen),
  };
}

function placeOf(words: Words, { table, change, row }: Seen) {
  const place = isOfTable(change) ? words.tables[table]?.place?.(row) : undefined;
  if (typeof place?.id !== "string" || place.id === "") return null;
  return { table: place.table, id: place.id, name: words.say(place.table, place.id) };
}

/** Those that are not met come first. One that is met and not worth a word is left out. */
function fieldsOf(words: Words, row: Seen, compared: readonly Compared[]): Field[] {
  const shown = compared.filter(
    (each) =>
      isUnmet(each) ||
      each.kind !== "is" ||
      each.of.kind !== "leaf" ||
      columnWords(words, row.table, each.of.leaf.path).none !== "",
  );
  const ordered = [...shown.filter(isUnmet), ...shown.filter((each) => !isUnmet(each))];
  const expected = compared.map((each) => {
    const leaf = each.kind === "is" && each.of.kind === "leaf" ? each.of.leaf : undefined;
    return leaf?.operator === "eq" ? { [leaf.path]: leaf.operand } : {};
  });
  const beside: Beside = Object.assign({}, ...expected);
  return ordered.slice(0, FIELDS_MAX).map((each) => fieldOf(words, row, each, beside));
}

function fieldOf(words: Words, row: Seen, compared: Compared, beside: Beside): Field {
  const { table } = row;
  if (compared.kind === "is") {
    const { of, actual, holds } = compared;
    const path = pathOf(of);
    const value = sayValue(words, columnWords(words, table, path), actual, row.row);
    const label = labelOf(words, table, path);
    if (of.kind !== "leaf")
      return { label, expected: together(words, table, of), actual: value, holds };
    return { label, expected: sayExpected(words, table, of.leaf, beside), actual: value, holds };
  }
  const { path, old, now } = compared;
  const hasMoved = JSON.stringify(old) !== JSON.stringify(now);
  const actual = hasMoved ? sayMove(words, row, path, [old, now]) : "no change";
  const label = labelOf(words, table, path);
  if (compared.kind === "extra") return { label, expected: "no change", actual, holds: false };
  return { label, expected: sayRule(words, table, compared), actual, holds: compared.holds };
}

/** The first path of a condition. */
function pathOf(of: Extract<Compared, { kind: "is" }>["of"]): string {
  if (of.kind === "leaf") return of.leaf.path;
  const [first] = [of.of].flat();
  return first ? pathOf(first) : "";
}
