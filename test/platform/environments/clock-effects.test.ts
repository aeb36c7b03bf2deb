/** Moving a clock does what is due, under the actor `clock`: diffs leave it out unless asked. */
import { describe, expect, test } from "bun:test";
import { sorted } from "../../../scripts/oracle";
import { kindsOfCapturing } from "../../support/clusters";
import { useDatabase, useSharedDatabase } from "../../support/database";
import { expectRefusal, expectStatus, type TestProgram, useProgram } from "../../support/program";
import { MARIA } from "../../support/tracker";

type Environment = { environmentId: string; environmentUrl: string };

/** The team Operations, which plans no cycles. */
const OPS = "c0000000-0000-4000-8000-000000000012";
const NOON = "2026-03-11T12:00:00.000Z";
const at = (moment: string) => Date.parse(moment) / 1000;
/** Runs in such environments are equal wherever they are recorded. */
const REPEATABLE = { clock: { now: NOON, mode: "step" }, seed: 7 };

function on(program: TestProgram) {
  return {
    chat: () => program.environment(REPEATABLE),
    tracker: () =>
      program.environment({
        templateService: "tracker",
        templateName: "tracker_expanded",
        impersonateUserId: MARIA,
        clock: { mode: "step" },
        seed: 7,
      }),
    move: async ({ environmentId }: Environment, body: object) => {
      const answer = await program.post(`/env/${environmentId}/clock`, body);
      expectStatus(answer, 200);
      return answer.body;
    },
    say: async (environment: Environment, method: string, args: object = {}) => {
      const answer = await program.chat(environment, method, args);
      expect(answer).toMatchObject({ ok: true });
      return answer;
    },
    ask: async ({ environmentUrl }: Environment, query: string) => {
      const response = await fetch(`${program.url}${environmentUrl}/graphql`, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ query }),
      });
      const { data, errors } = (await response.json()) as any;
      expect(errors).toBeUndefined();
      return data;
    },
    start: async ({ environmentId }: Environment) =>
      (await program.post("/startRun", { envId: environmentId })).body.runId as string,
  };
}

const known: Record<string, unknown> = {};
/** The same in each way of capturing. */
const expectSame = (what: string, value: unknown) => {
  known[what] ??= value;
  expect(value).toEqual(known[what]);
};
/** Rows without what only the order of changes decides. */
const plain = (diff: any) => JSON.parse(JSON.stringify(sorted(diff)));

