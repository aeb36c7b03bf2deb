/** Performs a plan's acts against a service, and notes the traces of every acknowledged write. */
import { MOVES } from "./classes";
import type { Act, Answer, Call, JsonObject, Preparation, Surface, Trace } from "./model";

export type Performance = {
  readonly answers: Answer[];
  readonly traces: Trace[];
  /** Ids of the recorded solution, and what stands for them in this run. */
  readonly ids: Map<string, string>;
};

export const begin = (): Performance => ({ answers: [], traces: [], ids: new Map() });

/** Strings that the recorded answer and this one have in the same place. */
function align(recorded: unknown, live: unknown, ids: Map<string, string>): void {
  if (typeof recorded === "string" && typeof live === "string" && recorded !== live)
    ids.set(recorded, live);
  if (typeof recorded !== "object" || typeof live !== "object" || !recorded || !live) return;
  for (const [name, value] of Object.entries(recorded))
    align(value, (live as JsonObject)[name], ids);
}

/** Replaces whole strings, in any depth. */
export function translate<Value>(value: Value, ids: ReadonlyMap<string, string>): Value {
  if (typeof value === "string") return (ids.get(value) ?? value) as Value;
  if (Array.isArray(value)) return value.map((item) => translate(item, ids)) as Value;
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, translate(item, ids)]),
  ) as Value;
}

export async function prepare(surface: Surface, steps: readonly Preparation[]): Promise<void> {
  for (const { call, as } of steps) {
    let last: unknown;
    let done = false;
    for (const user of as) {
      const { ok, body } = await surface.call(call, user);
      last = body;
      done = ok;
      if (ok) break;
    }
    if (!done) throw new Error(`${call.name}: the preparation failed: ${JSON.stringify(last)}`);
  }
}

/** Performs one act. Throws if the service refuses every alternative. */
export async function perform(
  surface: Surface,
  agent: string,
  act: Act,
  { answers, traces, ids }: Performance,
): Promise<void> {
  const wanted = act.after ? [act.after(answers)] : act.calls;
  const attempts: { call: Call; as?: string }[] = wanted.flatMap((call) => {
    const made = { ...call, arguments: translate(call.arguments, ids) };
    return act.as ? act.as.map((as) => ({ call: made, as })) : [{ call: made }];
  });
  let last: Answer | undefined;
  for (const { call, as } of attempts) {
    last = await surface.call(call, as);
    if (act.lost) return;
    if (!last.ok) continue;
    align(act.recorded, last.body, ids);
    answers.push(last);
    if (!act.reads) traces.push(...MOVES[surface.service].traces(call, last, as ?? agent));
    return;
  }
  if (!act.mayFail)
    throw new Error(
      `${wanted[0]?.name}: no alternative was accepted: ${JSON.stringify(last?.body)}`,
    );
}
