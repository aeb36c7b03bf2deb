/** Simulated colleagues act by rules: what they do is seen by the next call, and is never the agent's. */
import { describe, expect, test } from "bun:test";
import { sorted } from "../../../scripts/oracle";
import { waysOfCapturing } from "../../support/clusters";
import { useDatabase } from "../../support/database";
import { expectStatus, type TestProgram, useProgram } from "../../support/program";

type Environment = { environmentId: string; environmentUrl: string; schemaName: string };

const NOON = "2026-03-11T12:00:00.000Z";
const CHANNEL = "C01GENERAL";
const JOHN = "U02JOHNADOE";
const REPEATABLE = { clock: { now: NOON, mode: "step" }, seed: 7 };
/** John answers in the thread. */
const APPROVES = {
  name: "john-approves",
  as: JOHN,
  when: { diff_type: "added", entity: "messages", where: { text: { i_contains: "approve" } } },
  say: { text: "I approve. Go ahead.", thread_ts: { $trigger: ["thread_ts", "ts"] } },
};
/** John changes what the agent has set. */
const CORRECTS = {
  name: "john-corrects",
  as: JOHN,
  when: { diff_type: "changed", entity: "channels", expected_changes: { topic: {} } },
  call: {
    method: "conversations.setTopic",
    arguments: { channel: { $trigger: "id" }, topic: "by John" },
  },
};

const on = (program: TestProgram) => ({
  open: (counterparts: object[], fields: object = {}): Promise<Environment> =>
    program.environment({ ...REPEATABLE, counterparts, ...fields }),
  say: async (environment: Environment, method: string, args: object = {}) => {
    const answer = await program.chat(environment, method, { channel: CHANNEL, ...args });
    expect(answer).toMatchObject({ ok: true });
    return answer;
  },
  start: async ({ environmentId }: Environment) =>
    (await program.post("/startRun", { envId: environmentId })).body.runId as string,
  rules: async ({ environmentId }: Environment) => {
    const answer = await program.get(`/env/${environmentId}/counterparts`);
    expectStatus(answer, 200);
    return answer.body.counterparts;
  },
});

const known: Record<string, unknown> = {};
/** The same in each way of capturing. */
const expectSame = (what: string, value: unknown) => {
  known[what] ??= value;
  expect(value).toEqual(known[what]);
};
const plain = (diff: any) => JSON.parse(JSON.stringify(sorted(diff)));
const texts = (rows: any[]) => rows.map(({ text }) => text);

