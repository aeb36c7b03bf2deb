/** Tasks of Harbor: read by its own classes, and played as its trials do, up to the containers. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { WebClient } from "@slack/web-api";
import { writesOf } from "~/commands/export/solution";
import { listenForFinish, openTask } from "~/program/task";
import { eventually, useDatabase } from "../support/database";
import { harborEnv } from "../support/harbor";
import { run } from "../support/packages";
import { launch } from "../support/process";
import { expectStatus, useProgram } from "../support/program";
import { added, worldSuite } from "../support/world-suite";

const MINUTES = 5 * 60_000;
const MAIN = join(import.meta.dir, "../../src/main.ts");
const database = useDatabase();
const sidecar = useDatabase();
const program = useProgram(database, { ENVIRONMENT_POOL_TARGETS: "" });
let folder = "";
let own: Awaited<ReturnType<typeof createOwn>>;

const exporting = async (suite: string, name = suite) => {
  const into = join(folder, name);
  const command = ["suites", "export", suite, into, "--format", "harbor", "--url", program.url];
  await run([process.execPath, MAIN, ...command]);
  return into;
};

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "diorama-harbor-"));
  own = await createOwn();
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const READ = `
import json, sys, typing
typing.override = getattr(typing, "override", lambda method: method)
from pathlib import Path
from harbor.models.task.task import Task
from harbor.models.task.verifier_mode import resolve_task_verifier_mode, resolve_verifier_environment_definition

tasks = [Task(path) for path in sorted(Path(sys.argv[1]).iterdir())]
assert all(Task.is_valid_dir(task.task_dir) for task in tasks)
print(json.dumps([
    {
        "name": task.name,
        "instruction": task.instruction,
        "mcp": [(each.name, each.transport, each.url) for each in task.config.environment.mcp_servers],
        "healthcheck": task.config.environment.healthcheck.command,
        "verifier": resolve_task_verifier_mode(task.config).value,
        "grader": resolve_verifier_environment_definition(task.config, task.paths).bundled_tests,
        "collect": [(each.service, each.command) for each in task.config.verifier.collect],
        "artifacts": [(each.service, each.source) for each in task.config.artifacts],
    }
    for task in tasks
]))
`;

test(
  "Harbor's own classes read a task for each test",
  async () => {
    const env = await harborEnv();
    const tasks: any[] = [];
    for (const suite of ["Chat benchmark", "Tracker benchmark"])
      tasks.push(
        ...JSON.parse(await run(["python3", "-c", READ, await exporting(suite)], { env })),
      );

    expect(tasks).toHaveLength(60);
    expect(new Set(tasks.map(({ name }) => name)).size).toBe(60);
    for (const task of tasks)
      expect(task).toMatchObject({
        name: expect.stringMatching(/^diorama\/(chat|tracker)-benchmark-/),
        instruction: expect.stringMatching(
          /^It is \w+day \d+ \w+ 2026, \d\d:\d\d UTC\. .+http:\/\/diorama:3000\/task\/services\//s,
        ),
        mcp: [[expect.any(String), "streamable-http", "http://diorama:3000/task/mcp"]],
        healthcheck: "curl -sf http://diorama:3000/task",
        verifier: "separate",
        grader: true,
        collect: [["diorama", "diorama task finish --out /verdict"]],
        artifacts: [["diorama", "/verdict"]],
      });
  },
  MINUTES,
);

test("the agent's container has the day of the template, and a prompt in real time is rejected", async () => {
  const told = async (templateName: string) => {
    const expectedOutput = { expects: "nothing", assertions: [] };
    const { body } = await program.post("/testSuites", {
      ...{ name: `Told ${templateName}`, templateService: "chat", templateName },
      impersonateUserId: "U01AGENTONE",
      tests: [{ name: "Wait", prompt: "It is {{now}}. Wait.", expectedOutput }],
    });
    const into = await exporting(body.suiteId, templateName);
    return Bun.file(join(into, (await readdir(into))[0] ?? "", "environment/docker-compose.yaml"));
  };
  const { now } = (await program.get("/templates/chat_bench_default")).body;

  expect(Bun.YAML.parse(await (await told("chat_bench_default")).text())).toMatchObject({
    services: { main: { environment: { DIORAMA_NOW: now } } },
  });
  await expect(told("chat_default")).rejects.toThrow("{{now}} is not known");
});

/** A suite of somebody's, on a template of theirs. */
async function createOwn(): Promise<{ readonly name: string; readonly testId: string }> {
  const environment = await program.environment();
  await program.chat(environment, "chat.postMessage", { channel: "C01GENERAL", text: "Mine" });
  const { environmentId } = environment;
  const template = { environmentId, service: "chat", name: "of_my_own" };
  expectStatus(await program.post("/templates", template), 201);
  const said = (text: string) => ({
    diff_type: "added",
    entity: "messages",
    where: { text },
    expected_count: 1,
  });
  const suite = {
    ...{ name: 'My "own" suite', templateService: "chat", templateName: "of_my_own" },
    impersonateUserId: "U01AGENTONE",
    tests: [
      {
        ...{ name: "Say hello and bye", prompt: "Say hello and bye." },
        expectedOutput: { assertions: [said("Hello"), said("Bye")] },
      },
    ],
  };
  const { body } = await program.post("/testSuites", suite);
  const { tests } = (await program.get(`/testSuites/${body.suiteId}?expand=true`)).body;
  return { name: suite.name, testId: String(tests[0].id) };
}

