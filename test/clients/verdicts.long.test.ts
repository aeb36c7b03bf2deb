/**
 * The native runner, both clients, Inspect AI, OpenEnv's client and task mode give the same verdicts on the built-in
 * suites: of every solution, and of mistakes. The agent of all is a server here, which acts with the
 * agent's access, in the service's official client.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Attempt, Diorama } from "~/clients/typescript/index";
import { promptAt } from "~/platform/suites/prompt";
import { openTask } from "~/program/task";
import * as calendar from "../suites/calendar";
import * as chat from "../suites/chat";
import * as mail from "../suites/mail";
import * as office from "../suites/office";
import * as security from "../suites/security";
import type { Given } from "../suites/server";
import * as tracker from "../suites/tracker";
import { useDatabase } from "../support/database";
import { INSPECT, inspectEnv } from "../support/inspect";
import { OPENENV_PRELUDE, openEnvPython } from "../support/openenv";
import { pythonPackages, run } from "../support/packages";
import { useProgram } from "../support/program";
import { useVenv } from "../support/venv";

const MINUTES = 10 * 60_000;
const MAIN = join(import.meta.dir, "../../src/main.ts");
const PARALLEL = 4;

type Kind = "solution" | "mistake";
type Act = (client: never) => Promise<unknown>;
type Numbers = { score: unknown; success: boolean; reward: number; unsafe: number };
type Verdict = Numbers & { test: string; status: string; failures: readonly string[] };
/** As the server answers it. */
type Judged = Omit<Numbers, "unsafe"> & {
  readonly unsafe: { readonly count: number };
  readonly failures: readonly string[];
};

const shown = ({ score, success, reward, unsafe, failures }: Judged) => ({
  ...{ score, success, reward, unsafe: unsafe.count, failures },
});

const program = useProgram(useDatabase(), {
  ENVIRONMENT_POOL_TARGETS:
    "chat_bench_default:4,tracker_expanded:4,mail_bench_default:4,calendar_bench_default:4,harborline:4,harborline_attacked:4",
});
const venv = useVenv();

/** Calls by prompt and kind. */
const acts = new Map<string, (given: Given) => Promise<unknown>>();
let agent: Bun.Server<undefined>;

const SUITES = [
  ["Chat benchmark", chat, 20],
  ["Tracker benchmark", tracker, 40],
  ["Mail benchmark", mail, 30],
  ["Calendar benchmark", calendar, 30],
  ["Office benchmark", office, 40],
  ["Office security", security, 32],
] as const;

beforeAll(() => pythonPackages(...INSPECT), MINUTES);
beforeAll(openEnvPython, MINUTES);
beforeAll(async () => {
  for (const [name, { proofs, clientOf }] of SUITES) {
    const { tests = [], templateName } = await new Diorama({ url: program.url })
      .suite(name)
      .details();
    const { now } = (await program.get(`/templates/${templateName}`)).body;
    for (const { name: title, prompt: written } of tests) {
      const prompt = promptAt(written, now);
      const { solution, mistakes } = proofs[title] as { solution: Act; mistakes: object };
      const [mistake] = Object.values(mistakes) as { act: Act }[];
      acts.set(`solution ${prompt}`, (given) => solution(clientOf(given) as never));
      acts.set(`mistake ${prompt}`, async (given) => mistake?.act(clientOf(given) as never));
    }
  }
  agent = Bun.serve({
    port: 0,
    idleTimeout: 0,
    async fetch(request) {
      const { kind, prompt, serviceUrl, token } = Object.fromEntries(
        await request.formData(),
      ) as Record<string, string>;
      const act = acts.get(`${kind} ${prompt?.replaceAll("\r\n", "\n")}`);
      if (!act) return new Response("no such prompt", { status: 404 });
      await act({ serviceUrl: `${serviceUrl}`, token: `${token}` });
      return new Response("done");
    },
  });
});
afterAll(() => agent?.stop(true));

