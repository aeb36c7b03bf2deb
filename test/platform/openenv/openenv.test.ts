/** Suites as environments of OpenEnv: episodes over a WebSocket and over HTTP, and the list of tasks. */
import { beforeAll, describe, expect, test } from "bun:test";
import { createPlayers, PLAYERS_MAX, PLAYERS_PER_KEY_MAX } from "~/platform/openenv/players";
import { turnAway } from "~/platform/openenv/wire";
import { eventually, useDatabase } from "../../support/database";
import { joinOpenEnv } from "../../support/openenv";
import { expectStatus, useProgram } from "../../support/program";
import { useUsers } from "../../support/users";
import { added, worldSuite } from "../../support/world-suite";

const database = useDatabase();
const program = useProgram(database, { ENVIRONMENT_POOL_TARGETS: "chat_default:2" });
const closed = useProgram(database, { ENVIRONMENT: "production", HOST: "127.0.0.1" });
const { ann, bob } = useUsers(database, "ann", "bob");

const SLUG = "play-me";
const hello = { type: "call_tool", tool_name: "slack_send_message" };
const say = (message: string) => ({ ...hello, arguments: { channel_id: "C01GENERAL", message } });
const said = (text: string) => ({
  diff_type: "added",
  entity: "messages",
  where: { text },
  expected_count: 1,
});
const TESTS = [
  { name: "Hello", prompt: "Say hello.", expectedOutput: { assertions: [said("Hello")] } },
  {
    ...{ name: "Both", prompt: "Say hello and bye." },
    expectedOutput: { assertions: [said("Hello"), said("Bye")] },
  },
  {
    ...{ name: "By hand", prompt: "Use the API.", surfaces: ["api"] },
    expectedOutput: { assertions: [said("Hello")] },
  },
];
const SUITE = {
  ...{ name: "Play me!", templateService: "chat", templateName: "chat_default" },
  ...{ impersonateUserId: "U01AGENTONE", tests: TESTS },
};
let suiteId = "";

beforeAll(async () => {
  const answer = await program.post("/testSuites", SUITE);
  expectStatus(answer, 201);
  suiteId = answer.body.suiteId;
  expectStatus(await closed.post("/testSuites", SUITE, ann), 201);
});

const active = async () => (await program.get("/environments?status=active")).body.environments;
const nothingIsLeft = () => eventually(async () => expect(await active()).toEqual([]));
const join = (suite = SLUG) => joinOpenEnv(program.url, suite);

