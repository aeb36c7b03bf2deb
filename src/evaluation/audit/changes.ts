/** Mutants of what a solution changed: left out, in the wrong place, by somebody else, twice. */
import {
  type Mutant,
  type MutationInput,
  replaced,
  shown,
  shownKey,
} from "~/evaluation/audit/mutant";
import { type AuditRow, auditRow, keyText } from "~/evaluation/audit/rows";

/** Wrong places of one column, or wrong rows of one change. */
const ALTERNATIVES_MAX = 2;

/** Columns of a row that the solution has set: of a changed row, those that changed and are not computed. */
export function setColumns({ spec, keys }: MutationInput, row: AuditRow): string[] {
  const free = spec.free.get(row.table);
  const { change, table, changed } = row;
  if (change === "removed") return [];
  const columns = change === "added" ? Object.keys(row.after ?? {}) : changed;
  const isOwnKey = (column: string) => keys[table]?.length === 1 && keys[table]?.[0] === column;
  return columns.filter((column) => !free?.has(column) && !isOwnKey(column));
}

/** The row of a solution with other values. */
export const withValues = (row: AuditRow, values: object): AuditRow | undefined => {
  const made = auditRow(row.table, row.before, { ...row.after, ...values }, row.name);
  return made;
};

export function* droppedMutants(input: MutationInput): Generator<Mutant> {
  for (const row of input.subjects) {
    yield {
      class: "dropped",
      name: `dropped ${row.name}`,
      change: `the ${row.change} row ${row.name} is missing`,
      expected: "less",
      rows: replaced(input, row, undefined),
      of: { row },
    };
    const columns = row.change === "changed" ? setColumns(input, row) : [];
    if (columns.length < 2) continue;
    for (const column of columns)
      yield {
        class: "dropped",
        name: `dropped ${row.name}.${column}`,
        change: `${column} of ${row.name} keeps its old value`,
        expected: "less",
        rows: replaced(input, row, withValues(row, { [column]: row.before?.[column] ?? null })),
        of: { row, column },
      };
  }
}

/** Ids that name other rows: of the acting user, and of everything else. */
export function* placeMutants(input: MutationInput): Generator<Mutant> {
  const { templateRows, actor, created } = input;
  for (const row of input.subjects)
    for (const column of setColumns(input, row)) {
      const { table, after = {} } = row;
      const reference = templateRows.reference(table, after, column, created);
      if (!reference) continue;
      const isActor = actor !== null && after[column] === actor;
      const others = reference.others.filter((other) => other !== row.before?.[column]);
      for (const [index, other] of others.slice(0, ALTERNATIVES_MAX).entries()) {
        const made = withValues(row, { [column]: other });
        if (!made || isTaken(input, row, made)) continue;
        const kind = isActor ? "wrong_actor" : "misplaced";
        yield {
          class: kind,
          name: `${kind} ${row.name}.${column} ${index + 1}`,
          change: `${column} of ${row.name} is ${shown(other)}, another row of ${reference.table}`,
          expected: "less",
          rows: replaced(input, row, made),
          of: { row, column },
        };
      }
    }
}

/** A solution has another row of that key. */
function isTaken({ keys, taken }: MutationInput, row: AuditRow, made: AuditRow): boolean {
  const textOf = ({ before, after }: AuditRow) => keyText(keys, row.table, after ?? before ?? {});
  const text = textOf(made);
  return text !== textOf(row) && taken.get(row.table)?.has(text) === true;
}

/** The same change of another existing row. */
export function* rowMutants(input: MutationInput): Generator<Mutant> {
  const { templateRows, keys, taken } = input;
  for (const row of input.subjects) {
    const { table, before, after, changed } = row;
    if (!before) continue;
    const values = Object.fromEntries(changed.map((column) => [column, after?.[column] ?? null]));
    const isFree = (other: object) => !taken.get(table)?.has(keyText(keys, table, other as never));
    const others = templateRows.similar(table, before, isFree).flatMap((other) => {
      const made = auditRow(table, other, after && { ...other, ...values }, row.name);
      return made ? [{ other, made }] : [];
    });
    for (const [index, { other, made }] of others.slice(0, ALTERNATIVES_MAX).entries())
      yield {
        class: "other_row",
        name: `other_row ${row.name} ${index + 1}`,
        change: `${row.name} is the row ${shownKey(keys, table, other)} of ${table}`,
        expected: "less",
        rows: replaced(input, row, made),
        of: { row },
      };
  }
}

export function* doubledMutants(input: MutationInput): Generator<Mutant> {
  const { templateRows, taken, rows } = input;
  for (const row of input.subjects) {
    const { table, after } = row;
    if (row.change !== "added" || !after) continue;
    const again = templateRows.renewed(table, after, taken.get(table) ?? new Set());
    const made = again && auditRow(table, undefined, again);
    if (made)
      yield {
        class: "doubled",
        name: `doubled ${row.name}`,
        change: `${row.name} is added twice`,
        expected: "nothing",
        rows: [...rows, made],
        of: { row },
        foreign: made,
      };
  }
}
