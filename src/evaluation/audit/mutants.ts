/** All mutants of a solution. */
import {
  doubledMutants,
  droppedMutants,
  placeMutants,
  rowMutants,
} from "~/evaluation/audit/changes";
import { claimsOn, isLeftToAgent, isNamedHarm } from "~/evaluation/audit/claims";
import { foreignMutants } from "~/evaluation/audit/foreign";
import type { Mutant, MutationInput } from "~/evaluation/audit/mutant";
import { type AuditRow, keyText, same } from "~/evaluation/audit/rows";
import type { TemplateRows } from "~/evaluation/audit/template-rows";
import { columnMutants, textMutants } from "~/evaluation/audit/texts";
import type { CompiledSpec } from "~/evaluation/compile";

/** Rows of a solution that mutants are made of: those of a task that is far too large are alike. */
const SUBJECTS_MAX = 50;

/** `rows`: of the solution; none if it is not known. */
export function mutationInputOf(
  given: Pick<MutationInput, "spec" | "keys" | "templateRows" | "actor">,
  rows: readonly AuditRow[],
): MutationInput {
  const { spec, keys } = given;
  const taken = new Map<string, Set<string>>();
  for (const { table, before, after } of rows) {
    const own = taken.get(table) ?? new Set();
    taken.set(table, own.add(keyText(keys, table, after ?? before ?? {})));
  }
  const created = rows.flatMap((row) => {
    const [column, second] = keys[row.table] ?? [];
    const isNamed = row.change === "added" && column !== undefined && second === undefined;
    return isNamed && row.after ? [[row.after[column], { ...row, row: row.after }] as const] : [];
  });
  return {
    ...given,
    rows,
    subjects: rows.filter((row) => !isLeftToAgent(spec, row)).slice(0, SUBJECTS_MAX),
    taken,
    created: new Map(created),
  };
}

/** `known`: false if no solution is; then only what needs none. */
export function* mutantsOf(
  input: MutationInput,
  known: { readonly half: readonly AuditRow[] | null } | null,
  templateRows: TemplateRows,
): Generator<Mutant> {
  const { spec, rows, subjects } = input;
  const says = { class: "empty", name: "empty", change: "nothing has changed" } as const;
  if (!spec.expectsNothing) yield { ...says, expected: "nothing", rows: [] };
  yield* foreignMutants(
    input,
    (row) => isLeftToAgent(spec, row),
    (row) => isNamedHarm(spec, row),
  );
  if (!known) return;
  yield* droppedMutants(input);
  yield* halfMutants(input, known.half);
  yield* placeMutants(input);
  yield* rowMutants(input);
  yield* doubledMutants(input);
  yield* textMutants(input);
  yield* columnMutants(input, (row) => ignoredIn(spec, row));
  if (
    templateRows.tables().some((table) => templateRows.rowsOf(table).length > 0) &&
    subjects.length > 0
  )
    yield {
      class: "undone",
      name: "undone",
      change: "a row is written and restored, and another added and removed again",
      expected: "same",
      rows,
    };
}

function* halfMutants(
  { spec, keys, subjects }: MutationInput,
  half: readonly AuditRow[] | null,
): Generator<Mutant> {
  if (!half) return;
  const textOf = ({ table, before, after }: AuditRow) =>
    `${table} ${keyText(keys, table, after ?? before ?? {})}`;
  const made = new Map(half.map((row) => [textOf(row), row]));
  const isWhole = subjects.every((row) => {
    const early = made.get(textOf(row));
    const free = spec.free.get(row.table);
    const columns = Object.keys(row.after ?? {}).filter((column) => !free?.has(column));
    return early && columns.every((column) => same(early.after?.[column], row.after?.[column]));
  });
  if (isWhole) return;
  const change = "only the first half of the calls was made";
  yield { class: "half", name: "half", change, expected: "less", rows: half, isHalf: true };
}

/** Columns that the assertions on a row ignore. */
const ignoredIn = (spec: CompiledSpec, row: AuditRow): ReadonlySet<string> =>
  new Set(claimsOn(spec, row).flatMap(({ assertion }) => [...assertion.free]));
