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

export type Parts = { params: unknown; query: unknown; body: unknown };

/**
 * Replaces ids with dashes, drops optional fields of a body that are null, and rejects unknown ones. Throws
 * `invalid_request`.
 */
export function fitCall(shapes: Shapes, given: Parts): Parts {
  const read = (shape: TSchema | undefined, value: unknown) =>
    shape && value !== undefined ? withoutNulls(shape, value, readText) : value;
  const body = read(shapes.body, given.body);
  const unknown = shapes.body && body !== undefined ? findUnknownKey(shapes.body, body) : undefined;
  if (unknown) throw new ApiError("invalid_request", `${unknown.path}: ${unknown.problem}`);
  return {
    params: read(shapes.params, given.params),
    query: read(shapes.query, given.query),
    body,
  };
}
