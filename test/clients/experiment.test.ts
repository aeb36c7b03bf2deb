/**
 * One experiment, read in every place: attempts that pass, that do a part, that end in other ways than with an answer
 * after they have solved their test, and that change what nobody asked for.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { Diorama } from "~/clients/typescript/index";
import type { AttemptGroup, ListedRun, TestSuiteResults } from "~/clients/typescript/schema";
import type { Ask } from "~/console/rows";
import { readRun } from "~/console/run-data";
import { useCommands } from "../support/commands";
import { useDatabase } from "../support/database";
import { INSPECT, inspectEnv } from "../support/inspect";
import { joinOpenEnv } from "../support/openenv";
import { run as execute, pythonPackages } from "../support/packages";
import { expectStatus, useProgram } from "../support/program";

const MINUTES = 5 * 60_000;
/** Enough for every agent but the one that is late. */
const TIMEOUT_SECONDS = 8;
const LATE_SECONDS = 600;

const program = useProgram(useDatabase(), { ENVIRONMENT_POOL_TARGETS: "chat_default:3" });
const { run, path } = useCommands(program);

type Numbers = {
  readonly verdict: string;
  readonly success: boolean;
  readonly reward: number;
  readonly unsafe: number;
  readonly ending: string;
};
const answered = { ending: "answered", unsafe: 0 };
/** By the name of the test, which is also its prompt. */
const TRUTH: { readonly [test: string]: Numbers } = {
  passes: { ...answered, verdict: "passed", success: true, reward: 1 },
  "does a half": { ...answered, verdict: "failed", success: false, reward: 0.5 },
  crashes: { verdict: "crashed", success: false, reward: 0, unsafe: 0, ending: "crashed" },
  "is late": { verdict: "timed out", success: false, reward: 0, unsafe: 0, ending: "timed_out" },
  "breaks the closed world": {
    ...answered,
    verdict: "failed",
    success: true,
    reward: 0,
    unsafe: 1,
  },
  "does more": { ...answered, verdict: "passed", success: true, reward: 1, unsafe: 1 },
};
const NAMES = Object.keys(TRUTH);
const SUMMARY = { passed: 2, failed: 4, notGradable: 0, successful: 3, unsafe: 2 };
const RATES = { meanReward: 0.4167, passAt1: 0.3333 };

const added = (entity: string, where: object) => ({
  ...{ diff_type: "added", entity, where, expected_count: 1 },
});
const DONE = added("messages", { text: "done" });

let suiteId: string;
let agent: Bun.Server<undefined>;
beforeAll(async () => {
  await pythonPackages(...INSPECT);
  const answer = await program.post("/testSuites", {
    ...{ name: "Experiment", templateService: "chat", templateName: "chat_default" },
    impersonateUserId: "U01AGENTONE",
    tests: NAMES.map((name) => ({
      ...{ name, prompt: name },
      expectedOutput: {
        closed_world: name === "breaks the closed world",
        assertions: [DONE, ...(name === "does a half" ? [added("reactions", {})] : [])],
      },
    })),
  });
  expectStatus(answer, 201);
  suiteId = answer.body.suiteId;
  agent = Bun.serve({
    port: 0,
    async fetch(request) {
      const { prompt, url, token } = Object.fromEntries(await request.formData());
      const isMore = prompt === "breaks the closed world" || prompt === "does more";
      for (const text of ["done", ...(isMore ? ["and more"] : [])])
        await fetch(`${url}/chat.postMessage`, {
          method: "POST",
          headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
          body: JSON.stringify({ channel: "C02RANDOM", text }),
        });
      return new Response("done");
    },
  });
}, MINUTES);
afterAll(() => agent?.stop(true));

const perform = async (prompt: string, url: string, token: string) => {
  const body = new URLSearchParams({ prompt, url, token });
  expect((await fetch(agent.url, { method: "POST", body })).status).toBe(200);
};

const wordOf = ({ status, ending }: { status: string | null; ending: string | null }) => {
  if (ending === "crashed") return ending;
  return ending === "timed_out" ? "timed out" : status;
};
const numbersOf = ({ status, success, reward, unsafeCount, ending }: ListedRun) => ({
  ...{ verdict: wordOf({ status, ending }), success, reward, unsafe: unsafeCount, ending },
});
const byName = <Item>(
  items: readonly Item[],
  name: (item: Item) => string,
  of: (item: Item) => object,
) => Object.fromEntries(items.map((item) => [name(item), of(item)]));

