/** Finds one row, or throws the error of the service. */
import type { RowObject } from "~/graphql/page";
import type { Context } from "~/replicas/tracker/context";
import { forbidden, invalidArgument, notFound, notFoundIn } from "~/replicas/tracker/errors";
import { requireUuid } from "~/replicas/tracker/ids";
import type { Entity, Row } from "~/replicas/tracker/store/entities";
import { lookUp } from "~/replicas/tracker/store/lookups";
import { MODELS } from "~/replicas/tracker/store/models/index";

const NO_FIELDS: ReadonlySet<string> = new Set();

/** The row with this id, or with another key of its type: an identifier, a key, the slug of a URL. */
export async function requireRow<E extends Entity>(
  context: Context,
  type: E,
  id: string,
  fields: ReadonlySet<string> = NO_FIELDS,
): Promise<Row<E>> {
  const row = await findRow(context, type, id, fields);
  if (!row) throw notFound(type);
  return row;
}

async function findRow<E extends Entity>(
  { read, viewer }: Context,
  type: E,
  id: string,
  fields: ReadonlySet<string>,
): Promise<Row<E> | undefined> {
  const own = type === "User" && id === "me" ? viewer.id : id;
  const where = lookUp(type, own);
  if (where !== undefined) return await read.find(type, where, { fields });
  return MODELS.has(type) ? await read.one(type, own, { fields }) : undefined;
}

/** The row for an argument that accepts only an id; undefined when it was not given. */
export async function requireGiven<E extends Entity>(
  context: Context,
  type: E,
  property: string,
  id: string | null | undefined,
): Promise<Row<E> | undefined> {
  if (id === null || id === undefined) return undefined;
  const row = await findRow(context, type, requireUuid(property, id), NO_FIELDS);
  if (!row) throw notFoundIn(property);
  return row;
}

/** Checks text that has a few known values, if it was given. */
export function requireOneOf(
  property: string,
  value: string | null | undefined,
  known: readonly string[],
): void {
  const problem = `${property} must be one of the following values: ${known.join(", ")}`;
  if (value != null && !known.includes(value))
    throw invalidArgument(property, value, "isEnum", problem);
}

/** `what`: for example "a comment". */
export function requireAuthor({ viewer }: Context, row: RowObject, what: string): void {
  if (row["userId"] !== viewer.id && !viewer.admin)
    throw forbidden(`Only its author or an admin can change ${what}`);
}

export function requireAdmin({ viewer }: Context): void {
  if (!viewer.admin && !viewer.owner) throw forbidden("Only admins can do this");
}
