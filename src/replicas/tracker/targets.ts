/** Inputs that refer to exactly one of several kinds of entity. */
import type { RowObject } from "~/graphql/page";
import type { Context } from "~/replicas/tracker/context";
import { invalidInput } from "~/replicas/tracker/errors";
import { requireRow } from "~/replicas/tracker/require";
import type { Entity } from "~/replicas/tracker/store/entities";

/** The type of each field of such an input: `{ issueId: "Issue" }`. */
export type TargetTypes = { readonly [field: string]: Entity };

/** The one entity that an input refers to. Throws unless it is exactly one, and exists. */
export async function requireTarget(
  context: Context,
  types: TargetTypes,
  input: { readonly [field: string]: unknown },
): Promise<{ readonly field: string; readonly type: Entity; readonly row: RowObject }> {
  const named = Object.entries(types).filter(([field]) => input[field]);
  const [found] = named;
  if (!found || named.length > 1)
    throw invalidInput(`Exactly one of these must be given: ${Object.keys(types).join(", ")}`);
  const [field, type] = found;
  return { field, type, row: await requireRow(context, type, String(input[field])) };
}
