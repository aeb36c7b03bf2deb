/** The order of the calls that write. */
import type { CalendarSession } from "~/replicas/calendar/operation";

/**
 * Serializes the writing calls of an environment until the end of the transaction, so that each knows everything before
 * it and their numbers are in the order in which others see them. Returns the number of the call.
 */
export async function beginWriting({ sql, schema, prefix }: CalendarSession): Promise<number> {
  const sequence = `"${schema}".${prefix}versions`;
  const [row] = await sql<{ version: number }[]>`
    with locked as materialized (select pg_advisory_xact_lock(hashtextextended(${sequence}, 0)))
    select nextval(${sequence}::regclass)::float8 as version from locked
  `;
  return row?.version ?? 0;
}