describe.each(await kindsOfCapturing())("with $name", ({ cluster, settings }) => {
  const database = useDatabase({ cluster });
  const program = useProgram(database, settings);

  test("a scheduled message is posted by the clock; the diff has what the agent has done", async () => {
    const { chat, move, say, start } = on(program);
    const environment = await chat();
    const runId = await start(environment);
    const postAt = at(NOON) + 3_600;
    const channel = "C01GENERAL";
    await say(environment, "chat.scheduleMessage", { channel, text: "later", post_at: postAt });
    const { effects } = await move(environment, { advance: "P1D" });
    const { messages } = await say(environment, "conversations.history", { channel, limit: 1 });
    await say(environment, "chat.postMessage", { channel, text: "after" });
    await say(environment, "reactions.add", { channel, timestamp: messages[0].ts, name: "eyes" });
    const { body } = await program.post("/diffRun", { runId, include: ["clock"] });
    const { body: results } = await program.get(`/results/${runId}`);

    expect(effects).toEqual([
      { at: "2026-03-11T13:00:00.000Z", kind: "message_posted", id: expect.any(String) },
    ]);
    expect(messages[0]).toMatchObject({ text: "later", ts: `${postAt}.000001` });
    const tables = (rows: any[]) => rows.map((row) => [row.__table__, row.__actor__]);
    expect(results.diff.updates).toEqual([]);
    expect(results.diff.deletes).toEqual([]);
    expect(tables(results.diff.inserts).toSorted()).toEqual([
      ["messages", undefined],
      ["reactions", undefined],
      ["scheduled_messages", undefined],
    ]);
    expect(tables(body.diff.inserts)).toContainEqual(["messages", "clock"]);
    expect(tables(body.diff.deletes)).toEqual([["scheduled_messages", "clock"]]);
    expectSame("chat", [plain(results.diff), plain(body.diff)]);
  });

  test("assertions name the clock, also when a run is graded again", async () => {
    const { chat, move, say, start } = on(program);
    const environment = await chat();
    const runId = await start(environment);
    const channel = "C01GENERAL";
    const postAt = at(NOON) + 3_600;
    await say(environment, "chat.scheduleMessage", { channel, text: "later", post_at: postAt });
    await move(environment, { advance: "P1D" });
    const added = (entity: string, text: string, more: object = {}) => ({
      diff_type: "added",
      entity,
      where: { text },
      expected_count: 1,
      ...more,
    });
    const gone = { diff_type: "removed", entity: "scheduled_messages", actor: "clock" };
    const expectedOutput = {
      closed_world: true,
      assertions: [
        added("scheduled_messages", "later"),
        added("messages", "later", { actor: "clock" }),
        added("messages", "later", { expected_count: 0 }),
        { ...gone, where: { post_at: postAt } },
      ],
    };
    const { body } = await program.post("/evaluateRun", { runId, expectedOutput });
    const again = await program.post(`/runs/${runId}/evaluate`, {
      expectedOutput: { assertions: [added("messages", "sooner", { actor: "clock" })] },
    });

    expect(body).toMatchObject({ status: "passed", failures: [] });
    expect(again.body.failures).toEqual(["assertion#1 messages expected count 1 but got 0"]);
  });

  test.each(["conversations.history", "conversations.info"])(
    "what falls due as calls are made is the clock's, ahead of the call that finds it: %s",
    async (method) => {
      const channel = "C01GENERAL";
      const postAt = at(NOON) + 4;
      const john = {
        ...{ name: "john", as: "U02JOHNADOE" },
        when: { diff_type: "added", entity: "messages", where: { text: "later, please" } },
        call: {
          method: "chat.scheduleMessage",
          arguments: { channel, text: "John's", post_at: postAt },
        },
      };
      const robin = {
        ...{ name: "robin", as: "U03ROBINRAY" },
        when: { diff_type: "added", entity: "messages", where: { text: "John's" }, from: "any" },
        after: "PT1S",
        say: { text: "Robin has seen it" },
      };
      const clock = { now: NOON, mode: "step", stepMs: 1_000 };
      const environment = await program.environment({
        clock,
        seed: 7,
        counterparts: [john, robin],
      });
      const { say, start } = on(program);
      const runId = await start(environment);
      await say(environment, "chat.postMessage", { channel, text: "later, please" });
      const read = async () => {
        const { messages, channel: shown } = await say(environment, method, { channel });
        return (messages?.[0] ?? shown.latest).text;
      };
      expect([await read(), await read(), await read()]).toEqual([
        ...["later, please", "later, please", "John's"],
      ]);
      expect(await read()).toBe("Robin has seen it");
      const { body: shown } = await program.get(`/env/${environment.environmentId}/clock`);
      const own = { diff_type: "added", entity: "messages", where: { text: "later, please" } };
      const { body } = await program.post("/evaluateRun", {
        runId,
        expectedOutput: { closed_world: true, assertions: [own] },
      });
      const { body: all } = await program.get(`/results/${runId}`);

      expect(shown.now).toBe("2026-03-11T12:00:05.000Z");
      expect(body).toMatchObject({ status: "passed", failures: [] });
      expect(all.diff.inserts.map(({ text }: any) => text)).toEqual(["later, please"]);
    },
  );

  test("what falls due meanwhile is in the diff of those who ask for it", async () => {
    const environment = await on(program).chat();
    const { say, start } = on(program);
    const runId = await start(environment);
    const channel = "C01GENERAL";
    await say(environment, "chat.scheduleMessage", { channel, text: "due", post_at: at(NOON) + 3 });
    for (let n = 0; n < 4; n++) await say(environment, "conversations.history", { channel });
    const { body } = await program.post("/diffRun", { runId, include: ["clock"] });

    const rows = (list: any[]) => list.map((row) => [row.__table__, row.__actor__]);
    expect(rows(body.diff.inserts).toSorted()).toEqual([
      ["messages", "clock"],
      ["scheduled_messages", undefined],
    ]);
    expect(rows(body.diff.deletes)).toEqual([["scheduled_messages", "clock"]]);
    expectSame("due", plain(body.diff));
  });

  test("a cycle rolls over as in the service, and its moves are the clock's", async () => {
    const { tracker, move, ask, start } = on(program);
    const environment = await tracker();
    const query = `{
      cycles { nodes { id number startsAt endsAt completedAt
        uncompletedIssuesUponClose(first: 30) { nodes { id } }
        issues(first: 30) { nodes { id state { type } } } } }
      team(id: "ENG") { activeCycle { number } }
    }`;
    const numbered = (data: any) =>
      Object.fromEntries(data.cycles.nodes.map((cycle: any) => [cycle.number, cycle]));
    const before = numbered(await ask(environment, query));
    const open = before[3].issues.nodes.filter(
      ({ state }: any) => !["completed", "canceled", "duplicate"].includes(state.type),
    );
    const [touched] = open;
    const update = (input: string) =>
      ask(
        environment,
        `mutation { issueUpdate(id: "${touched.id}", input: { ${input} }) { success } }`,
      );
    const runId = await start(environment);
    await update('title: "before"');
    const { now, effects } = await move(environment, { advance: "P7D" });
    await update(`dueDate: "2026-03-03"`);
    const after = await ask(environment, query);
    const { body } = await program.post("/diffRun", { runId, include: ["clock"] });
    const { body: results } = await program.get(`/results/${runId}`);

    expect(now).toStartWith("2026-02-20T09:00");
    expect(effects).toEqual([
      { at: "2026-02-16T00:00:00.000Z", kind: "cycle_completed", id: before[3].id },
      { at: "2026-02-16T00:00:00.000Z", kind: "cycle_created", id: expect.any(String) },
      { at: "2026-02-16T00:00:00.000Z", kind: "cycle_created", id: expect.any(String) },
    ]);
    expect(after.team.activeCycle.number).toBe(4);
    const cycles = numbered(after);
    const ids = (nodes: any[]) => nodes.map(({ id }) => id).toSorted();
    expect(open.length).toBeGreaterThan(3);
    expect(cycles[3].completedAt).toBe("2026-02-16T00:00:00.000Z");
    expect(ids(cycles[3].uncompletedIssuesUponClose.nodes)).toEqual(ids(open));
    expect(ids(cycles[4].issues.nodes)).toEqual(expect.arrayContaining(ids(open)));
    expect(cycles[3].issues.nodes.map(({ id }: any) => id)).not.toContain(touched.id);
    expect([cycles[5].startsAt, cycles[6].endsAt]).toEqual([
      "2026-03-02T00:00:00.000Z",
      "2026-03-30T00:00:00.000Z",
    ]);

    const issues = (diff: any) => diff.updates.filter((row: any) => row.__table__ === "issues");
    expect(issues(results.diff)).toHaveLength(1);
    expect(issues(results.diff)[0].after).toMatchObject({ title: "before", dueDate: "2026-03-03" });
    expect(issues(results.diff)[0].after).not.toHaveProperty("cycleId");
    expect(results.diff.updates.some((row: any) => row.__table__ === "cycles")).toBe(false);
    const byClock = issues(body.diff).filter((row: any) => row.__actor__ === "clock");
    expect(ids(byClock.map((row: any) => row.key))).toEqual(ids(open));
    expect(byClock[0].after.cycleId).toBe(before[4].id);
    const history = body.diff.inserts.filter(
      (row: any) => row.__table__ === "issue_history" && row.__actor__ === "clock",
    );
    expect(history.map((row: any) => row.actorId)).toEqual(open.map(() => null));
    expectSame("tracker", [plain(results.diff), plain(body.diff)]);
  });
});