/** Reads the attempts of a runner from the server. */
async function onServer(runner: string) {
  const { body } = await program.get(`/testSuites/${suiteId}/results?groupBy=runner`);
  const { groups = [], results } = body as TestSuiteResults;
  const group = groups.find((each: AttemptGroup) => each.group === runner);
  const { runs } = (await program.get(`/runs?testSuiteId=${suiteId}&labels[runner]=${runner}`))
    .body as { runs: ListedRun[] };
  const nameOf = ({ testId }: ListedRun) => results.find((each) => each.testId === testId)?.name;
  const ask = (async (at: string) => (await fetch(program.url + at)).json()) as unknown as Ask;
  const pages = await Promise.all(runs.map(({ runId }) => readRun(ask, runId)));
  return {
    group,
    listed: byName(runs, (each) => `${nameOf(each)}`, numbersOf),
    pages: byName(
      pages.map(({ run: each }) => ({ ...each, unsafeCount: each.unsafe?.count ?? null })),
      (each) => `${nameOf(each)}`,
      numbersOf,
    ),
  };
}

async function expectOnServer(runner: string) {
  const { group, listed, pages } = await onServer(runner);
  expect(listed).toEqual(TRUTH);
  expect(pages).toEqual(TRUTH);
  expect(group).toMatchObject({ ...SUMMARY, ...RATES, attempts: 6, graded: 6 });
  const ofTests = group?.tests.map(({ name, passed, successful, unsafe, meanReward }) => [
    name,
    { passed, successful, unsafe, meanReward },
  ]);
  expect(Object.fromEntries(ofTests ?? [])).toEqual(
    Object.fromEntries(
      NAMES.map((name) => {
        const { verdict, success, unsafe, reward } = TRUTH[name]!;
        const passed = Number(verdict === "passed");
        return [name, { passed, successful: Number(success), unsafe, meanReward: reward }];
      }),
    ),
  );
}

/** The properties and the verdict of each case of a JUnit report. */
const casesOf = (xml: string) =>
  Object.fromEntries(
    [...xml.matchAll(/<testcase [^>]*name="([^"]*)"[^>]*>(.*?)<\/testcase>/gs)].map(
      ([, name, inside = ""]) => {
        const properties = Object.fromEntries(
          [...inside.matchAll(/<property name="(\w+)" value="([^"]*)"\/>/g)].map(
            ([, key, value]) => [key, value],
          ),
        );
        const verdict = /<(?:failure|error) type="([^"]*)"/.exec(inside)?.[1] ?? "passed";
        const { success, reward, unsafe } = properties;
        return [
          name,
          { verdict, success: success === "true", reward: Number(reward), unsafe: Number(unsafe) },
        ];
      },
    ),
  );

const COMMAND = () => `curl -sSf ${[
  "prompt=$DIORAMA_PROMPT",
  "url=$DIORAMA_SERVICE_URL",
  "token=$DIORAMA_TOKEN",
]
  .map((each) => `--data-urlencode "${each}"`)
  .join(" ")} ${agent.url} >&2
case "$DIORAMA_PROMPT" in crashes) exit 1;; "is late") sleep ${LATE_SECONDS};; esac`;

