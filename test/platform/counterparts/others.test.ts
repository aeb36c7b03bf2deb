/** Rules that anybody's changes set off: those of other rules, of the clock, and of the agent. */
import { describe, expect, test } from "bun:test";
import { kindsOfCapturing } from "../../support/clusters";
import { eventually, useDatabase, useSharedDatabase } from "../../support/database";
import { expectRefusal, expectStatus, useProgram } from "../../support/program";
import { at, CHANNEL, clock, NOON, on, ROBIN, says, then } from "./people";

/** Anybody posts a message with this text. */
const posted = (text: string, from = "any") => ({
  ...{ diff_type: "added", entity: "messages", from },
  where: { text: { i_contains: text } },
});
const acted = (seconds: number, id: string) => ({
  ...{ at: at(seconds), kind: "counterpart_acted", id },
});
const ts = (seconds: number) => `${NOON / 1_000 + seconds}.000000`;

/** Robin asks after a minute; John answers each question, and Robin each answer. */
const TALK = [
  says("robin asks", { at: "PT1M" }, ROBIN),
  says("john answers", { when: posted("asks"), after: "PT2M" }),
  says("robin thanks", { when: posted("answers"), after: "PT3M" }, ROBIN),
];

describe.each(await kindsOfCapturing())("with $name", ({ cluster, settings }) => {
  const database = useDatabase({ cluster });
  const program = useProgram(database, settings);

  test("rules set off each other while the clock is moved, each at its time", async () => {
    const { open, move, said, show } = on(program);
    const environment = await open(TALK);
    const { body: run } = await program.post("/startRun", { envId: environment.environmentId });
    const { effects } = await move(environment, { advance: "PT5M" });
    expect(effects).toEqual([acted(60, "robin asks"), acted(180, "john answers")]);
    expect((await show(environment)).pending).toEqual([{ name: "robin thanks", due: at(360) }]);
    const next = await move(environment, { to: "next" });
    expect([next.effects, next.now]).toEqual([[acted(360, "robin thanks")], at(360)]);
    expect(await said(environment)).toEqual([
      ["robin asks", ts(60)],
      ["john answers", ts(180)],
      ["robin thanks", ts(360)],
    ]);
    const { body } = await program.post("/diffRun", { runId: run.runId });
    expect(body.diff).toEqual({ inserts: [], updates: [], deletes: [] });
  });

  test("overdue actions set off others that come ahead of later ones", async () => {
    const { open, post, said } = on(program);
    const hour = { clock: { now: at(0), mode: "step", stepMs: 3_600_000 }, seed: 7 };
    const late = says("robin is late", { at: "PT2M30S" }, ROBIN);
    const environment = await open([...TALK, late], hour);
    await post(environment, "the agent");
    expect(await said(environment)).toEqual([
      ["robin asks", ts(60)],
      ["robin is late", ts(150)],
      ["john answers", ts(180)],
      ["robin thanks", ts(360)],
    ]);
  });
});

