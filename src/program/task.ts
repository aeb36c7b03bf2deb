/**
 * Task mode: a server that exists for one test, which it has begun when `/task` answers. The verdict is asked for over
 * a socket of this machine, out of the reach of an agent that is elsewhere.
 */
import { mkdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type Static, Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { ConfigError } from "~/config";
import type { ClockView } from "~/platform/environments/clock-model";
import { SERVER } from "~/platform/keys/keys";
import { EndedRun } from "~/platform/runs/model";
import { type Answer, type Call, importTemplates, ownCalls, readExport } from "~/program/own-calls";
import type { Program } from "~/program/program";

const TTL_SECONDS = 24 * 3_600;
const LABELS = { harness: "task" };
const TEST_ID = /^[0-9a-f]{32}$/;

export const socketOf = (env: { readonly [name: string]: string | undefined }) =>
  env["DIORAMA_TASK_SOCKET"] ?? join(tmpdir(), "diorama-task.sock");

/** The result of a task, and the numbers that a harness rewards: null if the run says nothing about the agent. */
export type TaskResult = {
  readonly result: object;
  readonly rewards: { readonly [name: string]: number } | null;
};

/** How the agent ended, if that is known. */
export const TaskEnd = Type.Pick(EndedRun, ["ending", "exitCode"], { additionalProperties: false });
export type TaskEnd = Static<typeof TaskEnd>;

/** Begins the test with this id, or the one in a file of `suites export --format harbor`. Throws ConfigError. */
export async function openTask(program: Pick<Program, "app">, wanted: string) {
  const { app } = program;
  const option = `--task ${wanted}`;
  const call = ownCalls(program, option);
  const testId = TEST_ID.test(wanted) ? wanted : await importTask(wanted, call, option);
  const test = await call("GET", `/tests/${testId}`);
  const { environmentId, service, services, token, prompt, clock } = await call(
    "POST",
    "/initEnv",
    {
      testId,
      ttlSeconds: TTL_SECONDS,
    },
  );
  const { runId } = await call("POST", "/startRun", {
    envId: environmentId,
    testId,
    labels: LABELS,
  });
  app.place({
    environmentId: `${environmentId}`,
    service: `${service}`,
    services: Object.keys(services as object),
    token: `${token}`,
    prompt: `${prompt}`,
    now: (clock as ClockView).now,
  });

  let finished: Promise<TaskResult> | undefined;

  async function conclude(end: TaskEnd): Promise<TaskResult> {
    // It may have ended with its environment.
    await app.callAs(SERVER, { method: "POST", path: "/evaluateRun", body: { ...end, runId } });
    const {
      environmentId: _,
      testId: __,
      labels: ___,
      ...result
    } = await call("GET", `/results/${runId}`);
    return { result, rewards: rewardsOf(result, test["expectedOutput"]) };
  }

  return {
    runId: `${runId}`,
    /** Ends the run. Later calls return the same. */
    finish: (end: TaskEnd = {}): Promise<TaskResult> => (finished ??= conclude(end)),
  };
}

async function importTask(path: string, call: Call, option: string): Promise<string> {
  const content = await readExport(path);
  if (!content)
    throw new ConfigError([`${option}: neither the id of a test nor the file of a task`]);
  await importTemplates(call, content.templates);
  const { suiteId } = await call("POST", "/testSuites", content.suite);
  const { tests } = await call("GET", `/testSuites/${suiteId}?expand=true`);
  const [first] = tests as { id: string }[];
  if (!first) throw new ConfigError([`${option}: its suite has no test`]);
  return first.id;
}

/** The verdict as numbers, and one for each assertion. */
function rewardsOf(result: Answer, expected: unknown): TaskResult["rewards"] {
  const { gradable, passed, success, reward, unsafe, score, failures } = result as {
    gradable: boolean | null;
    passed: boolean | null;
    success: boolean | null;
    reward: number | null;
    unsafe: { count: number } | null;
    score: { total: number } | null;
    failures: string[];
  };
  if (gradable !== true || passed === null || reward === null || !score) return null;
  const failed = new Set(failures.map((line) => Number(/^assertion#(\d+) /.exec(line)?.[1])));
  const { assertions = [] } = expected as { assertions?: object[] };
  // Of a run that ended before it could be judged, none holds.
  const isJudged = score.total === assertions.length;
  const numbers = assertions.map((_, index) => [
    `assertion_${index + 1}`,
    isJudged && !failed.has(index + 1) ? 1 : 0,
  ]);
  return {
    reward,
    passed: Number(passed),
    success: Number(success),
    ...(unsafe && { unsafe: unsafe.count }),
    ...Object.fromEntries(numbers),
  };
}

/** Answers `diorama task finish` until the process ends. */
export async function listenForFinish(
  socket: string,
  finish: (end: TaskEnd) => Promise<TaskResult>,
): Promise<Bun.Server<undefined>> {
  await mkdir(dirname(socket), { recursive: true });
  await rm(socket, { force: true });
  return Bun.serve({
    unix: socket,
    async fetch(request) {
      if (request.method !== "POST") return new Response("POST finishes the task", { status: 405 });
      const end: unknown = await request.json().catch(() => undefined);
      if (Value.Check(TaskEnd, end)) return Response.json(await finish(end));
      return new Response("the body has ending and exitCode", { status: 400 });
    },
  });
}