test(
  "the solution is that of a run that passed, with the ids of now",
  async () => {
    const { name, testId } = own;
    const environment = (await program.post("/initEnv", { testId })).body;
    const { environmentId: envId } = environment;
    const { runId } = (await program.post("/startRun", { envId, testId, journal: "full" })).body;
    const channel = "C01GENERAL";
    const { ts } = await program.chat(environment, "chat.postMessage", { channel, text: "Hello" });
    await program.chat(environment, "chat.postMessage", { channel, text: "Bye", thread_ts: ts });
    expect((await program.post("/evaluateRun", { runId })).body.status).toBe("passed");

    const path = await exporting(name, "solved");
    const folder = join(path, (await readdir(path))[0] ?? "");
    const solution = join(folder, "solution");
    const script = join(solution, "solve.py");
    await Bun.write(
      script,
      (await Bun.file(script).text()).replace("http://diorama:3000", program.url),
    );
    const task = await openTask(program.program, join(folder, "environment/task.json"));
    await run(["sh", join(solution, "solve.sh")]);
    const { result, rewards } = await task.finish();

    expect(rewards).toMatchObject({ reward: 1 });
    const [hello, bye] = (result as { diff: { inserts: any[] } }).diff.inserts;
    expect(hello.ts).not.toBe(ts);
    expect(bye.thread_ts).toBe(hello.ts);
  },
  MINUTES,
);

