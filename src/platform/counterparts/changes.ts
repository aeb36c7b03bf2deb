/** The changes and calls that may set off rules, as assertions see them. */
import type { Change, Image } from "~/capture/change";
import { createFold, type Diff, type JsonObject } from "~/capture/fold";
import { readRecord } from "~/db/record-text";
import { gather, type Rows } from "~/evaluation/candidates";
import type { Happening } from "~/evaluation/trigger";
import type { Vocabulary } from "~/evaluation/vocabulary";
import type { NotedRow } from "~/platform/counterparts/store";

/** The net changes of a transaction that one actor has made at one time, or a call. */
type Step = Pick<NotedRow, "actor" | "changedAt"> & {
  readonly happening: Happening;
  /** Of a call: the newest action that was pending when it began. */
  readonly newest?: string | null | undefined;
};

/** The net changes of each transaction, and calls, in the order of the first change. */
export function* changesOf(
  tables: Vocabulary["tables"],
  noted: readonly NotedRow[],
): Generator<Step> {
  const stepOf = ({ transaction, actor, changedAt }: NotedRow) =>
    [transaction, actor, changedAt].join(" ");
  for (const rows of Map.groupBy(noted, stepOf).values()) {
    const { actor = null, changedAt = null, call } = rows[0] ?? {};
    if (call) yield { actor, changedAt, happening: { call }, newest: call.newest };
    else yield { actor, changedAt, happening: { rows: netOf(tables, rows) } };
  }
}

function netOf(tables: Vocabulary["tables"], rows: readonly NotedRow[]): Rows {
  const fold = createFold(Object.fromEntries(tables.map(({ name, key = [] }) => [name, key])));
  for (const { name, columns } of tables) {
    const shape = fold.table(name);
    shape?.columns.push(...columns.map((column) => column.name));
    shape?.types.push(...columns.map(({ type }) => type));
  }
  for (const { tableName, before, after } of rows) {
    const table = fold.table(tableName ?? "");
    const change = table && changeOf(table, imageOf(before), imageOf(after));
    if (change) fold.apply(change);
  }
  const diff: Diff = { inserts: [], updates: [], deletes: [] };
  const unchangedColumns: JsonObject[] = [];
  fold.drain(diff, { unchangedColumns, revertedRows: NOWHERE, transientRows: NOWHERE });
  return gather(diff, unchangedColumns);
}

const NOWHERE = { push: () => undefined };

const imageOf = (record: string | null): Image | undefined =>
  record === null ? undefined : readRecord(record);

function changeOf(
  table: Change["table"],
  before: Image | undefined,
  after: Image | undefined,
): Change | undefined {
  if (before && after) return { op: "update", table, before, after };
  if (after) return { op: "insert", table, after };
  return before && { op: "delete", table, before };
}
