/** Compares all tables before and after the run, as Postgres has them. */
import type { Pool } from "~/db/connect";
import type { JsonObject, Judgement, Tables, Trace } from "../model";
import { readTables, type Schema } from "../state";
import { judge } from "./difference";

export async function bySnapshots(
  sql: Pool,
  schema: Schema,
  name: string,
  before: Tables,
  given: { expectedOutput: JsonObject; traces: readonly Trace[] },
): Promise<Judgement> {
  const started = performance.now();
  const after = await readTables(sql, schema, name);
  const judged = judge(given, schema, before, after);
  return { ...judged, ms: performance.now() - started };
}