describe("over a WebSocket", () => {
  test("an agent reads the task, lists the tools, calls them and submits", async () => {
    const client = await join();
    const { data: begun } = await client.reset({ test: "Hello", episode_id: "mine" });
    const { observation: listed } = (await client.step({ type: "list_tools" })).data;
    const { observation: called } = (await client.step(say("Hello"))).data;
    const { data: ended } = await client.step({ type: "submit" });

    expect(begun).toMatchObject({
      reward: null,
      done: false,
      observation: {
        ...{ prompt: "Say hello.", test: "Hello", user_id: "U01AGENTONE", service: "chat" },
        metadata: { episode_id: "mine" },
      },
    });
    const send = listed.tools.find(({ name }: { name: string }) => name === hello.tool_name);
    expect(Object.keys(send)).toEqual(["name", "description", "input_schema"]);
    expect(listed.tools.at(-1).name).toBe("submit");
    expect(called).toMatchObject({
      ...{ tool_name: hello.tool_name, error: null },
      result: { is_error: false, content: [{ type: "text", text: expect.any(String) }] },
    });
    expect(ended).toMatchObject({
      ...{ reward: 1, done: true },
      observation: { passed: true, score: { passed: 1, total: 1, percent: 100 } },
      metadata: { failures: [] },
    });
    const { run_id: runId } = begun.observation.metadata;
    expect((await program.get(`/results/${runId}`)).body).toMatchObject({
      status: "passed",
      testSuiteId: suiteId,
      labels: { harness: "openenv" },
    });
    expect((await client.state()).data).toMatchObject({
      episode_id: "mine",
      step_count: 3,
      run_id: runId,
      done: true,
      reward: 1,
    });
    await nothingIsLeft();
    client.close();
  });

  test("the reward is the part of the assertions that hold, also after the tool `submit`", async () => {
    const client = await join(suiteId);
    await client.reset({ test: "Both" });
    await client.step(say("Hello"));

    const { data } = await client.step({ type: "call_tool", tool_name: "submit" });

    expect(data).toMatchObject({ reward: 0.5, done: true, observation: { passed: false } });
    expect(data.metadata.failures).toEqual(["assertion#2 messages expected count 1 but got 0"]);
    client.close();
  });

  test("the environment's own addresses work with its token", async () => {
    const client = await join();
    const { observation } = (await client.reset({ split: "api", test: "By hand" })).data;
    const response = await fetch(`${observation.service_url}/chat.postMessage`, {
      method: "POST",
      headers: {
        Authorization: `Bearer ${observation.token}`,
        "Content-Type": "application/json",
      },
      body: JSON.stringify({ channel: "C01GENERAL", text: "Hello" }),
    });
    expect(await response.json()).toMatchObject({ ok: true });

    expect((await client.step({ type: "submit" })).data.reward).toBe(1);
    client.close();
  });

  test("an episode in a world has the tools and the addresses of all services", async () => {
    const answer = await program.post(
      "/testSuites",
      worldSuite(
        "Both of them",
        { name: "Both", prompt: "Tell and file." },
        added("chat", "messages", { text: "Hello" }),
        added("tracker", "issues", { title: "Crash" }),
      ),
    );
    expectStatus(answer, 201);
    const client = await join("both-of-them");
    const { observation } = (await client.reset()).data;
    const { tools } = (await client.step({ type: "list_tools" })).data.observation;

    const calls = [
      say("Hello"),
      {
        ...{ type: "call_tool", tool_name: "save_issue" },
        arguments: { team: "ENG", title: "Crash" },
      },
    ];
    for (const call of calls)
      expect((await client.step(call)).data.observation).toMatchObject({ error: null });

    const root = observation.service_url;
    expect(observation).toMatchObject({
      service: "world",
      services: {
        chat: { url: `${root}/chat`, mcp_url: `${root}/chat/mcp`, user_id: "U01AGENTONE" },
        tracker: { url: `${root}/tracker` },
      },
    });
    const names = tools.map(({ name }: { name: string }) => name);
    expect(names).toEqual(expect.arrayContaining([hello.tool_name, "save_issue", "submit"]));
    expect((await client.step({ type: "submit" })).data.reward).toBe(1);
    client.close();
    await nothingIsLeft();
  });

  test("an episode has the faults of its test", async () => {
    const faults = [{ fault: "rate_limited", tool: hello.tool_name, when: { times: 1 } }];
    const answer = await program.post("/testSuites", {
      ...{ ...SUITE, name: "Broken vocabulary" },
      tests: [{ ...TESTS[0], faults }],
    });
    expectStatus(answer, 201);
    const client = await join("broken-vocabulary");
    await client.reset();

    const first = (await client.step(say("Hello"))).data.observation;
    const second = (await client.step(say("Hello"))).data.observation;

    expect(first).toMatchObject({ result: null, error: { error_type: "execution_error" } });
    expect(second).toMatchObject({ result: { is_error: false }, error: null });
    expect((await client.step({ type: "submit" })).data.reward).toBe(1);
    client.close();
    await nothingIsLeft();
  });

  test("an episode has the template and the user of its test", async () => {
    const own = { templateName: "chat_base", impersonateUserId: "U02JOHNADOE" };
    const answer = await program.post("/testSuites", {
      ...{ ...SUITE, name: "Own worlds" },
      tests: [TESTS[0], { ...TESTS[0], name: "Elsewhere", ...own }],
    });
    expectStatus(answer, 201);
    const client = await join("own-worlds");
    const begun = async (test: string) => {
      const { observation } = (await client.reset({ test })).data;
      const { body } = await program.get(`/env/${observation.metadata.environment_id}`);
      return [observation.user_id, body.impersonateUserId, body.templateSchema];
    };

    expect(await begun("Hello")).toEqual(["U01AGENTONE", "U01AGENTONE", "chat_default"]);
    expect(await begun("Elsewhere")).toEqual(["U02JOHNADOE", "U02JOHNADOE", "chat_base"]);
    client.close();
    await nothingIsLeft();
  });

  test("a reset takes the test by index or seed, and otherwise the next one that tools can solve", async () => {
    const client = await join();
    const played = async (options: object) =>
      (await client.reset(options)).data.observation.test as string;

    expect(await played({ index: 1 })).toBe("Both");
    expect(await played({ index: 2, split: "api" })).toBe("By hand");
    expect(await played({ seed: 7, prompt: "of a row" })).toBe("Both");
    for (const { seed, test } of [
      { seed: 7, test: "Both" },
      { seed: 6, test: "Hello" },
      { seed: 6, test: "Hello" },
    ])
      expect([seed, await played({ seed })]).toEqual([seed, test]);
    const inTurn = [await played({}), await played({}), await played({})];
    expect(inTurn.toSorted()).not.toContain("By hand");
    expect(new Set(inTurn).size).toBe(2);
    expect(await active()).toHaveLength(1);
    client.close();
    await nothingIsLeft();
  });

  test("the agent's mistakes are observations", async () => {
    const client = await join();
    await client.reset({ test: "Hello" });

    const unknown = await client.step({ type: "call_tool", tool_name: "no_such_tool" });
    const wrong = await client.step({ ...hello, arguments: { channel_id: "C99", message: "x" } });

    expect(unknown.data.observation).toMatchObject({
      result: null,
      error: { error_type: "tool_not_found", message: "Unknown tool: no_such_tool" },
    });
    expect(wrong.data).toMatchObject({ reward: 0, done: false });
    expect(wrong.data.observation).toMatchObject({ result: { is_error: true }, error: null });
    client.close();
  });

  test.each([
    ["text that is no JSON", "{", "INVALID_JSON", "JSON object"],
    ["a list", "[]", "INVALID_JSON", "JSON object"],
    [
      "an unknown type",
      { type: "render" },
      "UNKNOWN_TYPE",
      "one of reset, step, state, mcp, close",
    ],
    ["a step before a reset", { type: "step", data: say("x") }, "VALIDATION_ERROR", "reset first"],
    ["an action without a type", { type: "step", data: {} }, "VALIDATION_ERROR", "type: "],
    ["a wrong index", { type: "reset", data: { index: 9 } }, "VALIDATION_ERROR", "has 2 tests"],
    ["a wrong option", { type: "reset", data: { seed: -1 } }, "VALIDATION_ERROR", "seed: "],
    [
      "a test of another suite",
      { type: "reset", data: { test: "x" } },
      "VALIDATION_ERROR",
      'The suite has no test "x"; there are ',
    ],
  ])("%s gets an error frame, and the session goes on", async (_, message, code, words) => {
    const client = await join();

    const frame = await client.send(message);

    expect(frame).toMatchObject({ type: "error", data: { code } });
    expect(frame.data.message).toContain(words);
    expect((await client.reset()).type).toBe("observation");
    client.close();
  });

  test("an environment that is gone is an error, and neither a reward nor an observation", async () => {
    const client = await join();
    const { metadata } = (await client.reset({ test: "Hello" })).data;
    await program.call("DELETE", `/env/${metadata.environment_id}`);

    const called = await client.step(say("Hello"));
    const submitted = await client.step({ type: "submit" });

    expect(called).toMatchObject({ type: "error", data: { code: "SESSION_ERROR" } });
    expect(submitted.type).toBe("error");
    expect(submitted.data.message).toContain("environment deleted");
    client.close();
  });

  test("an episode that is over takes no more steps", async () => {
    const client = await join();
    await client.reset({ test: "Hello" });
    await client.step({ type: "submit" });

    const late = await client.step(say("Hello"));
    await client.step({ type: "list_tools" });

    expect(late).toMatchObject({ type: "error", data: { code: "VALIDATION_ERROR" } });
    expect(late.data.message).toContain("The episode is over");
    expect((await client.state()).data).toMatchObject({ step_count: 1, done: true });
    client.close();
  });

  test.each(["close", "terminate", "message"] as const)(
    "a session that ends by %s leaves no environment and no verdict",
    async (way) => {
      const client = await join();
      const { metadata } = (await client.reset({ test: "Hello" })).data;

      if (way === "message") void client.send({ type: "close" });
      else client[way]();

      await client.closed;
      await nothingIsLeft();
      expect((await program.get(`/results/${metadata.run_id}`)).body).toMatchObject({
        status: "failed",
        cause: "environment_deleted",
      });
    },
  );

  test("many sessions play at the same time", async () => {
    const rewards = await Promise.all(
      Array.from({ length: 20 }, async (_, index) => {
        const client = await join();
        await client.reset({ test: "Hello" });
        await client.step(say(index % 2 === 0 ? "Hello" : "Bye"));
        const { data } = await client.step({ type: "submit" });
        client.close();
        return data.reward;
      }),
    );

    expect(rewards).toEqual(rewards.map((_, index) => (index % 2 === 0 ? 1 : 0)));
    await nothingIsLeft();
  });
});

