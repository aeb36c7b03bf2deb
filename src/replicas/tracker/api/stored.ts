/** The values that the row of an entity stores. */
import { isNonNullType, isObjectType } from "graphql";
import type { FieldInfo } from "~/graphql/info";
import type { Model } from "~/graphql/model";
import type { Values } from "~/replicas/tracker/store/entities";
import { TABLES } from "~/replicas/tracker/store/tables";

/** Whether a row needs a value: its column requires it, or in a shared table its type in the API. */
export function isRequired(
  { table, shared, name: type }: Model,
  name: string,
  { schema }: FieldInfo,
): boolean {
  if (!shared) return TABLES.get(table)?.get(name)?.required ?? false;
  const found = schema.getType(type);
  const fields = isObjectType(found) ? found.getFields() : {};
  return isNonNullType((fields[name] ?? fields[name.replace(/Id$/, "")])?.type);
}

/** The fields of an input that its row stores. */
export function storedOf(model: Model, input: Values, info: FieldInfo): Values {
  const isStored = storedIn(model, info);
  return Object.fromEntries(Object.entries(input).filter(([name]) => isStored(name)));
}

/** A rule that misspells a column would lose its write. */
export function requireStored(model: Model, values: Values, info: FieldInfo): void {
  const isStored = storedIn(model, info);
  const unknown = Object.keys(values).find((name) => !isStored(name));
  if (unknown !== undefined) throw new Error(`${model.name} has no column ${unknown}`);
}

/** Whether a row has a place for a value. A shared table stores the fields of the type in the API. */
function storedIn({ columns, shared, name: type }: Model, { schema }: FieldInfo) {
  const found = schema.getType(type);
  const fields = isObjectType(found) ? found.getFields() : {};
  return (name: string): boolean =>
    name === "id" ||
    name === "createdAt" ||
    columns.has(name) ||
    (shared && (name in fields || name.replace(/Id$/, "") in fields));
}
