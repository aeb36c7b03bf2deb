/** How events look at the rows of the workspace: as they were after a change. */
import { requireModel } from "~/graphql/model";
import type { EventRow } from "~/replicas/events";
import type { Wire } from "~/replicas/tracker/events/change";
import type { Workspace } from "~/replicas/tracker/store/events";
import { MODELS } from "~/replicas/tracker/store/models/index";
import type { TableName } from "~/replicas/tracker/store/tables";

export type View = {
  readonly workspace: Workspace;
  readonly row: (entity: string, id: unknown) => EventRow | undefined;
  /** The rows of a table with this id in a column. */
  readonly list: (table: TableName, column: string, id: unknown) => readonly EventRow[];
  /** Values of an entity that are not stored. */
  readonly values: (id: unknown) => EventRow;
};

/** Rows that belong to an entity: those with its id, or another value of it, in a column. */
export type List = {
  readonly table: TableName;
  readonly column: string;
  /** Of a record. */
  readonly type?: string;
  /** The value, if it is not the id. */
  readonly key?: string;
  /** The newest comments, if not all. */
  readonly part?: "newest";
};

/** The part of an entity that an event shows. */
export type Shape = {
  /** Columns, shown unless they are null. */
  readonly columns: readonly string[];
  /** Related rows, shown as children. */
  readonly ones?: readonly string[];
  /** Related rows that the rest of the event needs. */
  readonly reads?: readonly string[];
  readonly lists?: readonly List[];
  /** Values that are not stored. */
  readonly values?: readonly string[];
  readonly more?: (row: EventRow, view: View) => Wire;
};

export function relationOf(entity: string, field: string) {
  const relation = requireModel(MODELS, entity).one.get(field);
  if (!relation) throw new Error(`${entity} has no ${field}`);
  return relation;
}

/** A related row. */
export function related(entity: string, row: EventRow, field: string, view: View) {
  const { to, key } = relationOf(entity, field);
  return row[key] == null ? undefined : view.row(to, row[key]);
}
