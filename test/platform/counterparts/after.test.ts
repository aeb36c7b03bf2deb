/** Actions that wait for the environment's clock. */
import { describe, expect, test } from "bun:test";
import { kindsOfCapturing } from "../../support/clusters";
import { eventually, useDatabase, useSharedDatabase } from "../../support/database";
import { expectRefusal, expectStatus, type TestProgram, useProgram } from "../../support/program";

type Environment = { environmentId: string; environmentUrl: string; schemaName: string };

const NOON = Date.parse("2026-03-11T12:00:00.000Z");
const CHANNEL = "C01GENERAL";
const FROZEN = { clock: { now: new Date(NOON).toISOString(), mode: "frozen" }, seed: 7 };
/** John answers in the thread, two minutes later. */
const APPROVES = {
  name: "john-approves",
  as: "U02JOHNADOE",
  when: { diff_type: "added", entity: "messages", where: { text: { i_contains: "approve?" } } },
  after: "PT2M",
  say: { text: "Go ahead.", thread_ts: { $trigger: ["thread_ts", "ts"] } },
};

/** So many seconds after noon. */
const at = (seconds: number) => new Date(NOON + seconds * 1_000).toISOString();

const on = (program: TestProgram) => {
  const pathOf = ({ environmentId }: { environmentId: string }) => `/env/${environmentId}`;
  return {
    open: (counterparts: object[], fields: object = FROZEN): Promise<Environment> =>
      program.environment({ counterparts, ...fields }),
    post: async (environment: Environment, text: string) => {
      const answer = await program.chat(environment, "chat.postMessage", {
        channel: CHANNEL,
        text,
      });
      expect(answer).toMatchObject({ ok: true });
      return answer.ts as string;
    },
    repliesTo: async (environment: Environment, ts: string) => {
      const args = { channel: CHANNEL, ts };
      const { messages } = await program.chat(environment, "conversations.replies", args);
      return messages.slice(1) as { text: string; ts: string; user: string }[];
    },
    move: async (environment: Environment, body: object) => {
      const answer = await program.post(`${pathOf(environment)}/clock`, body);
      expectStatus(answer, 200);
      return answer.body;
    },
    show: async (environment: { environmentId: string }) => {
      const answer = await program.get(`${pathOf(environment)}/counterparts`);
      expectStatus(answer, 200);
      return answer.body;
    },
    start: async ({ environmentId }: Environment) =>
      (await program.post("/startRun", { envId: environmentId })).body.runId as string,
  };
};

