/** Assertions and rows as sentences. */
import type { CompiledAllowance } from "~/evaluation/allowance";
import type { CompiledAssertion } from "~/evaluation/assertion";
import type { Seen } from "~/evaluation/findings";
import type { Condition } from "~/evaluation/said";
import { isOfTable } from "~/evaluation/spec";
import { sayConditions, sayExpected } from "~/evaluation/words/conditions";
import {
  columnWords,
  labelOf,
  list,
  plainName,
  sayValue,
  type Words,
} from "~/evaluation/words/values";
import { nounsOf, onOneLine } from "~/replicas/row-words";

const SENTENCE_MAX = 1_000;
const CHANGES_MAX = 4;
const PHRASES_MAX = 20;

function nouns({ tables }: Words, table: string): readonly [string, string] {
  const known = tables[table];
  const name = plainName(table);
  if (!known) return [`row of ${name}`, `rows of ${name}`];
  const { one, many } = nounsOf(table, known);
  return [one, many];
}

const ofAll = (one: string, many: string, name: string) =>
  name === "*" ? ([one, many] as const) : ([`${one} of ${name}`, `${many} of ${name}`] as const);

function nounsFor(words: Words, { diffType, entity }: CompiledAssertion) {
  if (diffType === "called") return ofAll("call", "calls", entity);
  if (diffType === "delivered") return ofAll("delivery", "deliveries", entity);
  return nouns(words, entity);
}

function quantity(min: number, max: number): { readonly words: string; readonly isOne: boolean } {
  if (max === 0) return { words: "No", isOne: true };
  if (min === max)
    return min === 1
      ? { words: "Exactly one", isOne: true }
      : { words: `Exactly ${min}`, isOne: false };
  if (max === Infinity)
    return min === 0
      ? { words: "Any number of", isOne: false }
      : { words: min === 1 ? "At least one" : `At least ${min}`, isOne: min === 1 };
  if (min === 0) return { words: max === 1 ? "At most one" : `At most ${max}`, isOne: max === 1 };
  return { words: `${min} to ${max}`, isOne: false };
}

const upper = (text: string) => text.slice(0, 1).toUpperCase() + text.slice(1);
const cut = (text: string) => onOneLine(text, SENTENCE_MAX);

const BY = { clock: "by the clock", counterpart: "by a counterpart" };

/** "Exactly one new message in #general, that says “Hello”". */
export function sayAssertion(words: Words, assertion: CompiledAssertion): string {
  const { diffType, entity, min, max, where, changes, actor } = assertion;
  const { words: count, isOne } = quantity(min, max);
  const named = nounsFor(words, assertion);
  const noun = `${diffType === "added" ? "new " : ""}${named[isOne ? 0 : 1]}`;
  const table = isOfTable(diffType) ? entity : "";
  const [first, ...more] = sayConditions(words, table, where);
  const shown = more.slice(0, PHRASES_MAX);
  const rest = more.length - shown.length;
  const about = [first === undefined ? noun : `${noun} ${first}`, ...shown];
  if (rest > 0) about.push(`and ${rest} more conditions`);
  const ending = {
    added: "",
    removed: "deleted",
    changed: changes === undefined ? "changed" : `changed: ${sayChanges(words, entity, changes)}`,
    unchanged: "left as before",
    called: "",
    delivered: "",
  }[diffType];
  if (ending !== "") about.push(ending);
  if (actor) about.push(BY[actor]);
  return cut(upper(`${count} ${about.join(", ")}`));
}

type Rule = {
  readonly path: string;
  readonly from: readonly Condition[];
  readonly to: readonly Condition[];
};

function sayChanges(words: Words, table: string, rules: readonly Rule[]): string {
  return list(
    rules.map(
      ({ path, from, to }) => `${labelOf(words, table, path)}${ends(words, table, from, to)}`,
    ),
    "and",
  );
}

/** " from “a” to “b”". */
function ends(
  words: Words,
  table: string,
  from: readonly Condition[],
  to: readonly Condition[],
): string {
  const side = (conditions: readonly Condition[]) =>
    conditions.map((condition) => sayExpected(words, table, condition)).join(" and ");
  return [
    from.length > 0 ? ` from ${side(from)}` : "",
    to.length > 0 ? ` to ${side(to)}` : "",
  ].join("");
}

/** The expected change of a column. */
export const sayRule = (words: Words, table: string, { from, to }: Omit<Rule, "path">) =>
  ends(words, table, from, to).trim() || "any change";

/** "“a” → “b”". */
export function sayMove(
  words: Words,
  { table, row }: Pick<Seen, "table" | "row">,
  path: string,
  [old, now]: readonly [unknown, unknown],
) {
  const column = columnWords(words, table, path);
  return `${sayValue(words, column, old, row)} → ${sayValue(words, column, now, row)}`;
}

/** A row of a run: "message in #general: “Hello”", "issue ENG-1 “Fix it”: state “Todo” → “Done”". */
export function saySeen(words: Words, { table, change, row, before, changed, key }: Seen): string {
  if (change === "called") return cut(`call ${row["n"]}: ${row["name"]}`);
  if (change === "delivered")
    return cut(`event ${row["n"]}, ${row["type"]}, for ${row["app"]}: ${row["state"]}`);
  const [one] = nouns(words, table);
  const known = words.tables[table];
  const about = known?.tells ?? known?.name;
  const told = about?.(before ?? row, words.say) ?? sayKey(words, table, key);
  const noun = change === "removed" ? `deleted ${one}` : one;
  if (change !== "changed") return cut(`${noun} ${told}`);
  const moves = changed
    .slice(0, CHANGES_MAX)
    .map(
      (column) =>
        `${labelOf(words, table, column)} ${sayMove(words, { table, row }, column, [before?.[column], row[column]])}`,
    );
  const more = changed.length > moves.length ? `, and ${changed.length - moves.length} more` : "";
  return cut(`${noun} ${told}, changed: ${moves.join(", ")}${more}`);
}

const sayKey = (words: Words, table: string, key: Seen["key"]) =>
  Object.entries(key)
    .map(([column, value]) => sayValue(words, columnWords(words, table, column), value, key))
    .join(", ");

/** "none found", "2 found". */
export const sayCount = (count: number) => (count === 0 ? "none found" : `${count} found`);

/** "membership of Ann in #general may change in its last read". */
export function sayAllowance(
  words: Words,
  { entity, changes, where, named }: CompiledAllowance,
): string {
  const [, many] = nouns(words, entity);
  const about = [many, ...sayConditions(words, entity, where)].join(" ");
  const verbs = { added: "be added", removed: "be deleted", changed: "change" };
  const may = list(
    changes.map((change) => verbs[change]),
    "or",
  );
  const inside = named
    ? ` in their ${list(
        named.map((each) => labelOf(words, entity, each)),
        "and",
      )}`
    : "";
  return cut(upper(`${about} may ${may}${inside}`));
}