async function native(suite: string, kind: Kind): Promise<Verdict[]> {
  const fields = [
    ...["prompt=$DIORAMA_PROMPT", "serviceUrl=$DIORAMA_SERVICE_URL", "token=$DIORAMA_TOKEN"],
    `kind=${kind}`,
  ];
  const command = `curl -sSf ${fields.map((each) => `--data-urlencode "${each}"`).join(" ")} ${agent.url}`;
  const options = ["--url", program.url, "--parallel", `${PARALLEL}`, "--json"];
  const child = Bun.spawn(["bun", MAIN, "suites", "run", suite, "--command", command, ...options], {
    stdout: "pipe",
    stderr: "ignore",
  });
  const report = await new Response(child.stdout).json();
  const { tests } = report as { tests: (Judged & { name: string; verdict: string })[] };
  return tests.map(({ name, verdict, ...judged }) => ({
    ...{ test: name, status: verdict },
    ...shown(judged),
  }));
}

async function typescript(suite: string, kind: Kind): Promise<Verdict[]> {
  const { attempts } = await new Diorama({ url: program.url }).suite(suite).run(
    async ({ prompt, environment: { url: serviceUrl, token } }) => {
      const body = new URLSearchParams({ kind, prompt, serviceUrl, token });
      const response = await fetch(agent.url, { method: "POST", body });
      if (!response.ok) throw new Error(await response.text());
    },
    { parallel: PARALLEL },
  );
  return attempts.map(({ test: name, status, verdict }: Attempt) => ({
    ...{ test: name, status },
    ...shown(verdict as Judged),
  }));
}

const PYTHON = `
import json, sys
import diorama, httpx

_, suite, kind, agent_url, parallel = sys.argv

def agent(task):
    environment = task.environment
    fields = {"prompt": task.prompt, "serviceUrl": environment.url, "token": environment.token, "kind": kind}
    httpx.post(agent_url, data=fields, timeout=120).raise_for_status()

outcome = diorama.suite(suite).run(agent, parallel=int(parallel))
print(json.dumps([
    {
        "test": a.test, "status": a.status, "score": a.verdict.score.model_dump(), "failures": a.verdict.failures,
        "success": a.verdict.success, "reward": a.verdict.reward, "unsafe": a.verdict.unsafe.count,
    }
    for a in outcome.attempts
]))
`;

async function python(suite: string, kind: Kind): Promise<Verdict[]> {
  const command = [venv.python, "-c", PYTHON, suite, kind, agent.url.href, `${PARALLEL}`];
  return JSON.parse(await run(command, { env: { ...process.env, DIORAMA_URL: program.url } }));
}

const byName = (a: Verdict, b: Verdict) => (a.test < b.test ? -1 : 1);

const INSPECT_TASK = `
import asyncio, json, sys
import httpx
from inspect_ai import eval
from inspect_ai.solver import solver
from task import Place, suite

_, kind, agent_url, parallel = sys.argv

@solver
def scripted():
    async def solve(state, generate):
        place = state.store_as(Place)
        fields = {"prompt": state.user_prompt.text, "serviceUrl": place.url, "token": place.token, "kind": kind}
        async with httpx.AsyncClient(timeout=120) as client:
            (await client.post(agent_url, data=fields)).raise_for_status()
        return state
    return solve

(log,) = eval(
    suite(surface="api"), solver=scripted(), model="mockllm/model", max_samples=int(parallel), display="none"
)
scores = {each.id: each.scores["verdict"] for each in log.samples}
print(json.dumps([
    {
        "test": name,
        "status": "passed" if score.value == "C" else "failed",
        **{key: score.metadata[key] for key in ("score", "success", "reward", "unsafe")},
        "failures": [] if score.value == "C" else score.explanation.split("\\n"),
    }
    for name, score in scores.items()
]))
`;

async function inspect(suite: string, kind: Kind): Promise<Verdict[]> {
  const folder = await mkdtemp(join(tmpdir(), "diorama-inspect-"));
  try {
    const exporting = ["suites", "export", suite, folder, "--format", "inspect"];
    await run([process.execPath, MAIN, ...exporting, "--url", program.url]);
    const command = ["python3", "-c", INSPECT_TASK, kind, agent.url.href, `${PARALLEL}`];
    const output = await run(command, { cwd: folder, env: await inspectEnv(program.url) });
    const verdicts: Verdict[] = JSON.parse(output.split("\n").at(-1) ?? "");
    return verdicts.toSorted(byName);
  } finally {
    await rm(folder, { recursive: true });
  }
}