describe.each(await kindsOfCapturing())("with $name", ({ cluster, settings }) => {
  const database = useDatabase({ cluster });
  const program = useProgram(database, settings);

  test("a moved clock does what waits for it between the effects of the service, each by its actor", async () => {
    const { open, post, move, show, start } = on(program);
    const rules = [APPROVES, { ...APPROVES, name: "and-again", after: "PT1M30S" }];
    const environment = await open(rules);
    const runId = await start(environment);
    await post(environment, "approve?");
    for (const seconds of [60, 100, 180])
      await program.chat(environment, "chat.scheduleMessage", {
        ...{ channel: CHANNEL, text: `scheduled ${seconds}` },
        post_at: NOON / 1_000 + seconds,
      });
    expect((await show(environment)).pending).toEqual([
      { name: "and-again", due: at(90) },
      { name: "john-approves", due: at(120) },
    ]);
    const { effects, now } = await move(environment, { advance: "PT1H" });
    const { body } = await program.post("/diffRun", {
      ...{ runId, include: ["clock", "counterpart"] },
    });

    expect(now).toBe(at(3_600));
    expect(
      effects.map(({ at, kind, id }: any) => [at, kind === "counterpart_acted" && id]),
    ).toEqual([
      [at(60), false],
      [at(90), "and-again"],
      [at(100), false],
      [at(120), "john-approves"],
      [at(180), false],
    ]);
    const messages = body.diff.inserts.filter(({ __table__ }: any) => __table__ === "messages");
    const seen = messages.map(({ __actor__, text, ts }: any) => [
      __actor__,
      text,
      Math.floor(Number(ts) - NOON / 1_000),
    ]);
    expect(seen.toSorted((a: any, b: any) => a[2] - b[2])).toEqual([
      [undefined, "approve?", 0],
      ["clock", "scheduled 60", 60],
      ["counterpart", "Go ahead.", 90],
      ["clock", "scheduled 100", 100],
      ["counterpart", "Go ahead.", 120],
      ["clock", "scheduled 180", 180],
    ]);
    expect(await show(environment)).toMatchObject({
      counterparts: [{ fired: 1, lastError: null }, { fired: 1 }],
      pending: [],
    });
  });

  test("a clock moves from one time at which something is due to the next", async () => {
    const { open, post, move } = on(program);
    const environment = await open([APPROVES]);
    await post(environment, "approve?");
    for (const seconds of [60, 180])
      await program.chat(environment, "chat.scheduleMessage", {
        ...{ channel: CHANNEL, text: `scheduled ${seconds}` },
        post_at: NOON / 1_000 + seconds,
      });
    const moves = [];
    for (let n = 0; n < 4; n++) moves.push(await move(environment, { to: "next" }));

    expect(
      moves.map(({ now, effects }: any) => [now, effects.map(({ kind }: any) => kind)]),
    ).toEqual([
      [at(60), ["message_posted"]],
      [at(120), ["counterpart_acted"]],
      [at(180), ["message_posted"]],
      [at(180), []],
    ]);
  });

  test("what is due precedes the call that comes at its time, and no other", async () => {
    const { open, post, repliesTo, show, start } = on(program);
    const clock = { now: new Date(NOON).toISOString(), mode: "step", stepMs: 50_000 };
    const environment = await open([APPROVES], { clock });
    const runId = await start(environment);
    const ts = await post(environment, "approve?"); // at 50
    expect((await show(environment)).pending).toEqual([{ name: "john-approves", due: at(170) }]);
    expect(await repliesTo(environment, ts)).toEqual([]); // at 100
    expect(await repliesTo(environment, ts)).toEqual([]); // at 150
    const [reply, another] = await repliesTo(environment, ts); // at 200
    const { body } = await program.post("/diffRun", { runId, include: ["counterpart"] });

    expect([reply?.text, Math.floor(Number(reply?.ts)), another]).toEqual([
      "Go ahead.",
      NOON / 1_000 + 170,
      undefined,
    ]);
    expect((await program.get(`/env/${environment.environmentId}/clock`)).body.now).toBe(at(200));
    const by = body.diff.inserts.flatMap(({ text, __actor__ }: any) => (text ? [__actor__] : []));
    expect(by).toEqual([undefined, "counterpart"]);
  });
});