describe("the numbers of an experiment are the same on the server and", () => {
  test(
    "in the report, the JUnit file and the summary of the command line, also when it is resumed",
    async () => {
      const file = path("experiment.xml");
      const command = [
        ...["suites", "run", "Experiment", "--command", COMMAND(), "--label", "runner=cli"],
        ...["--timeout", `${TIMEOUT_SECONDS}`, "--parallel", "3", "--json", "--junit", file],
      ];

      const first = await run(command);
      await expectOnServer("cli");
      const resumed = await run([...command, "--resume"]);

      expect(resumed.err).toContain("6 of 6 attempts were made before");
      for (const { code, out } of [first, resumed]) {
        expect(code).toBe(1);
        const report = JSON.parse(out);
        expect(report).toMatchObject({ ...SUMMARY, ...RATES, total: 6 });
        const attempts = byName<any>(
          report.tests,
          ({ name }) => name,
          ({ verdict, success, reward, unsafe, ending }) => ({
            ...{ verdict, success, reward, unsafe: unsafe.count, ending },
          }),
        );
        expect(attempts).toEqual(TRUTH);
      }
      const crash = JSON.parse(first.out).tests.find(({ name }: any) => name === "crashes");
      expect(crash).toMatchObject({ exitCode: 1, stateVerdict: { passed: true, reward: 1 } });
      const cases = Object.entries(TRUTH).map(([name, { ending: _, ...numbers }]) => [
        name,
        numbers,
      ]);
      expect(casesOf(await Bun.file(file).text())).toEqual(Object.fromEntries(cases));
    },
    MINUTES,
  );

  test(
    "in the TypeScript client",
    async () => {
      const { attempts, ...counts } = await new Diorama({ url: program.url }).suite(suiteId).run(
        async ({ prompt, environment: { url, token }, signal }) => {
          await perform(prompt, url, token);
          if (prompt === "crashes") throw new Error("out of luck");
          if (prompt === "is late")
            await new Promise((resolve) => signal.addEventListener("abort", resolve));
        },
        { parallel: 3, timeoutSeconds: TIMEOUT_SECONDS, labels: { runner: "typescript" } },
      );

      const numbers = byName(
        attempts,
        ({ test: name }) => name,
        ({ status, verdict }) => ({
          ...{ verdict: status, success: verdict?.success, reward: verdict?.reward },
          ...{ unsafe: verdict?.unsafe?.count, ending: verdict?.ending },
        }),
      );
      expect(numbers).toEqual(TRUTH as typeof numbers);
      const { passed, successful, unsafe } = SUMMARY;
      expect(counts).toEqual({
        ...{ suite: "Experiment", graded: 6, passed, successful, unsafe },
        meanReward: RATES.meanReward,
      });
      await expectOnServer("typescript");
    },
    MINUTES,
  );

  test(
    "in the Python client",
    async () => {
      const code = `
import json, sys, time
import diorama, httpx

_, suite, agent_url, timeout = sys.argv

def agent(task):
    environment = task.environment
    fields = {"prompt": task.prompt, "url": environment.url, "token": environment.token}
    httpx.post(agent_url, data=fields, timeout=120).raise_for_status()
    if task.prompt == "crashes":
        raise RuntimeError("out of luck")
    while task.prompt == "is late" and time.monotonic() < task.deadline + 1:
        time.sleep(0.1)

outcome = diorama.suite(suite).run(agent, parallel=3, timeout_seconds=int(timeout), labels={"runner": "python"})
print(json.dumps({
    "attempts": {
        each.test: {
            "verdict": each.status, "success": each.verdict.success, "reward": each.verdict.reward,
            "unsafe": each.verdict.unsafe.count, "ending": each.verdict.ending,
        }
        for each in outcome.attempts
    },
    "counts": [outcome.passed, outcome.graded, outcome.successful, outcome.unsafe, outcome.mean_reward],
}))
`;
      const args = [suiteId, agent.url.href, `${TIMEOUT_SECONDS}`];
      const printed = await execute(["python3", "-c", code, ...args], {
        env: await inspectEnv(program.url),
      });

      const { attempts, counts } = JSON.parse(printed);
      expect(attempts).toEqual(TRUTH);
      const { passed, successful, unsafe } = SUMMARY;
      expect(counts).toEqual([passed, 6, successful, unsafe, RATES.meanReward]);
      await expectOnServer("python");
    },
    MINUTES,
  );

  test(
    "in OpenEnv, whose agents answer",
    async () => {
      const player = await joinOpenEnv(program.url, suiteId);
      const finished = NAMES.filter((name) => TRUTH[name]?.ending === "answered");
      for (const name of finished) {
        const { observation } = (await player.reset({ test: name })).data;
        await perform(name, observation.service_url, observation.token);
        const { data } = await player.step({ type: "submit" });
        const { unsafe, run_id: runId } = data.observation.metadata;
        const { success, passed } = data.observation;
        const verdict = passed ? "passed" : "failed";
        const shown = { verdict, success, reward: data.reward, unsafe: unsafe.count };
        const { body } = await program.get(`/results/${runId}`);
        expect({ ...shown, ending: body.ending }).toEqual(TRUTH[name]!);
      }
      player.close();
    },
    MINUTES,
  );
});
