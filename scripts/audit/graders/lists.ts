/** Compares what the service's own lists show before and after the run. */

import { readChat } from "../chat/lists";
import type { JsonObject, Judgement, Surface, Tables, Trace } from "../model";
import type { Schema } from "../state";
import { readTracker } from "../tracker/lists";
import { judge } from "./difference";

export const readLists = (surface: Surface, agent: string): Promise<Tables> =>
  surface.service === "chat" ? readChat(surface, agent) : readTracker(surface);

export async function byLists(
  surface: Surface,
  agent: string,
  schema: Schema,
  before: Tables,
  given: { expectedOutput: JsonObject; traces: readonly Trace[] },
): Promise<Judgement> {
  const started = performance.now();
  const after = await readLists(surface, agent);
  const judged = judge(given, schema, before, after);
  return { ...judged, ms: performance.now() - started };
}
