/** Reads the parameters and bodies of the platform's calls as their routes expect them. */
import { type TSchema, Type } from "@sinclair/typebox";
import { ApiError } from "~/errors";
import { Id } from "~/http/model";
import { isObject } from "~/input/json";
import { findMisfits, linesAbout, linesOf, withoutNulls } from "~/input/shape";

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

const NO_PARAMETERS = Type.Object({});
const NO_PARAMETER = "there is no such parameter";

/**
 * Replaces ids with dashes, drops optional fields of a body that are null, and rejects a query or a body that does not
 * fit, with all that is wrong in it. Throws `invalid_request`.
 */
export function fitCall(shapes: Shapes, given: Parts): Parts {
  const read = (shape: TSchema | undefined, value: unknown) =>
    shape && value !== undefined ? withoutNulls(shape, value, readText) : value;
  const query = read(shapes.query, given.query);
  const body = read(shapes.body, given.body);
  const lines = [
    ...findMisfits(shapes.query ?? NO_PARAMETERS, withoutParts(shapes.query, query)).map(
      ({ path, problem }) => `${path}: ${problem.replace(/^there is no such field/, NO_PARAMETER)}`,
    ),
    ...(shapes.body && body !== undefined ? linesAbout(shapes.body, body, "body") : []),
  ];
  if (lines.length > 0) throw new ApiError("invalid_request", linesOf(lines));
  return { params: read(shapes.params, given.params), query, body };
}

/** The parameters without those of an object, `labels[model]`, which its route reads from the address. */
function withoutParts(shape: TSchema | undefined, query: unknown): object {
  if (!isObject(query)) return {};
  const isPart = (name: string) => {
    const [, whole = ""] = /^([^[]+)\[/.exec(name) ?? [];
    const { documented } = (shape?.["properties"]?.[whole] ?? {}) as { documented?: TSchema };
    return documented?.["type"] === "object";
  };
  return Object.fromEntries(Object.entries(query).filter(([name]) => !isPart(name)));
}
