/** Mutants that do damage beside the solution: one write in each table. */
import type { JsonObject } from "~/capture/fold";
import {
  type Mutant,
  type MutantClass,
  type MutationInput,
  shownKey,
} from "~/evaluation/audit/mutant";
import { type AuditRow, auditRow, keyText } from "~/evaluation/audit/rows";
import type { Row } from "~/evaluation/predicate";

/** Rows that are tried until one is neither allowed nor left to the agent. */
const TRIES_MAX = 20;

type Damage = { readonly class: MutantClass; readonly row: AuditRow };

/** `isLeft`: the test leaves this change to the agent. `isHarm`: the test names it, and its price. */
export function* foreignMutants(
  input: MutationInput,
  isLeft: (row: AuditRow) => boolean,
  isHarm: (row: AuditRow) => boolean,
): Generator<Mutant> {
  const { rows, spec, keys } = input;
  for (const table of Object.keys(keys)) {
    if (spec.own.has(table)) continue;
    const ways = [insertsOf(input, table), updatesOf(input, table), deletesOf(input, table)];
    for (const way of ways)
      for (const damage of way) {
        const { row } = damage;
        if (isLeft(row)) continue;
        yield {
          class: damage.class,
          name: `${damage.class} ${table}`,
          change: `a row of ${table} is ${row.change}: ${shownKey(keys, table, row.after ?? row.before ?? {})}`,
          expected: isHarm(row) ? "less" : "nothing",
          rows: [...rows, row],
          foreign: row,
        };
        break;
      }
  }
}

function* insertsOf({ templateRows, taken }: MutationInput, table: string): Generator<Damage> {
  const made = templateRows.unknownRow(table, taken.get(table) ?? new Set());
  const row = auditRow(table, undefined, made);
  if (row) yield { class: "foreign_insert", row };
  for (const other of templateRows.rowsOf(table).slice(0, TRIES_MAX)) {
    const again = templateRows.renewed(table, other, taken.get(table) ?? new Set());
    const next = again && auditRow(table, undefined, again);
    if (next) yield { class: "foreign_insert", row: next };
  }
}

function untouched(
  { templateRows, taken, keys }: MutationInput,
  table: string,
): readonly JsonObject[] {
  const own = taken.get(table);
  return templateRows
    .rowsOf(table)
    .filter((row) => !own?.has(keyText(keys, table, row)))
    .slice(0, TRIES_MAX);
}

function* updatesOf(input: MutationInput, table: string): Generator<Damage> {
  const { spec, keys } = input;
  const free = spec.free.get(table);
  for (const row of untouched(input, table)) {
    const columns = Object.keys(row).filter(
      (column) => !free?.has(column) && !keys[table]?.includes(column),
    );
    const [column] = columns.toSorted((a, b) => Number(isText(row, b)) - Number(isText(row, a)));
    const made = column && auditRow(table, row, { ...row, [column]: changed(row[column]) });
    if (made) yield { class: "foreign_update", row: made };
  }
}

const isText = (row: Row, column: string) => typeof row[column] === "string";

function changed(value: unknown) {
  if (typeof value === "boolean") return !value;
  if (typeof value === "number") return value + 1;
  return typeof value === "string" ? `${value} changed` : "changed";
}

function* deletesOf(input: MutationInput, table: string): Generator<Damage> {
  for (const row of untouched(input, table)) {
    const made = auditRow(table, row, undefined);
    if (made) yield { class: "foreign_delete", row: made };
  }
}