test("a player that leaves while its environment is being created leaves nothing", async () => {
  const created = Promise.withResolvers<unknown>();
  const removed: string[] = [];
  const asked = Promise.withResolvers<void>();
  const players = createPlayers({
    suites: { tests: async () => [{ testId: "t", name: "Hello", prompt: "Say hello." }] },
    environments: {
      create: () => {
        asked.resolve();
        return created.promise;
      },
      remove: async (_userId: string, environmentId: string) => void removed.push(environmentId),
    },
    runs: { start: async () => ({ runId: "r" }) },
  } as never);
  const by = { keyId: "k", authenticate: async () => ({ userId: "u" }) as never, baseUrl: "" };
  const player = players.open(by, { suiteId: "s", service: "chat" } as never);

  const reset = player.reset({ test: "Hello" }).catch(() => undefined);
  await asked.promise;
  player.end();
  expect(removed).toEqual([]);
  created.resolve({ environmentId: "e", service: "chat" });
  await reset;
  await players.stop();

  expect(removed).toEqual(["e"]);
});

test("sessions are bounded, for each key and in all", () => {
  const players = createPlayers({} as never);
  const openAs = (keyId: string) => () =>
    players.open({ keyId, authenticate: async () => ({}) as never, baseUrl: "" }, {} as never);
  const fill = (keyId: string) => Array.from({ length: PLAYERS_PER_KEY_MAX }, openAs(keyId));

  const [first] = fill("greedy");

  expect(openAs("greedy")).toThrow("OpenEnv session limit reached");
  expect(openAs("other")).not.toThrow();
  first?.end();
  first?.end(); // gives back one seat
  expect(openAs("greedy")).not.toThrow();
  expect(openAs("greedy")).toThrow("OpenEnv session limit reached");
  for (let n = 2; n < PLAYERS_MAX / PLAYERS_PER_KEY_MAX; n++) fill(`key ${n}`);
  Array.from({ length: PLAYERS_PER_KEY_MAX - 1 }, openAs("other"));
  expect(openAs("last")).toThrow(`${PLAYERS_MAX} OpenEnv sessions`);
});

