/** Compares all tables before and after the run, as Postgres has them. */
import type { Pool } from "~/db/connect";
import type { JsonObject, Judgement, Tables, Trace } from "../model";
import { readTables, type Schema } from "../state";
import { isInDiff } from "../trace";
import { judge } from "./difference";

export async function bySnapshots(
  sql: Pool,
  schema: Schema,
  name: string,
  before: Tables,
  { expectedOutput, traces }: { expectedOutput: JsonObject; traces: readonly Trace[] },
): Promise<Judgement> {
  const started = performance.now();
  const after = await readTables(sql, schema, name);
  const { passed, unsafe, diff } = judge(expectedOutput, schema, before, after);
  const ms = performance.now() - started;
  return { passed, unsafe, lost: traces.filter((trace) => !isInDiff(diff, trace)).length, ms };
}
