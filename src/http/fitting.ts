/** Reads the parameters and bodies of the platform's calls as their routes expect them. */
import type { TSchema } from "@sinclair/typebox";
import { ApiError } from "~/errors";
import { Id } from "~/http/model";
import { findUnknownKey, withoutNulls } from "~/shape";

/** The shapes of a route. */
export type Shapes = {
  readonly params?: TSchema | undefined;
  readonly query?: TSchema | undefined;
  readonly body?: TSchema | undefined;
};

const DASHED = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Returns an id that is written as a UUID with dashes in its plain form, and any other text as it is. */
export const plainId = (text: string): string =>
  DASHED.test(text) ? text.replaceAll("-", "") : text;

const readText = ({ documented }: TSchema, text: string) =>
  (documented as TSchema | undefined)?.["pattern"] === Id.pattern ? plainId(text) : text;

/**
 * Replaces ids with dashes, drops optional fields of a body that are null, and rejects unknown ones. Throws
 * `invalid_request`.
 */
export function fitCall(
  { params, query, body }: Shapes,
  context: { params: unknown; query: unknown; body: unknown },
): void {
  if (params) context.params = withoutNulls(params, context.params, readText);
  if (query) context.query = withoutNulls(query, context.query, readText);
  if (!body || context.body === undefined) return;
  context.body = withoutNulls(body, context.body, readText);
  const unknown = findUnknownKey(body, context.body);
  if (unknown) throw new ApiError("invalid_request", `${unknown.path}: ${unknown.problem}`);
}