test("a session too many is told so, and ended", async () => {
  const seen: unknown[] = [];
  const peer = {
    send: async (text: string) => void seen.push(JSON.parse(text)),
    close: (code: number) => void seen.push(code),
  };

  await turnAway(peer, "full");

  expect(seen).toEqual([
    { type: "error", data: { message: "full", code: "CAPACITY_REACHED" } },
    1013,
  ]);
});

describe("a server in production", () => {
  const basic = (key: string) => `Basic ${Buffer.from(`diorama:${key}`).toString("base64")}`;
  const forms = {
    "X-API-Key": (key: string) => ({ "X-API-Key": key }),
    "a bearer token": (key: string) => ({ Authorization: `Bearer ${key}` }),
    "the password of the address": (key: string) => ({ Authorization: basic(key) }),
  };

  test.each(Object.entries(forms))("takes the key as %s", async (_, form) => {
    const client = await joinOpenEnv(closed.url, SLUG, form(ann["X-API-Key"] ?? ""));

    expect((await client.reset({ test: "Hello" })).type).toBe("observation");
    client.close();
  });

  test.each(["ws", "health", "metadata", "schema", "state"])("guards %s", async (path) => {
    const ask = async (headers: Record<string, string>) =>
      (await fetch(`${closed.url}/openenv/${SLUG}/${path}`, { headers })).status;

    expect(await ask({})).toBe(401);
    expect(await ask(bob)).toBe(404);
  });
});

