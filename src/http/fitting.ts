/** Reads the parameters and bodies of the platform's calls as their routes expect them. */
import type { TSchema } from "@sinclair/typebox";
import { ApiError } from "~/errors";
import { Id } from "~/http/model";
import { findMisfit, withoutNulls } from "~/shape";

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
 * Replaces ids with dashes, drops optional fields of a body that are null, and rejects what `findMisfit` finds in it.
 * Throws `invalid_request`.
 */
export function fitCall(shapes: Shapes, given: Parts): Parts {
  const read = (shape: TSchema | undefined, value: unknown) =>
    shape && value !== undefined ? withoutNulls(shape, value, readText) : value;
  const body = read(shapes.body, given.body);
  const misfit = shapes.body && body !== undefined ? findMisfit(shapes.body, body) : undefined;
  if (misfit) throw new ApiError("invalid_request", `${misfit.path || "body"}: ${misfit.problem}`);
  return {
    params: read(shapes.params, given.params),
    query: read(shapes.query, given.query),
    body,
  };
}
