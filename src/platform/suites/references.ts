/**
 * References to suites, by one rule for every way to name one: an id, or a name among the user's own suites and then
 * among the built-in ones. A suite of another user has an id and `owner/name`: its name alone never leads to it, so
 * publishing a suite changes nothing for others.
 */
import type { Pool, Sql } from "~/db/connect";
import { ApiError, NotFound } from "~/errors";
import { plainId } from "~/http/fitting";
import { known, quoted } from "~/input/nearest";
import { SERVER } from "~/platform/keys/keys";
import * as store from "~/platform/suites/store";

type Found = Awaited<ReturnType<typeof store.listMeant>>[number];

/** Characters of an owner's id, a slash and a name. */
const REFERENCE_MAX = 600;

/** The rejection of a reference, with the suites of this user and of the server. */
export async function suiteNotFound(sql: Sql, userId: string, ref: string): Promise<ApiError> {
  const names = await store.listKnown(sql, userId);
  const detail = `There is no suite ${quoted(ref)}${known(ref, names)}`;
  return new NotFound("suite_not_found", detail, ref);
}

/**
 * Returns the suite that a user means: by its id, by its name or slug, or as `owner/name`. Throws `suite_not_found`,
 * or `invalid_request` if several have the name.
 */
export async function requireReferred(pool: Pool, userId: string, ref: string): Promise<Found> {
  const id = plainId(ref);
  if (ref.length > REFERENCE_MAX) throw await suiteNotFound(pool, userId, ref);
  const meant = await store.listMeant(pool, userId, { id, name: ref });
  const found =
    meant.find(({ suiteId }) => suiteId === id) ??
    only(meant.filter((suite) => suite.userId === userId)) ??
    only(meant) ??
    only(await listOwned(pool, userId, ref));
  if (found) return found;
  throw await suiteNotFound(pool, userId, ref);
}

/** Both parts may have slashes. */
async function listOwned(pool: Pool, userId: string, ref: string): Promise<Found[]> {
  const pairs = [...ref.matchAll(/\//g)].map(({ index }) => ({
    owner: ref.slice(0, index),
    name: ref.slice(index + 1),
  }));
  return pairs.length > 0 ? await store.listOwned(pool, userId, pairs) : [];
}

function only(suites: readonly Found[]): Found | undefined {
  if (suites.length <= 1) return suites[0];
  const ids = suites.map(({ suiteId }) => suiteId).join(", ");
  throw new ApiError(
    "invalid_request",
    `several suites have that name: ${ids}; name one by its id`,
  );
}

/**
 * Rejects a name that a built-in suite has, or whose slug is the same: it would be taken for that suite. The server
 * itself may use any: a copy of a built-in suite, which nobody else can name.
 */
export async function requireFreeName(sql: Sql, userId: string, name: string): Promise<void> {
  if (userId === SERVER.userId) return;
  const reserved = await store.findReserved(sql, name);
  if (reserved === undefined) return;
  throw new ApiError(
    "invalid_request",
    `name: ${JSON.stringify(name)} is reserved for the built-in suite ${JSON.stringify(reserved)}`,
  );
}