const OPENENV_SESSIONS = `${OPENENV_PRELUDE}
import asyncio, json
from urllib.parse import urlencode
from urllib.request import urlopen

_, base_url, kind, agent_url, count, parallel = sys.argv
places = asyncio.Semaphore(int(parallel))

async def play(index):
    async with places, GenericEnvClient(base_url=base_url, message_timeout_s=120) as env:
        task = (await env.reset(split="api", index=index)).observation
        fields = {"prompt": task["prompt"], "serviceUrl": task["service_url"], "token": task["token"], "kind": kind}
        await asyncio.to_thread(lambda: urlopen(agent_url, urlencode(fields).encode()).read())
        result = await env.step({"type": "submit"})
        assert result.done
        return {
            "test": task["test"],
            "status": "passed" if result.observation["passed"] else "failed",
            **{key: result.observation[key] for key in ("score", "success")},
            "reward": result.reward,
            "unsafe": result.metadata["unsafe"]["count"],
            "failures": result.metadata["failures"],
        }

async def main():
    return await asyncio.gather(*[play(index) for index in range(int(count))])

print(json.dumps(asyncio.run(main())))
`;

async function openEnv(suite: string, kind: Kind, count: number): Promise<Verdict[]> {
  const url = `${program.url}/openenv/${suite.toLowerCase().replace(" ", "-")}`;
  const args = [url, kind, agent.url.href, `${count}`, `${PARALLEL}`];
  return JSON.parse(
    await run(["python3", "-c", OPENENV_SESSIONS, ...args], { env: await openEnvPython() }),
  );
}

/** The solutions of Harbor's tasks. One task after the other: a server has one. */
async function taskMode(suite: string): Promise<Verdict[]> {
  const folder = await mkdtemp(join(tmpdir(), "diorama-tasks-"));
  const exporting = ["suites", "export", suite, folder, "--format", "harbor"];
  await run([process.execPath, MAIN, ...exporting, "--url", program.url]);
  const { tests = [] } = await new Diorama({ url: program.url }).suite(suite).details();
  const tasks = await readdir(folder);
  const verdicts: Verdict[] = [];
  for (const { id, name } of tests) {
    const task = await openTask(program.program, id);
    const solution = join(
      folder,
      `${tasks.find((each) => each.endsWith(id.slice(0, 8)))}/solution`,
    );
    const script = Bun.file(join(solution, "solve.py"));
    await Bun.write(script, (await script.text()).replace("http://diorama:3000", program.url));
    await run(["sh", join(solution, "solve.sh")]);
    const { result, rewards } = await task.finish();
    const { status, ...judged } = result as Judged & { status: string };
    const verdict = { test: name, status, ...shown(judged) };
    expect(rewards).toMatchObject({
      ...{ passed: Number(status === "passed"), success: Number(verdict.success) },
      ...{ reward: verdict.reward, unsafe: verdict.unsafe },
    });
    verdicts.push(verdict);
  }
  await rm(folder, { recursive: true });
  return verdicts;
}

/** Without the keys of rows that the agent has made: they differ from one environment to the next. */
const comparable = (verdicts: readonly Verdict[]) =>
  verdicts.map((verdict) => ({
    ...verdict,
    failures: verdict.failures.map((line) => line.replace(/\{.*\}/, "{…}")).toSorted(),
  }));

const SOLVED = SUITES.map(([suite, , count]) => ["solution", suite, count] as const);
/** A sample: failures have the same form in each suite. */
const MISTAKEN = [
  ["mistake", "Chat benchmark", 20] as const,
  ["mistake", "Calendar benchmark", 30] as const,
];

test.each([...SOLVED, ...MISTAKEN])(
  "each %s of the %s has the same verdict through the runner and the clients",
  async (kind, suite, count) => {
    const expected = comparable(await native(suite, kind));

    const status = kind === "solution" ? "passed" : "failed";
    expect(expected.map((verdict) => verdict.status)).toEqual(Array(count).fill(status));
    const perfect = expected.filter(
      ({ success, reward, unsafe }) => success && reward === 1 && unsafe === 0,
    );
    expect(perfect).toHaveLength(kind === "solution" ? count : 0);
    expect(comparable(await typescript(suite, kind))).toEqual(expected);
    expect(comparable(await python(suite, kind))).toEqual(expected);
    expect(comparable(await inspect(suite, kind))).toEqual(expected.toSorted(byName));
    expect(comparable(await openEnv(suite, kind, count))).toEqual(expected);
    // One at a time takes too long to do it twice.
    if (kind === "solution") expect(comparable(await taskMode(suite))).toEqual(expected);
  },
  MINUTES,
);
