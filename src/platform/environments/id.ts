/** Ids of environments in paths and bodies: with hyphens or without. */
import { EnvironmentEnded } from "~/db/opening";
import { ApiError, NotFound, namedId } from "~/errors";
import { ENVIRONMENT_ID } from "~/http/model";

const ID = new RegExp(ENVIRONMENT_ID);

/** Returns the id in its plain form; undefined if it is malformed. */
export const environmentId = (text: string): string | undefined =>
  ID.test(text) ? text.replaceAll("-", "") : undefined;

export const malformed = () =>
  new ApiError("invalid_environment_path", "An environment id is 32 lower-case hex digits");

/** Returns the id in its plain form. Throws `invalid_environment_path`. */
export function requireId(text: string): string {
  const plain = environmentId(text);
  if (plain === undefined) throw malformed();
  return plain;
}

export const notFound = (id?: string) =>
  new NotFound(
    "environment_not_found",
    `There is no environment ${namedId(id)}, or it has expired; GET /api/platform/environments lists yours`,
    id,
  );

/** The error of a call whose environment has ended in the meantime; any other error as it is. */
export const asNotFound = (error: unknown) =>
  error instanceof EnvironmentEnded ? notFound() : error;
