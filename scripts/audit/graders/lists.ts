/** Compares what the service's own lists show before and after the run. */

import { readChat } from "../chat/lists";
import type { JsonObject, Judgement, Surface, Tables, Trace } from "../model";
import type { Schema } from "../state";
import { isInDiff } from "../trace";
import { readTracker } from "../tracker/lists";
import { judge } from "./difference";

export const readLists = (surface: Surface, agent: string): Promise<Tables> =>
  surface.service === "chat" ? readChat(surface, agent) : readTracker(surface);

export async function byLists(
  surface: Surface,
  agent: string,
  schema: Schema,
  before: Tables,
  { expectedOutput, traces }: { expectedOutput: JsonObject; traces: readonly Trace[] },
): Promise<Judgement> {
  const started = performance.now();
  const after = await readLists(surface, agent);
  const { passed, unsafe, diff } = judge(expectedOutput, schema, before, after);
  const ms = performance.now() - started;
  return { passed, unsafe, lost: traces.filter((trace) => !isInDiff(diff, trace)).length, ms };
}
