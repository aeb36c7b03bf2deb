/** Helpers for the mutations of every entity. */
import type { Context } from "~/replicas/tracker/context";
import { newId, requireUuid } from "~/replicas/tracker/ids";
import { requireRow } from "~/replicas/tracker/require";
import type { Changes, Entity, NewValues, Row } from "~/replicas/tracker/store/entities";
import { deleteRows, insertRow, updateRow } from "~/replicas/tracker/store/write";

/** Arguments of a mutation on a row. */
export type Target = { readonly id: string };
/** Arguments of a mutation with an input. */
export type Given<Input> = { readonly input: Input };
/** An optional, nullable field of an input. */
export type Optional<T> = T | null | undefined;

/** Applies the function unless the value is null or undefined. */
export function ifGiven<T, R>(value: Optional<T>, then: (value: T) => R): Optional<R> {
  if (value === null) return null;
  return value === undefined ? undefined : then(value);
}

/** Former identifiers that still lead to a row. */
const FORMER_IDENTIFIERS_MAX = 100;

/** The former identifiers of a row that gets a new one. */
export const formerIdentifiers = (row: {
  readonly identifier: string;
  readonly previousIdentifiers: readonly string[];
}): readonly string[] =>
  [...row.previousIdentifiers, row.identifier].slice(-FORMER_IDENTIFIERS_MAX);

/** Id and timestamps of a new row; the id can be the caller's. */
export const newRow = (
  { now, session }: Pick<Context, "now" | "session">,
  id?: Optional<string>,
) => ({
  id: id === null || id === undefined ? newId(session) : requireUuid("id", id),
  createdAt: now,
  updatedAt: now,
});

/** Inserts a row. `values.id` can be the caller's. */
export const createRow = <E extends Entity>(
  context: Pick<Context, "now" | "session">,
  type: E,
  values: NewValues<E>,
): Promise<Row<E>> => {
  const { id, createdAt }: { id?: Optional<string>; createdAt?: unknown } = values;
  return insertRow(context.session, type, {
    ...values,
    ...newRow(context, id),
    ...(createdAt instanceof Date && { createdAt }),
  });
};

/** Writes the values that differ. `undefined` leaves a column unchanged. */
export const changeRow = <E extends Entity>(
  { session, now }: Pick<Context, "now" | "session">,
  type: E,
  row: Row<E>,
  changes: Changes<E>,
): Promise<Row<E>> => updateRow(session, type, row, changes, now);

export const archiveRow = <E extends Entity>(
  context: Context,
  type: E,
  row: Row<E>,
): Promise<Row<E>> => changeArchive(context, type, row, row["archivedAt"] ?? context.now);

export const restoreRow = <E extends Entity>(
  context: Context,
  type: E,
  row: Row<E>,
): Promise<Row<E>> => changeArchive(context, type, row, null);

const changeArchive = <E extends Entity>(
  context: Context,
  type: E,
  row: Row<E>,
  archivedAt: unknown,
) =>
  // Every entity has the column.
  changeRow(context, type, row, { archivedAt } as Changes<E>);

/** Deletes a row and returns the payload of a deletion. */
export async function removeRow(
  context: Context,
  type: Entity,
  id: string,
): Promise<{ readonly entityId: string }> {
  const row = await requireRow(context, type, id);
  await deleteRows(context.session, type, [row.id]);
  return { entityId: row.id };
}
