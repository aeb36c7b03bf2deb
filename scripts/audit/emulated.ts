/** Trajectories of chat on the emulator, judged by its lists. */
import { each } from "./each";
import { emulate, type Host, startHost } from "./emulator";
import { byLists, readLists } from "./graders/lists";
import type { Judgement } from "./model";
import { begin, perform, prepare } from "./perform";
import type { Planned } from "./plans";
import { AGENTS, type Known } from "./trial";

const HOSTS = 2;

export type Emulated = { readonly judgement: Judgement; readonly writes: number };
/** Undefined for a trajectory that the emulator does not accept. */
export type Outcome = { readonly emulated?: Emulated; readonly refused?: string };

async function runOne(
  host: Host,
  { schema, world }: Known,
  { test, plan }: Planned,
): Promise<Emulated> {
  const agent = AGENTS.chat;
  let surface = await emulate(host, world, agent);
  await prepare(surface, plan.prepare);
  let before = await readLists(surface, agent);
  const done = begin();
  for (const [place, act] of plan.acts.entries()) {
    // What comes after a kill may name what is gone.
    const killed = plan.killAfter !== undefined && place >= plan.killAfter;
    await perform(surface, agent, killed ? { ...act, mayFail: true } : act, done);
    if (plan.killAfter !== place + 1) continue;
    await host.kill();
    surface = await emulate(host, world, agent);
    before = await readLists(surface, agent);
  }
  const given = { expectedOutput: test.expectedOutput, traces: done.traces };
  const judgement = await byLists(surface, agent, schema, before, given);
  return { judgement, writes: done.traces.length };
}

/** The outcome of each, in their order. */
export async function runEmulated(known: Known, planned: readonly Planned[]): Promise<Outcome[]> {
  const idle = await Promise.all(Array.from({ length: HOSTS }, startHost));
  const outcomeOf = async (one: Planned): Promise<Outcome> => {
    const host = idle.pop();
    if (!host) throw new Error("more trajectories than hosts");
    try {
      return { emulated: await runOne(host, known, one) };
    } catch (error) {
      return { refused: `${one.test.name}, ${one.className}: ${error}` };
    } finally {
      idle.push(host);
    }
  };
  try {
    return await each(planned, HOSTS, outcomeOf);
  } finally {
    await Promise.all(idle.map((host) => host.stop()));
  }
}
