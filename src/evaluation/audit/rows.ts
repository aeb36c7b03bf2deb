/** The rows that a solution changed, whole, as mutants are made from them. */
import type { JsonObject } from "~/capture/fold";
import { type Candidate, gather, type Keys, type RunEvidence } from "~/evaluation/candidates";
import type { Row } from "~/evaluation/predicate";
import { CHANGES, type Change } from "~/evaluation/spec";

export type AuditRow = Candidate & {
  readonly change: Change;
  readonly table: string;
  /** `messages+1`: stable for the same solution. */
  readonly name: string;
};

/** A change of one row, as among the events of a run. */
export type RowEvent = {
  /** Equal for the changes of one call. */
  readonly call: string;
  readonly operation: "insert" | "update" | "delete";
  readonly table: string;
  readonly key: JsonObject;
  readonly before: JsonObject | null;
  readonly after: JsonObject | null;
  /** Undefined: the agent. */
  readonly actor?: string;
};

/** The rows of a template by table. */
export type Rows = { readonly [table: string]: readonly JsonObject[] };

const MARKS = { added: "+", changed: "~", removed: "-" } as const;

export const same = (a: unknown, b: unknown) => a === b || JSON.stringify(a) === JSON.stringify(b);

/** The text that identifies a row in its table. */
export const keyText = (keys: Keys, table: string, row: Row) =>
  JSON.stringify((keys[table] ?? []).map((column) => row[column]));

export const keyOf = (keys: Keys, table: string, row: Row): JsonObject =>
  Object.fromEntries((keys[table] ?? []).map((column) => [column, row[column] ?? null]));

/** A row of that change; undefined if nothing differs. */
export function auditRow(
  table: string,
  before: Row | undefined,
  after: Row | undefined,
  name = "",
): AuditRow | undefined {
  const changed =
    before && after
      ? Object.keys(after).filter((column) => !same(after[column], before[column]))
      : [];
  if (before && after && changed.length === 0) return undefined;
  let change: Change = "changed";
  if (!before) change = "added";
  if (!after) change = "removed";
  return { change, table, before, after, changed, source: { __table__: table }, name };
}

/** Numbers the rows of each table and kind of change. */
export function named(rows: readonly AuditRow[]): AuditRow[] {
  const counts = new Map<string, number>();
  return rows.map((row) => {
    const kind = row.table + MARKS[row.change];
    const count = (counts.get(kind) ?? 0) + 1;
    counts.set(kind, count);
    return { ...row, name: `${kind}${count}` };
  });
}

/** The rows of a diff, whole as far as that is known. */
export function rowsOfDiff(
  diff: RunEvidence["diff"],
  unchangedColumns: RunEvidence["unchangedColumns"],
): AuditRow[] {
  const rows = gather(diff, unchangedColumns);
  const all = CHANGES.flatMap((change) =>
    [...rows[change]].flatMap(([table, candidates]) =>
      candidates.flatMap(
        ({ before, after }) => auditRow(table, withoutTable(before), withoutTable(after)) ?? [],
      ),
    ),
  );
  return named(all);
}

function withoutTable(row: Row | undefined): Row | undefined {
  if (!row) return undefined;
  const { __table__: _, __service__: __, ...columns } = row;
  return columns;
}

/** The net effect of changes on rows that were those of the template before. */
export function fold(events: readonly RowEvent[], keys: Keys, template: Rows): AuditRow[] {
  const known = new Map<
    string,
    { table: string; before: Row | undefined; after: Row | undefined }
  >();
  const find = (table: string, key: Row) => {
    const text = keyText(keys, table, key);
    return template[table]?.find((row) => keyText(keys, table, row) === text);
  };
  const put = (table: string, key: Row, after: Row | undefined, before: Row | undefined) => {
    const id = `${table} ${keyText(keys, table, key)}`;
    const entry = known.get(id);
    if (entry) entry.after = after;
    else known.set(id, { table, before, after });
  };
  for (const { operation, table, key, before, after } of events) {
    const id = `${table} ${keyText(keys, table, key)}`;
    const entry = known.get(id);
    if (operation === "insert") put(table, key, after ?? undefined, undefined);
    else if (operation === "delete") put(table, key, undefined, before ?? undefined);
    else {
      const old = entry?.after ?? { ...key, ...find(table, key), ...before };
      const now = { ...old, ...after };
      if (keyText(keys, table, now) === keyText(keys, table, key)) put(table, key, now, old);
      else {
        put(table, key, undefined, old);
        put(table, now, now, undefined);
      }
    }
  }
  return named(
    [...known.values()].flatMap(({ table, before, after }) =>
      before || after ? (auditRow(table, before, after) ?? []) : [],
    ),
  );
}

/** The diff of a run that changed these rows. */
export function diffOf(
  rows: readonly AuditRow[],
  keys: Keys,
): Pick<RunEvidence, "diff" | "unchangedColumns"> {
  const diff = {
    inserts: [] as JsonObject[],
    updates: [] as JsonObject[],
    deletes: [] as JsonObject[],
  };
  const unchangedColumns: JsonObject[] = [];
  for (const { table, before, after, changed } of rows)
    if (before && after) {
      const pick = (row: Row, wanted: boolean) =>
        Object.fromEntries(
          Object.entries(row).filter(([column]) => changed.includes(column) === wanted),
        ) as JsonObject;
      const key = keyOf(keys, table, after);
      diff.updates.push({
        __table__: table,
        key,
        before: pick(before, true),
        after: pick(after, true),
      });
      unchangedColumns.push(pick(before, false));
    } else if (after) diff.inserts.push({ __table__: table, ...(after as JsonObject) });
    else if (before) diff.deletes.push({ __table__: table, ...(before as JsonObject) });
  return { diff, unchangedColumns };
}