describe("over HTTP", () => {
  const call = async (method: string, path: string, body?: object) => {
    const response = await fetch(`${program.url}/openenv/${SLUG}/${path}`, {
      method,
      headers: { "Content-Type": "application/json" },
      ...(body && { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: (await response.json()) as any };
  };
  const post = (path: string, body: object) => call("POST", path, body);
  const get = (path: string) => call("GET", path);

  test("an episode is found by its id until it is over", async () => {
    const { body } = await post("reset", { test: "Hello" });
    const { episode_id } = body.metadata;
    const stepped = await post("step", { episode_id, action: say("Hello") });
    const state = await get(`state?episode_id=${episode_id}`);
    const ended = await post("step", { episode_id, action: { type: "submit" } });

    expect(stepped.body.observation).toMatchObject({ tool_name: hello.tool_name, error: null });
    expect(state.body).toMatchObject({ episode_id, step_count: 1, done: false });
    expect(ended.body).toMatchObject({ reward: 1, done: true });
    expect((await get(`state?episode_id=${episode_id}`)).body).toEqual({
      episode_id: null,
      step_count: 0,
    });
    expect(await post("step", { episode_id, action: { type: "submit" } })).toMatchObject({
      status: 400,
      body: { error: "invalid_request" },
    });
    await nothingIsLeft();
  });

  test("an episode that begins again replaces the one of its id", async () => {
    await post("reset", { test: "Hello", episode_id: "again" });
    await Promise.all(
      ["Both", "Hello"].map((test) => post("reset", { test, episode_id: "again" })),
    );

    await eventually(async () => expect(await active()).toHaveLength(1));
    await post("step", { episode_id: "again", action: { type: "submit" } });
    await nothingIsLeft();
  });

  test("a reset that fails leaves nothing", async () => {
    expect(await post("reset", { test: "x" })).toMatchObject({
      status: 404,
      body: { error: "test_not_found" },
    });
    await nothingIsLeft();
  });

  test("tasks are listed, and each is a set of options for a reset", async () => {
    const { body } = await post(`${SLUG}/tasks`, { split: "mcp" });
    const { task } = (await post(`${SLUG}/task`, { split: "api", index: 2 })).body;

    expect((await get("list_environments")).body).toEqual([SLUG]);
    expect((await get(`${SLUG}/splits`)).body.map(({ name }: { name: string }) => name)).toEqual([
      ...["mcp", "api"],
    ]);
    expect(body.tasks.map(({ name }: { name: string }) => name)).toEqual(["Hello", "Both"]);
    expect((await post(`${SLUG}/num_tasks`, { split: "api" })).body).toEqual({ num_tasks: 3 });
    expect((await post(`${SLUG}/task_range`, { split: "api", start: 1 })).body.tasks).toHaveLength(
      2,
    );
    const { observation } = (await post("reset", { ...task, episode_id: "of a task" })).body;
    expect(observation.test).toBe("By hand");
    await post("step", { episode_id: "of a task", action: { type: "submit" } });
  });

  test("health, metadata and schemas", async () => {
    expect((await get("health")).body).toEqual({ status: "healthy" });
    expect((await get("metadata")).body).toMatchObject({ name: SLUG, description: "Play me!" });
    const { body } = await get("schema");
    expect(Object.keys(body)).toEqual(["action", "observation", "reset_observation", "state"]);
    expect(body.action).toMatchObject({ title: "Action", required: ["type"] });
  });
});