describe("a clock that is moved", () => {
  const database = useSharedDatabase();
  const program = useProgram(database);

  test("begins in tracker_expanded within a cycle, after another and before another", async () => {
    const { tracker, ask } = on(program);
    const { cycles } = await ask(
      await tracker(),
      "{ cycles { nodes { number isPrevious isActive isNext } } }",
    );
    const number = (place: string) =>
      cycles.nodes.filter((cycle: any) => cycle[place]).map((cycle: any) => cycle.number);
    expect([number("isPrevious"), number("isActive"), number("isNext")]).toEqual([[2], [3], [4]]);
  });

  test("closes and archives issues that nobody has changed for months, unless their project goes on", async () => {
    const { tracker, move, ask } = on(program);
    const environment = await tracker();
    const issue = async (input: string) =>
      (
        await ask(
          environment,
          `mutation { issueCreate(input: { teamId: "${OPS}", ${input} }) { issue { id updatedAt team { states(first: 20) { nodes { id type } } } } } }`,
        )
      ).issueCreate.issue;
    await ask(
      environment,
      `mutation { teamUpdate(id: "${OPS}", input: { autoClosePeriod: 3, autoArchivePeriod: 1 }) { success } }`,
    );
    const open = await issue('title: "forgotten"');
    const stateOf = (type: string) =>
      open.team.states.nodes.find((state: any) => state.type === type).id;
    const done = await issue(`title: "done", stateId: "${stateOf("completed")}"`);
    const project = (
      await ask(
        environment,
        "{ projects(first: 50) { nodes { id completedAt canceledAt teams { nodes { id } } } } }",
      )
    ).projects.nodes.find(
      ({ completedAt, canceledAt, teams }: any) =>
        completedAt === null &&
        canceledAt === null &&
        teams.nodes.some(({ id }: any) => id === OPS),
    );
    const held = await issue(
      `title: "held", stateId: "${stateOf("completed")}", projectId: "${project.id}"`,
    );

    const { effects } = await move(environment, { advance: "P5M" });

    const mine = effects.filter(({ id }: any) => [open.id, done.id, held.id].includes(id));
    const later = (months: number, moment: string) => {
      const date = new Date(moment);
      date.setUTCMonth(date.getUTCMonth() + months);
      return date.toISOString();
    };
    expect(mine).toEqual([
      { at: later(1, done.updatedAt), kind: "issue_archived", id: done.id },
      { at: later(3, open.updatedAt), kind: "issue_closed", id: open.id },
      { at: later(4, open.updatedAt), kind: "issue_archived", id: open.id },
    ]);
    const shown = async (id: string) =>
      (
        await ask(
          environment,
          `{ issue(id: "${id}") { state { type } archivedAt autoArchivedAt autoClosedAt canceledAt history { nodes { autoClosed archived actorId } } } }`,
        )
      ).issue;
    expect(await shown(open.id)).toMatchObject({
      state: { type: "canceled" },
      ...{ autoClosedAt: later(3, open.updatedAt), canceledAt: later(3, open.updatedAt) },
      ...{ autoArchivedAt: later(4, open.updatedAt), archivedAt: later(4, open.updatedAt) },
      history: {
        nodes: expect.arrayContaining([
          expect.objectContaining({ autoClosed: true, actorId: null }),
          expect.objectContaining({ archived: true, actorId: null }),
        ]),
      },
    });
    expect(await shown(held.id)).toMatchObject({ archivedAt: null });
    const archived = await shown(done.id);
    expect(archived).toMatchObject({ state: { type: "completed" }, autoClosedAt: null });
    const closings = archived.history.nodes.map(({ autoClosed }: any) => autoClosed);
    expect(closings.length).toBeGreaterThan(0);
    expect(closings).not.toContain(true);
    expect(await move(environment, { advance: "PT0S" })).toMatchObject({ effects: [] });
  });

  test.each([
    ["chat", "default", "U01AGENTONE", []],
    ["tracker", "expanded", MARIA, ["cycle_completed"]],
    ["mail", "default", "agent@acme.test", []],
    ["calendar", "default", "agent@acme.test", []],
  ])(
    "moves of a %s (%s) to what is due next do the same as one move over all of it",
    async (service, size, impersonateUserId, expected) => {
      const { move } = on(program);
      const template = { templateService: service, templateName: `${service}_${size}` };
      const clock = { now: NOON, mode: "frozen" };
      const open = () => program.environment({ ...template, impersonateUserId, clock, seed: 7 });
      const step = await open();
      const seen: { at: string; kind: string }[] = [];
      let now = NOON;
      for (let n = 0; n < 5; n++) {
        const moved = await move(step, { to: "next" });
        expect(moved.now >= now).toBe(true);
        now = moved.now;
        for (const { at, kind } of moved.effects) {
          expect(at <= now).toBe(true); // earlier: left from before the clock began
          seen.push({ at, kind });
        }
      }
      const { effects } = await move(await open(), { to: now });

      expect(effects.map(({ at, kind }: any) => ({ at, kind }))).toEqual(seen);
      expect(seen.map(({ kind }) => kind)).toEqual(expect.arrayContaining(expected));
    },
  );

  test("does what is due in order: reminders, snoozes and statuses too", async () => {
    const { chat, move, say } = on(program);
    const environment = await chat();
    const channel = "C01GENERAL";
    await say(environment, "dnd.setSnooze", { num_minutes: 30 });
    await say(environment, "users.profile.set", {
      profile: { status_text: "lunch", status_emoji: ":bento:", status_expiration: at(NOON) + 900 },
    });
    await say(environment, "reminders.add", { text: "once", time: String(at(NOON) + 60) });
    const { reminder } = await say(environment, "reminders.add", {
      text: "often",
      time: "every day at 15:00",
    });
    await say(environment, "chat.scheduleMessage", {
      channel,
      text: "b",
      post_at: at(NOON) + 7_200,
    });
    await say(environment, "chat.scheduleMessage", { channel, text: "a", post_at: at(NOON) + 600 });
    const { effects } = await move(environment, { to: "2026-03-13T12:00:00Z" });

    const kinds = effects.map(({ kind }: any) => kind);
    expect(effects.map(({ at }: any) => at)).toEqual(effects.map(({ at }: any) => at).toSorted());
    expect(kinds.slice(0, 4)).toEqual([
      "reminder_due",
      "message_posted",
      "status_cleared",
      "snooze_ended",
    ]);
    expect(kinds.toSorted().slice(0, 2)).toEqual(["message_posted", "message_posted"]);
    expect(effects.filter(({ id }: any) => id === reminder.id)).toHaveLength(2);
    const { profile } = await say(environment, "users.profile.get");
    expect(profile).toMatchObject({ status_text: "", status_emoji: "", status_expiration: 0 });
    const { reminders } = await say(environment, "reminders.list");
    expect(reminders.find(({ id }: any) => id === reminder.id).time).toBe(reminder.time + 172_800);
    expect(await move(environment, { advance: "PT0S" })).toMatchObject({ effects: [] });
  });

  test("keeps its mode, counts as a call, and belongs to snapshots", async () => {
    const { chat, move, say } = on(program);
    const environment = await chat();
    const { snapshotId } = (await program.post(`/env/${environment.environmentId}/snapshots`, {}))
      .body;
    const forward = async () => {
      const moved = await move(environment, { advance: "P1D" });
      const { ts } = await say(environment, "chat.postMessage", {
        channel: "C01GENERAL",
        text: "x",
      });
      return { moved, ts };
    };
    const first = await forward();
    expect(first.moved).toEqual({
      mode: "step",
      stepMs: 1_000,
      now: "2026-03-12T12:00:00.000Z",
      effects: [],
    });
    expect(Number(first.ts)).toBe(at(NOON) + 86_401);
    expectStatus(
      await program.post(`/env/${environment.environmentId}/reset`, { snapshotId }),
      200,
    );
    expect(await forward()).toEqual(first);
  });

  test("of real time runs from there", async () => {
    const { move } = on(program);
    const environment = await program.environment({ clock: "real" });
    const { mode, now } = await move(environment, { advance: "P1D" });
    expect(mode).toBe("running");
    expect(Date.parse(now) - Date.now()).toBeWithin(86_390_000, 86_400_001);
  });

  test("is moved once for the same Idempotency-Key", async () => {
    const environment = await on(program).chat();
    const moved = () =>
      program.post(
        `/env/${environment.environmentId}/clock`,
        { advance: "P1D" },
        { "Idempotency-Key": "forward" },
      );
    const [one, two] = [await moved(), await moved()];
    expect(one.body.now).toBe("2026-03-12T12:00:00.000Z");
    expect(two.body).toEqual(one.body);
  });

  test.each([
    [{}, "to: either to or advance is needed"],
    [{ to: NOON, advance: "P1D" }, "to: either to or advance is needed"],
    [{ to: "next", advance: "P1D" }, "to: either to or advance is needed"],
    [{ advance: "-P1D" }, "advance: a duration like P1D or PT2H30M is needed"],
    [{ advance: "tomorrow" }, "advance: a duration like P1D or PT2H30M is needed"],
    [{ advance: "P20Y" }, "advance: the clock must stay in the years 2002 to 2037"],
    [
      { to: "2026-03-11T11:59:59Z" },
      `to: the clock shows ${NOON}, and goes only forward; a reset returns to an earlier time`,
    ],
  ])("is not moved by %j", async (body, detail) => {
    const environment = await on(program).chat();
    const answer = await program.post(`/env/${environment.environmentId}/clock`, body);
    expectRefusal(answer, 400, "invalid_request", detail);
  });
});