describe("an action that waits", () => {
  const database = useSharedDatabase();
  const program = useProgram(database);
  const { open, post, repliesTo, move, show } = on(program);
  const count = async ({ schemaName }: Environment) =>
    (await database.sql.unsafe(`select from ${schemaName}.messages where text = 'Go ahead.'`))
      .length;

  test.each([["real"], [{ now: "2026-03-11T12:00:00.000Z" }]])(
    "is done without a call, with the clock %j",
    async (clock) => {
      const environment = await open([{ ...APPROVES, after: "PT1S" }], { clock });
      await post(environment, "approve?");
      expect(await count(environment)).toBe(0);
      await eventually(async () => expect(await count(environment)).toBe(1));
      expect((await show(environment)).counterparts).toMatchObject([{ fired: 1, lastError: null }]);
    },
  );

  test("is done once a clock in real time has been moved close to it", async () => {
    const environment = await open([{ ...APPROVES, after: "PT1H" }], { clock: "real" });
    await post(environment, "approve?");
    expect((await move(environment, { advance: "PT59M59S" })).effects).toEqual([]);
    await eventually(async () => expect(await count(environment)).toBe(1));
  });

  test("counts among the times that its rule acts", async () => {
    const environment = await open([{ ...APPROVES, times: 2 }]);
    for (const n of [1, 2, 3]) await post(environment, `approve? ${n}`);
    expect((await show(environment)).pending).toHaveLength(2);
    await move(environment, { advance: "PT5M" });
    await post(environment, "approve? 4");
    expect(await show(environment)).toMatchObject({ counterparts: [{ fired: 2 }], pending: [] });
  });

  test("has the values that the row had when it set off the rule", async () => {
    const call = {
      method: "conversations.setTopic",
      arguments: { channel: CHANNEL, topic: { $trigger: "text" } },
    };
    const environment = await open([{ ...APPROVES, say: undefined, call }]);
    const ts = await post(environment, "approve? first");
    const changed = { channel: CHANNEL, ts, text: "other words" };
    await program.chat(environment, "chat.update", changed);
    await move(environment, { advance: "PT2M" });
    const { channel } = await program.chat(environment, "conversations.info", { channel: CHANNEL });
    expect(channel.topic.value).toBe("approve? first");
  });

  test("is rejected if it takes too much from its row", async () => {
    const environment = await open([
      {
        ...APPROVES,
        say: undefined,
        call: {
          method: "conversations.setTopic",
          arguments: { channel: CHANNEL, topic: { $trigger: "text" } },
        },
      },
    ]);
    await post(environment, `approve? ${"x".repeat(20_000)}`);
    expect(await show(environment)).toMatchObject({
      counterparts: [
        { fired: 1, lastError: "what it takes from the row has more than 16384 characters" },
      ],
      pending: [],
    });
  });

  test("is looked at again after the end of the server that had found it", async () => {
    const environment = await open([{ ...APPROVES, after: "PT0.3S" }], { clock: "real" });
    await post(environment, "approve?");
    // As a server leaves it that dies then.
    await database.sql`
      update diorama.pending_actions set wakes_at = now() + interval '1.5 seconds'
      where environment_id = ${environment.environmentId}
    `;
    await eventually(async () => expect(await count(environment)).toBe(1));
  });

  test("is known to a fork, and not to a fork of a snapshot or after a reset", async () => {
    const environment = await open([{ ...APPROVES, times: 5 }]);
    const path = `/env/${environment.environmentId}`;
    const ts = await post(environment, "approve?");
    const { body: snapshot } = await program.post(`${path}/snapshots`, {});
    const fork = async (body: object) => {
      const made = await program.post(`${path}/fork`, body);
      expectStatus(made, 200);
      return made.body.environments as Environment[];
    };
    const forks = await fork({ count: 2 });
    const [then] = await fork({ snapshotId: snapshot.snapshotId });

    for (const each of [...forks, environment]) {
      expect((await show(each)).pending).toEqual([{ name: "john-approves", due: at(120) }]);
      await move(each, { advance: "PT3M" });
      expect(await repliesTo(each, ts)).toMatchObject([{ text: "Go ahead." }]);
    }
    expect((await show(then!)).pending).toEqual([]);
    await post(environment, "approve? again");
    expectStatus(await program.post(`${path}/reset`, {}), 200);
    expect(await show(environment)).toMatchObject({ counterparts: [{ fired: 0 }], pending: [] });
    await post(environment, "approve?");
    await program.call("PUT", `${path}/counterparts`, { counterparts: [APPROVES] });
    expect((await show(environment)).pending).toEqual([]);
  });

  test("does not outlive its environment", async () => {
    const environment = await open([APPROVES]);
    await post(environment, "approve?");
    await program.call("DELETE", `/env/${environment.environmentId}`);
    await program.program.maintenance.cycle();
    const rows = await database.sql`
      select from diorama.pending_actions where environment_id = ${environment.environmentId}
    `;
    expect(rows).toHaveLength(0);
  });

  test("has events whose cause is its rule", async () => {
    const events = { apps: [{ app: "A01AGENTBOT", events: ["message.channels"] }] };
    const environment = await open([APPROVES], { ...FROZEN, events });
    await post(environment, "approve?");
    await move(environment, { advance: "PT2M" });
    const { body } = await program.get(`/env/${environment.environmentId}/deliveries`);
    expect(body.events.map(({ cause }: any) => cause.by)).toEqual(["call", "counterpart"]);
  });

  test("for ten years at most", async () => {
    const environment = await open([{ ...APPROVES, after: "P10Y" }]);
    expect((await show(environment)).counterparts).toHaveLength(1);
  });

  test.each([["2 minutes"], ["PT0S"], ["-PT1M"], ["P10YT1S"]])("not for %s", async (after) => {
    const answer = await program.post("/initEnv", {
      ...{ templateService: "chat", templateName: "chat_default" },
      ...{ impersonateUserId: "U01AGENTONE", counterparts: [{ ...APPROVES, after }] },
    });
    expectRefusal(answer, 400, "invalid_request");
    expect(answer.body.detail).toContain(
      "counterparts[0].after: a duration like PT2M, at most P10Y, is needed",
    );
  });
});
