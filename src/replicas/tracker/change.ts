/** What the mutations of every entity are made of. */
import type { RowObject } from "~/graphql/page";
import type { Context } from "~/replicas/tracker/context";
import { newId, requireUuid } from "~/replicas/tracker/ids";
import { requireRow } from "~/replicas/tracker/require";
import { deleteRows, insertRow, updateRow, type Values } from "~/replicas/tracker/store/write";

/** Arguments of a mutation that names a row. */
export type Target = { readonly id: string };
/** Arguments of a mutation with an input. */
export type Given<Input> = { readonly input: Input };
/** A field of an input: it may be left out, and be null. */
export type Optional<T> = T | null | undefined;

/** Identifiers that a row is still found by beside its present one. */
const FORMER_IDENTIFIERS_MAX = 100;

/** The former identifiers of a row that gets another one. */
export const formerIdentifiers = (row: RowObject): readonly unknown[] =>
  [...(row["previousIdentifiers"] as readonly string[]), row["identifier"]].slice(
    -FORMER_IDENTIFIERS_MAX,
  );

/** Id and times of a row that this request creates; its id may be the caller's. */
export const newRow = ({ now }: Context, id?: Optional<string>) => ({
  id: id === null || id === undefined ? newId() : requireUuid("id", id),
  createdAt: now,
  updatedAt: now,
});

/** Inserts a row. `values.id` may be the caller's. */
export const createRow = (context: Context, type: string, values: Values): Promise<RowObject> =>
  insertRow(context.session, type, {
    ...values,
    ...newRow(context, values["id"] as Optional<string>),
    ...(values["createdAt"] instanceof Date && { createdAt: values["createdAt"] }),
  });

/** Writes what differs. What is undefined stays as it is. */
export const changeRow = (
  { session, now }: Context,
  type: string,
  row: RowObject,
  changes: Values,
): Promise<RowObject> => updateRow(session, type, row, changes, now);

export const archiveRow = (context: Context, type: string, row: RowObject): Promise<RowObject> =>
  changeRow(context, type, row, { archivedAt: row["archivedAt"] ?? context.now });

export const restoreRow = (context: Context, type: string, row: RowObject): Promise<RowObject> =>
  changeRow(context, type, row, { archivedAt: null });

/** Removes a row, and answers as a deletion does. */
export async function removeRow(
  context: Context,
  type: string,
  id: string,
): Promise<{ readonly entityId: string }> {
  const row = await requireRow(context, type, id);
  await deleteRows(context.session, type, [row.id]);
  return { entityId: row.id };
}
