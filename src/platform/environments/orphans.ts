/**
 * Finds schemas that nothing refers to, and environments whose schema is missing. It reads a page of names at a time,
 * so that a cycle costs the same with ten thousand environments.
 */
import type { Pool } from "~/db/connect";
import type { Builders } from "~/db/origins";
import { dropSchema } from "~/db/schemas";
import type { Log } from "~/log";
import type { Metrics } from "~/metrics";
import { endWithoutSchema, type RunClosing } from "~/platform/environments/ending-store";
import * as schemas from "~/platform/environments/schemas-store";

/** An orphan is dropped if it is still one this long after it was first seen. */
const ORPHAN_MS = 600_000;
/** Few enough that Postgres finds the next names by an index. */
const PAGE = 400;

export function createOrphans(deps: {
  pool: Pool;
  builders: Builders;
  log: Log;
  metrics: Metrics;
  runClosing: RunClosing;
}) {
  const { pool, builders, log, metrics, runClosing } = deps;
  const since = new Map<string, number>();
  let after = schemas.FIRST_PAGE;
  /** Orphans of the sweep in progress. */
  let seen = new Set<string>();

  async function dropOld(found: readonly string[]) {
    for (const schema of found) {
      const first = since.get(schema) ?? performance.now();
      since.set(schema, first);
      seen.add(schema);
      if (performance.now() - first < ORPHAN_MS) continue;
      log.warn("orphan schema dropped", { schema });
      await dropSchema(builders.sql, schema);
      metrics.orphanSchemas.inc();
    }
  }

  async function endMissing(entries: readonly string[]) {
    if (entries.length === 0) return;
    const ended = await endWithoutSchema(pool, entries, runClosing);
    if (ended.length > 0) log.warn("environments without a schema ended", { count: ended.length });
    await schemas.forgetEnded(pool, entries);
  }

  /** Checks the next page. */
  return async function sweep(): Promise<void> {
    const page = await schemas.listOrphans(pool, after, PAGE);
    await dropOld(page.schemas);
    await endMissing(page.entries);
    after = page.next;
    if (page.next.schema !== "") return;
    for (const known of since.keys()) if (!seen.has(known)) since.delete(known);
    seen = new Set();
  };
}