test(
  "a task in a world names every service, and its solution calls each",
  async () => {
    const { body: suite } = await program.post(
      "/testSuites",
      worldSuite(
        "A world",
        { name: "Tell and file", prompt: "Tell the channel, and file it." },
        added("chat", "messages", { text: "Filed" }),
        added("tracker", "issues", { title: "Crash" }),
        added("tracker", "issues", { title: "By tool" }),
      ),
    );
    const { tests } = (await program.get(`/testSuites/${suite.suiteId}?expand=true`)).body;
    const testId = tests[0].id;
    const { body: environment } = await program.post("/initEnv", { testId });
    const { environmentId: envId, token, services, mcpUrl } = environment;
    const { runId } = (await program.post("/startRun", { envId, testId, journal: "full" })).body;
    const call = async (url: string, body: object) => {
      const headers = {
        ...{ Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
        Accept: "application/json, text/event-stream",
      };
      const answer = await fetch(program.url + url, {
        ...{ method: "POST", headers, body: JSON.stringify(body) },
      });
      expect(answer.status).toBe(200);
    };
    await call(`${services.chat.url}/chat.postMessage`, { channel: "C01GENERAL", text: "Filed" });
    await call(`${services.tracker.url}/graphql`, {
      query: "mutation ($input: IssueCreateInput!) { issueCreate(input: $input) { success } }",
      variables: { input: { teamId: "c0000000-0000-4000-8000-000000000001", title: "Crash" } },
    });
    await call(mcpUrl, {
      ...{ jsonrpc: "2.0", id: 1, method: "tools/call" },
      params: { name: "save_issue", arguments: { team: "ENG", title: "By tool" } },
    });
    expect((await program.post("/evaluateRun", { runId })).body).toMatchObject({
      ...{ passed: true, failures: [] },
    });

    const path = await exporting(suite.suiteId, "world");
    const folder = join(path, (await readdir(path))[0] ?? "");
    const script = join(folder, "solution/solve.py");
    await Bun.write(
      script,
      (await Bun.file(script).text()).replace("http://diorama:3000", program.url),
    );
    const task = await openTask(program.program, join(folder, "environment/task.json"));
    const told = (await (await fetch(`${program.url}/task`)).json()) as { service_url: string };
    await run(["sh", join(folder, "solution/solve.sh")]);
    const { rewards } = await task.finish();

    expect(rewards).toMatchObject({ reward: 1 });
    expect(told).toMatchObject({
      service: "world",
      service_url: `${program.url}/task/services`,
      services: { tracker: { url: `${program.url}/task/services/tracker` } },
    });
    const instruction = await Bun.file(join(folder, "instruction.md")).text();
    expect(instruction).toContain("Slack Web API at http://diorama:3000/task/services/chat; ");
    expect(instruction).toContain("at http://diorama:3000/task/services/calendar; any token");
  },
  MINUTES,
);

const WRITE = {
  via: "rest" as const,
  service: "chat",
  name: "chat.delete",
  arguments: {},
  answer: {},
  fault: null,
  changes: [1],
};
const CUT = { truncated: true, characters: 20_000, beginning: "{" };
const PAGE = {
  journal: "full",
  attribution: "exact",
  next: null,
  complete: true,
  calls: [WRITE, { ...WRITE, changes: [] }, WRITE],
};

test.each([
  ["writes with answers", PAGE, 2],
  ["one write without an answer", { ...PAGE, journal: "calls", calls: [WRITE] }, 1],
  ["writes without answers", { ...PAGE, journal: "calls" }, undefined],
  ["no writes", { ...PAGE, calls: [] }, undefined],
  ["a write that is cut", { ...PAGE, calls: [{ ...WRITE, arguments: CUT }] }, undefined],
  ["a fault", { ...PAGE, calls: [{ ...WRITE, fault: "500" }] }, undefined],
  ["a journal that lacks calls", { ...PAGE, complete: false }, undefined],
  ["calls without their changes", { ...PAGE, attribution: "none" }, undefined],
])("the solution of a run with %s", (_, page, count) => {
  expect(writesOf(page)?.length).toBe(count as number);
});

test(
  "a trial: the sidecar serves the test alone, and hands its verdict to the verifier",
  async () => {
    const path = await exporting(own.name);
    const [name = ""] = await readdir(path);
    const task = join(path, name);
    const socket = join(folder, "task.sock");
    const other = await launch(
      sidecar,
      { ENVIRONMENT: "production", HOST: "127.0.0.1", DIORAMA_TASK_SOCKET: socket },
      { args: ["serve", "--task", join(task, "environment/task.json")] },
    );
    try {
      const started = await eventually(async () => {
        const response = await fetch(`${other.url}/task`);
        expect(response.status).toBe(200);
        return (await response.json()) as { prompt: string; service_url: string; mcp_url: string };
      });
      expect(started).toEqual({
        ...{ prompt: "Say hello and bye.", service: "chat", now: expect.stringMatching(/Z$/) },
        service_url: `${other.url}/task/services/chat`,
        mcp_url: `${other.url}/task/mcp`,
        services: {
          chat: {
            url: `${other.url}/task/services/chat`,
            mcp_url: `${other.url}/task/services/chat/mcp`,
          },
        },
      } as typeof started);

      const slack = new WebClient("any-token", { slackApiUrl: `${started.service_url}/` });
      const { messages = [] } = await slack.conversations.history({ channel: "C01GENERAL" });
      expect(messages.map(({ text }) => text)).toContain("Mine");
      const message = { channel_id: "C01GENERAL", message: "Hello" };
      const tool = await fetch(started.mcp_url, {
        method: "POST",
        headers: {
          "Content-Type": "application/json",
          Accept: "application/json, text/event-stream",
        },
        body: JSON.stringify({
          ...{ jsonrpc: "2.0", id: 1, method: "tools/call" },
          params: { name: "slack_send_message", arguments: message },
        }),
      });
      expect(await tool.json()).toMatchObject({ result: { content: expect.any(Array) } });
      for (const [method, at] of [
        ["GET", "/api/platform/environments"],
        ["POST", "/api/platform/evaluateRun"],
      ] as const)
        expect((await fetch(other.url + at, { method })).status).toBe(401);

      const verdict = join(folder, "verdict");
      const finish = ["task", "finish", "--out", verdict];
      const env = { ...process.env, DIORAMA_TASK_SOCKET: socket };
      await run([process.execPath, MAIN, ...finish], { env });
      await slack.chat.postMessage({ channel: "C01GENERAL", text: "Bye" });
      await run([process.execPath, MAIN, ...finish], { env });

      const script = await Bun.file(join(task, "tests/test.sh")).text();
      const moved = script
        .replaceAll("/logs", join(folder, "logs"))
        .replaceAll("/verdict", verdict);
      await run(["sh", "-ec", moved]);
      expect(await Bun.file(join(folder, "logs/verifier/reward.json")).json()).toEqual({
        reward: 0.5,
        passed: 0,
        assertion_1: 1,
        assertion_2: 0,
        success: 0,
        unsafe: 0,
      });
      expect(await Bun.file(join(folder, "logs/verifier/result.json")).json()).toMatchObject({
        ...{ gradable: true, passed: false },
        diff: { inserts: [{ text: "Hello" }] },
      });
    } finally {
      other.kill("SIGTERM");
      await other.exited;
    }
  },
  MINUTES,
);

test(
  "an agent that solved its task and crashed has no reward",
  async () => {
    const socket = join(folder, "crashed.sock");
    const path = await exporting(own.name, "crashing");
    const file = join(path, (await readdir(path))[0] ?? "", "environment/task.json");
    const task = await openTask(program.program, file);
    const listening = await listenForFinish(socket, task.finish);
    const { service_url } = (await (await fetch(`${program.url}/task`)).json()) as any;
    const slack = new WebClient("any-token", { slackApiUrl: `${service_url}/` });
    for (const text of ["Hello", "Bye"])
      await slack.chat.postMessage({ channel: "C01GENERAL", text });
    const finish = (...options: string[]) =>
      run([process.execPath, MAIN, "task", "finish", "--out", join(folder, "crash"), ...options], {
        env: { ...process.env, DIORAMA_TASK_SOCKET: socket },
      });
    const post = (body: string) =>
      fetch("http://localhost/", { method: "POST", body, unix: socket });

    await expect(finish("--ending", "died")).rejects.toThrow(
      /Allowed choices are answered, crashed/,
    );
    await expect(finish("--exit-code", "-1")).rejects.toThrow(/A whole number from 0/);
    for (const body of ["", "[]", '{"ending":"died"}', '{"exitCode":1.5}', '{"runId":"1"}'])
      expect((await post(body)).status).toBe(400);
    await finish("--ending", "crashed", "--exit-code", "3");

    expect(await Bun.file(join(folder, "crash/reward.json")).json()).toEqual({
      ...{ reward: 0, passed: 0, success: 0, unsafe: 0 },
      ...{ assertion_1: 1, assertion_2: 1 },
    });
    expect(await Bun.file(join(folder, "crash/result.json")).json()).toMatchObject({
      ...{ passed: false, ending: "crashed", exitCode: 3 },
      stateVerdict: { passed: true, reward: 1 },
    });
    await listening.stop(true);
  },
  MINUTES,
);

test("a run that is not gradable has no reward", async () => {
  const { body } = await program.get("/testSuites?name=Chat%20benchmark");
  const { tests } = (await program.get(`/testSuites/${body.testSuites[0].id}?expand=true`)).body;
  const task = await openTask(program.program, tests[0].id);
  const { mcp_url } = (await (await fetch(`${program.url}/task`)).json()) as { mcp_url: string };
  const [row] = await database.sql`
    select environment_id from diorama.runs where run_id = ${task.runId}
  `;
  const owner = { userId: "diorama task", keyId: "diorama task", plan: "enterprise" } as const;
  const deletion = { method: "DELETE", path: `/env/${row?.["environment_id"]}` } as const;
  expect((await program.program.app.callAs(owner, deletion)).status).toBe(200);

  const { result, rewards } = await task.finish();

  expect(rewards).toBeNull();
  expect(result).toMatchObject({ gradable: false });
  expect((await fetch(mcp_url, { method: "POST", body: "{}" })).status).toBe(404);
});

test("a server without a task, and a test that does not exist", async () => {
  const finish = ["task", "finish", "--out", folder];
  const env = { ...process.env, DIORAMA_TASK_SOCKET: join(folder, "nobody") };

  await expect(run([process.execPath, MAIN, ...finish], { env })).rejects.toThrow(
    /no server with a task listens at/,
  );
  await expect(openTask(program.program, "0".repeat(32))).rejects.toThrow(/test_not_found/);
  await expect(openTask(program.program, "/nowhere")).rejects.toThrow(/the file of a task/);
});