describe.each(await waysOfCapturing())("with $name", ({ cluster, settings }) => {
  const database = useDatabase({ cluster });
  const program = useProgram(database, settings);

  test("a colleague answers before the next call; only assertions that name counterparts count it", async () => {
    const { open, say, start, rules } = on(program);
    const environment = await open([APPROVES]);
    const runId = await start(environment);
    const { ts } = await say(environment, "chat.postMessage", { text: "Please approve" });
    const { messages } = await say(environment, "conversations.replies", { ts });
    await say(environment, "chat.postMessage", { text: "approve once more" });
    const count = (text: string, more: object) => ({
      ...{ diff_type: "added", entity: "messages", where: { text }, expected_count: 1 },
      ...more,
    });
    const expectedOutput = {
      closed_world: true,
      assertions: [
        count("Please approve", {}),
        count("approve once more", {}),
        count("I approve. Go ahead.", { actor: "counterpart" }),
        count("I approve. Go ahead.", { expected_count: 0 }),
        count("I approve. Go ahead.", { actor: "clock", expected_count: 0 }),
        { diff_type: "called", entity: "*", expected_count: 3 },
      ],
    };
    const { body } = await program.post("/evaluateRun", { runId, expectedOutput });
    const { body: calls } = await program.get(`/runs/${runId}/calls`);
    const { body: events } = await program.get(`/runs/${runId}/events`);

    expect(texts(messages)).toEqual(["Please approve", "I approve. Go ahead."]);
    expect(messages[1]).toMatchObject({ user: JOHN, thread_ts: ts });
    expect(body).toMatchObject({ status: "passed", failures: [] });
    expect(calls.calls.map(({ name }: any) => name)).toEqual([
      "chat.postMessage",
      "conversations.replies",
      "chat.postMessage",
    ]);
    if (events.events.length > 0)
      expect(
        events.events.map(({ actor, request }: any) => [actor, request === null]),
      ).toContainEqual(["counterpart", true]);
    expect(await rules(environment)).toMatchObject([{ ...APPROVES, fired: 1, lastError: null }]);
  });

  test("of a row that both change, each has its own part", async () => {
    const { open, say, start } = on(program);
    const environment = await open([{ ...CORRECTS, times: 2 }]);
    const runId = await start(environment);
    for (const topic of ["first", "second", "third"])
      await say(environment, "conversations.setTopic", { topic });
    const { body } = await program.post("/diffRun", {
      runId,
      include: ["counterpart"],
    });
    const { body: results } = await program.get(`/results/${runId}`);

    const topics = ({ updates }: any) =>
      updates.flatMap(({ __actor__, before, after }: any) =>
        "topic" in after ? [[__actor__, before.topic.value, after.topic.value]] : [],
      );
    expect(topics(results.diff)).toEqual([[undefined, "", "third"]]);
    expect(topics(body.diff)).toEqual([
      [undefined, "", "third"],
      ["counterpart", "first", "by John"],
    ]);
    expectSame("topics", [plain(results.diff), plain(body.diff)]);
  });

  test("a run that ends among actions has each of them wholly, as the counterpart's, or not at all", async () => {
    const { open, say, start } = on(program);
    const when = { ...APPROVES.when, where: { thread_ts: null } };
    const environment = await open([{ ...APPROVES, when, times: 1_000 }], { clock: "real" });
    const end = async (runId: string) => {
      const answer = await program.post("/diffRun", { runId, include: ["counterpart"] });
      expectStatus(answer, 200);
      return answer.body.diff.inserts.filter(({ __table__ }: any) => __table__ === "messages");
    };
    for (let round = 0; round < 5; round++) {
      const first = await start(environment);
      const posting = Array.from({ length: 6 }, (_, n) =>
        say(environment, "chat.postMessage", { text: `message ${n}` }),
      );
      await Bun.sleep(Math.random() * 30);
      const early = await end(first);
      const second = await start(environment);
      await Promise.all(posting);
      const late = await end(second);

      for (const { text, __actor__ } of [...early, ...late])
        expect(__actor__).toBe(text.startsWith("message") ? undefined : "counterpart");
      const keys = [...early, ...late].map(({ ts }: any) => ts);
      expect(new Set(keys).size).toBe(keys.length);
      const own = early.filter(({ __actor__ }: any) => !__actor__).map(({ ts }: any) => ts);
      for (const { __actor__, thread_ts } of early) if (__actor__) expect(own).toContain(thread_ts);
      const [row] = await database.sql.unsafe(
        `select count(*)::int as count from ${environment.schemaName}.messages where text = 'I approve. Go ahead.'`,
      );
      expect(row?.["count"]).toBe(6 * (round + 1));
    }
  });

  test.each(["diffRun", "evaluateRun"])("%s has what a call has left to be done", async (end) => {
    const { open, start, rules } = on(program);
    const environment = await open([CORRECTS]);
    const runId = await start(environment);
    // As a server does that dies after its commit.
    await database.sql.unsafe(
      `update ${environment.schemaName}.channels set topic = jsonb_set(topic, '{value}', '"left"') where id = '${CHANNEL}'`,
    );
    const changed = { diff_type: "changed", entity: "channels", actor: "counterpart" };
    const expectedOutput = { assertions: [{ ...changed, expected_changes: { topic: {} } }] };
    const { body } = await program.post(
      `/${end}`,
      end === "diffRun" ? { runId, include: ["counterpart"] } : { runId, expectedOutput },
    );

    expect(await rules(environment)).toMatchObject([{ fired: 1, lastError: null }]);
    if (end === "evaluateRun") expect(body).toMatchObject({ status: "passed" });
    else
      expect(body.diff.updates).toMatchObject([
        { __table__: "channels", after: { topic: { value: "left" } } },
        { __actor__: "counterpart", after: { topic: { value: "by John" } } },
      ]);
  });

  test("a fork has what a call has left to be done, as its parent has", async () => {
    const { open, say, rules } = on(program);
    const environment = await open([CORRECTS]);
    // As a server does that dies after its commit.
    await database.sql.unsafe(
      `update ${environment.schemaName}.channels set topic = jsonb_set(topic, '{value}', '"left"') where id = '${CHANNEL}'`,
    );
    const { body } = await program.post(`/env/${environment.environmentId}/fork`, {});
    for (const each of [...body.environments, environment]) {
      const { channel } = await say(each, "conversations.info");
      expect(channel.topic.value).toBe("by John");
      expect(await rules(each)).toMatchObject([{ fired: 1, lastError: null }]);
    }
  });

  test("a snapshot has what a call has left to be done", async () => {
    const { open, say } = on(program);
    const environment = await open([CORRECTS]);
    const path = `/env/${environment.environmentId}`;
    await database.sql.unsafe(
      `update ${environment.schemaName}.channels set topic = jsonb_set(topic, '{value}', '"left"') where id = '${CHANNEL}'`,
    );
    const { body: snapshot } = await program.post(`${path}/snapshots`, {});
    expectStatus(await program.post(`${path}/reset`, { snapshotId: snapshot.snapshotId }), 200);
    const { channel } = await say(environment, "conversations.info");
    expect(channel.topic.value).toBe("by John");
  });

  test("a colleague who reads a channel does not post what the agent has scheduled there", async () => {
    const { open, say, start } = on(program);
    const when = { diff_type: "called", entity: "users.list" };
    const reads = { ...{ name: "john-reads", as: JOHN }, when };
    const call = (method: string) => ({ call: { method, arguments: { channel: CHANNEL } } });
    const environment = await open([
      { ...reads, ...call("conversations.history") },
      { ...reads, name: "john-looks", ...call("conversations.info") },
    ]);
    const runId = await start(environment);
    const postAt = Date.parse(NOON) / 1_000 + 2;
    await say(environment, "chat.scheduleMessage", { text: "the agent's", post_at: `${postAt}` });
    await say(environment, "users.info", { user: JOHN });
    await say(environment, "users.list");
    const expectedOutput = {
      assertions: [{ diff_type: "added", entity: "messages", actor: "counterpart" }],
    };
    const { body } = await program.post("/evaluateRun", { runId, expectedOutput });
    expect(body.status).toBe("failed");
    const { messages } = await say(environment, "conversations.history");
    expect(texts(messages)).toContain("the agent's");
  });

  test("include has the changes of the actors that it names", async () => {
    const { open, say, start } = on(program);
    const environment = await open([APPROVES]);
    const runId = await start(environment);
    await say(environment, "chat.postMessage", { text: "approve" });
    const { body } = await program.post("/diffRun", { runId, include: ["clock"] });

    expect(texts(body.diff.inserts)).toEqual(["approve"]);
  });
});