describe("a rule that anybody sets off", () => {
  const database = useSharedDatabase();
  const program = useProgram(database);
  const { open, move, post, said, show, put, fork, reset } = on(program);

  test("is set off by the agent, by hand and by itself, as often as it may be", async () => {
    const environment = await open([
      says("echo", { when: posted("echo"), after: "PT1M", times: 4 }),
      says("only the agent", { when: posted("echo", "agent"), times: 9 }, ROBIN),
    ]);
    await post(environment, "echo");
    const act = { as: ROBIN, say: { channel: CHANNEL, text: "an echo by hand" } };
    expectStatus(
      await program.post(`/env/${environment.environmentId}/counterparts/act`, act),
      200,
    );
    const { pending, counterparts } = await show(environment);
    expect(pending).toEqual([60, 60].map((seconds) => ({ name: "echo", due: at(seconds) })));
    expect(counterparts[1].fired).toBe(1);
    const { effects } = await move(environment, { advance: "P1D" });
    expect(effects).toEqual([60, 60, 120, 120].map((seconds) => acted(seconds, "echo")));
    expect((await said(environment)).length).toBe(6);
  });

  test("is set off by what the clock does; another one is not", async () => {
    const environment = await open([
      says("john sees it", { when: posted("later"), after: "PT1M" }),
      says("robin does not", { when: posted("later", "agent"), after: "PT1M" }, ROBIN),
    ]);
    await program.chat(environment, "chat.scheduleMessage", {
      ...{ channel: CHANNEL, text: "later", post_at: NOON / 1_000 + 600 },
    });
    const { effects } = await move(environment, { advance: "PT1H" });
    expect(effects.map(({ kind, at: time }: any) => [kind, time])).toEqual([
      ["message_posted", at(600)],
      ["counterpart_acted", at(660)],
    ]);
  });

  test("an action does not happen if anybody has done it, with unless", async () => {
    const answered = { ...posted("answered") };
    const rules = [
      says("robin answered", { at: "PT5M" }, ROBIN),
      says("john asks again", { at: "PT10M", unless: answered }),
      says("john waits for the agent", { at: "PT10M", unless: { ...answered, from: "agent" } }),
    ];
    const environment = await open(rules);
    const { effects } = await move(environment, { advance: "PT1H" });
    expect(effects).toEqual([acted(300, "robin answered"), acted(600, "john waits for the agent")]);
    const { counterparts } = await show(environment);
    expect(counterparts.map(({ dropped }: any) => dropped)).toEqual([0, 1, 0]);
  });

  test.each([{ mode: "frozen" }, { mode: "step", stepMs: 120_000 }])(
    "what follows an action is not ended by that, with unless and the clock %j",
    async (mode) => {
      const rules = [
        says("robin asks", { at: "PT1M", ...then("robin asks again") }, ROBIN),
        says("robin asks again", { after: "PT10M", unless: posted("") }, ROBIN),
        says("john answers", { when: posted("asks"), after: "PT5M" }),
      ];
      const environment = await open(rules, { clock: { now: at(0), ...mode }, seed: 7 });
      if (mode.mode === "step") await said(environment);
      else await move(environment, { advance: "PT2M" });
      expect((await show(environment)).pending.map(({ name }: any) => name)).toEqual([
        "john answers",
        "robin asks again",
      ]);
      await move(environment, { advance: "PT1H" });
      const { counterparts } = await show(environment);
      expect(counterparts).toMatchObject([
        { fired: 1, dropped: 0 },
        { fired: 0, dropped: 1 },
        { fired: 1, dropped: 0 },
      ]);
    },
  );

  test("an overdue action does not happen either, if a server has left what comes before it", async () => {
    const environment = await open(
      [
        says("john answered", { when: posted("question", "agent") }),
        says("robin asks again", { at: "PT10M", unless: posted("answered") }, ROBIN),
      ],
      { clock: { now: at(0), mode: "step", stepMs: 3_600_000 } },
    );
    // As a server leaves it that dies then.
    await database.sql.unsafe(
      `insert into ${environment.schemaName}.messages (channel_id, ts, user_id, text)
       values ('${CHANNEL}', '${ts(1)}', 'U01AGENTONE', 'a question')`,
    );
    expect((await said(environment)).map(([text]: string[]) => text)).toEqual(["john answered"]);
    const { counterparts } = await show(environment);
    expect(counterparts).toMatchObject([
      { fired: 1, dropped: 0 },
      { fired: 0, dropped: 1 },
    ]);
  });

  test("in real time, without a call", async () => {
    const soon = [
      says("robin asks", { at: "PT0.2S" }, ROBIN),
      says("john answers", { when: posted("asks"), after: "PT0.2S" }),
    ];
    const environment = await open(soon, clock("running"));
    await eventually(async () => {
      const { counterparts } = await show(environment);
      expect(counterparts.map(({ fired }: any) => fired)).toEqual([1, 1]);
    });
  });

  test("a fork and a reset have it, too; other rules note nothing of others any more", async () => {
    const environment = await open(TALK);
    await move(environment, { advance: "PT1M" });
    const other = await fork(environment);
    expect((await move(other, { advance: "PT2M" })).effects).toEqual([acted(180, "john answers")]);
    await reset(environment);
    const { effects } = await move(environment, { advance: "PT1H" });
    expect(effects.length).toBe(3);
    await put(environment, [
      says("robin asks", { at: "PT1M" }, ROBIN),
      says("the agent", { when: posted("asks", "agent") }),
    ]);
    await move(environment, { advance: "PT1H" });
    const left = await database.sql`
      select from diorama.counterpart_changes where environment_id = ${environment.environmentId}
    `;
    expect(left.length).toBe(0);
  });

  test("waits in any case", async () => {
    const rule = says("john", { when: posted("asks") });
    const body = { templateService: "chat", templateName: "chat_default", counterparts: [rule] };
    const answer = await program.post("/initEnv", { ...body, impersonateUserId: "U01AGENTONE" });
    expectRefusal(
      ...[answer, 400, "invalid_request" as const],
      "counterparts[0].after: needed with when.from any",
    );
  });
});
