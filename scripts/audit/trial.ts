/** One trajectory, executed for real: from the environment to the four judgements. */
import { end, lostOf } from "./graders/diorama";
import { byLists, readLists } from "./graders/lists";
import { byQueries, type Counts, countAll } from "./graders/queries";
import { bySnapshots } from "./graders/snapshots";
import type { Judgement, Plan, Surface, Tables, Test } from "./model";
import { begin, type Performance, perform, prepare } from "./perform";
import type { Audited } from "./server";
import { readTables, type Schema } from "./state";
import { type Environment, surfaceOf } from "./surface";
import { isInState } from "./trace";

export const AGENTS = {
  chat: "U01AGENTONE",
  tracker: "b0000000-0000-4000-8000-000000000001",
} as const;

export type GraderName = "diorama" | "snapshots" | "queries" | "lists";

export type Judged = {
  readonly judgements: Readonly<Record<GraderName, Judgement>>;
  readonly writes: number;
  /** Milliseconds from the last answer to the request that ends the run. */
  readonly gapMs: number;
};

/** The knowledge that graders have of a service: its tables, and what its lists show of an untouched environment. */
export type Known = { readonly schema: Schema; readonly world: Tables; readonly lists: Tables };

export type Trial = {
  readonly test: Test;
  readonly plan: Plan;
  readonly environment: Environment;
  readonly surface: Surface;
  readonly runId: string;
  readonly before: { readonly tables: Tables; readonly counts: Counts; readonly lists: Tables };
  readonly performance: Performance;
  lastAnswerAt: number;
};

export async function startTrial(
  audited: Audited,
  { schema, lists }: Known,
  test: Test,
  plan: Plan,
): Promise<Trial> {
  const { platform, sql, url } = audited;
  const environment: Environment = await platform("POST", "/initEnv", {
    testId: test.id,
    allowImpersonation: true,
  });
  const { environmentId: envId, schemaName } = environment;
  const surface = surfaceOf(url, test.service, environment);
  await prepare(surface, plan.prepare);
  const before = {
    tables: await readTables(sql, schema, schemaName),
    counts: await countAll(sql, schema, schemaName, test.expectedOutput),
    lists: plan.prepare.length > 0 ? await readLists(surface, AGENTS[test.service]) : lists,
  };
  const { runId } = await platform("POST", "/startRun", { envId, testId: test.id });
  return { test, plan, environment, surface, runId, before, performance: begin(), lastAnswerAt: 0 };
}

/** Performs the acts from one to another. */
export async function act(audited: Audited, trial: Trial, from: number, to: number): Promise<void> {
  const { test, plan, surface, environment } = trial;
  for (const one of plan.acts.slice(from, to)) {
    if (one.lost) await loseNextAnswer(audited, test, environment, one.calls[0]?.name ?? "");
    await perform(surface, AGENTS[test.service], one, trial.performance);
    trial.lastAnswerAt = performance.now();
  }
}

const loseNextAnswer = (
  { platform }: Audited,
  { service }: Test,
  { environmentId }: Environment,
  name: string,
) =>
  platform("PUT", `/env/${environmentId}/faults`, {
    faults: [
      {
        fault: "lost_answer",
        ...(service === "chat" ? { method: name } : { operation: name }),
        when: { times: 1 },
      },
    ],
  });

/** Ends the run and asks every grader. The server is first, and the others read after it. */
export async function finishTrial(
  audited: Audited,
  { schema }: Known,
  trial: Trial,
): Promise<Judged> {
  const { test, environment, surface, runId, before, performance: done } = trial;
  const { traces } = done;
  const { sql } = audited;
  const { schemaName } = environment;
  const gapMs = trial.lastAnswerAt === 0 ? 0 : performance.now() - trial.lastAnswerAt;
  const given = { expectedOutput: test.expectedOutput, traces };
  const ended = await end(audited, runId);
  const snapshots = await bySnapshots(sql, schema, schemaName, before.tables, given);
  const queries = await byQueries(sql, schema, schemaName, before.counts, test.expectedOutput);
  const lists = await byLists(surface, AGENTS[test.service], schema, before.lists, given);
  const lost = await lostOf(audited, runId, traces);
  const state = await readTables(sql, schema, schemaName);
  await audited.platform("DELETE", `/env/${environment.environmentId}`);
  return {
    judgements: {
      diorama: { ...ended, lost },
      snapshots,
      queries: { ...queries, lost: traces.filter((trace) => !isInState(state, trace)).length },
      lists,
    },
    writes: traces.length,
    gapMs,
  };
}
