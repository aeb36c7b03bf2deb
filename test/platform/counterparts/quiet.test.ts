/** Rules that act when the agent has been silent for some time. */
import { describe, expect, test } from "bun:test";
import { eventually, useSharedDatabase } from "../../support/database";
import { expectRefusal, useProgram } from "../../support/program";
import { at, clock, NOON, on, ROBIN, says, then } from "./people";

const acted = (seconds: number, id: string) => ({
  ...{ at: at(seconds), kind: "counterpart_acted", id },
});
const asks = (fields: object = {}) => says("john asks", { quiet: "PT5M", ...fields });

describe("a rule with quiet", () => {
  const database = useSharedDatabase();
  const program = useProgram(database);
  const { open, move, post, said, show, fork, reset } = on(program);
  const pendingOf = async (environment: { environmentId: string }) =>
    (await show(environment)).pending.map(({ due }: any) => due);
  const firedOf = async (environment: { environmentId: string }) =>
    (await show(environment)).counterparts.map(({ fired }: any) => fired);

  test("acts as often as it may, each time after so long without a call", async () => {
    const environment = await open([asks({ times: 3 })]);
    expect(await pendingOf(environment)).toEqual([at(300)]);
    await move(environment, { advance: "PT4M" });
    await post(environment, "the agent");
    expect(await pendingOf(environment)).toEqual([at(540)]);
    const { effects } = await move(environment, { advance: "PT10M" });
    expect(effects).toEqual([acted(540, "john asks"), acted(840, "john asks")]);
    await program.chat(environment, "conversations.list"); // a call that changes nothing
    expect(await pendingOf(environment)).toEqual([at(1_140)]);
    expect((await move(environment, { to: "next" })).effects).toEqual([acted(1_140, "john asks")]);
    await post(environment, "the agent again");
    expect(await pendingOf(environment)).toEqual([]);
    expect(await firedOf(environment)).toEqual([3]);
  });

  test("does not take reads of the console for calls of the agent", async () => {
    const environment = await open([asks()]);
    await move(environment, { advance: "PT1M" });
    const view = await fetch(`${program.url}${environment.environmentUrl}/conversations.list`, {
      headers: { "X-Diorama-View": "1" }, // with the development key
    });
    expect(await view.json()).toMatchObject({ ok: true });
    expect(await pendingOf(environment)).toEqual([at(300)]);
    await program.chat(environment, "conversations.list");
    expect(await pendingOf(environment)).toEqual([at(360)]);
  });

  test("acts once if nothing else is said, ahead of the call that ends the silence", async () => {
    const step = { clock: { now: at(0), mode: "step", stepMs: 60_000 }, seed: 7 };
    const environment = await open([asks({ quiet: "PT30S", ...then("robin") }), robin], step);
    await post(environment, "the agent");
    await post(environment, "the agent");
    expect(await firedOf(environment)).toEqual([1, 1]);
    expect((await said(environment)).map(([text]: string[]) => text)).toEqual([
      "john asks",
      "robin",
    ]);
  });

  test("waits in real time, and calls let it wait longer", async () => {
    const environment = await open([asks({ quiet: "PT1S" })], clock("running"));
    for (let calls = 0; calls < 10; calls++) {
      await post(environment, "the agent");
      await Bun.sleep(150);
    }
    expect(await firedOf(environment)).toEqual([0]);
    await eventually(async () => expect(await firedOf(environment)).toEqual([1]));
  });

  test("a fork waits by its own calls, and a reset begins again", async () => {
    const environment = await open([asks()]);
    const other = await fork(environment);
    await move(other, { advance: "PT1M" });
    await post(other, "the agent");
    expect([await pendingOf(environment), await pendingOf(other)]).toEqual([[at(300)], [at(360)]]);
    expect((await move(other, { to: "next" })).effects).toEqual([acted(360, "john asks")]);
    await reset(other);
    expect(await pendingOf(other)).toEqual([new Date(NOON + 300_000).toISOString()]);
  });

  test.each([
    [{ after: "PT1M" }, "counterparts[0].after: a rule with quiet has none"],
    [{ quiet: "soon" }, "counterparts[0].quiet: a duration like PT2M, at most P10Y, is needed"],
    [
      { at: "PT1M" },
      'counterparts[0]: "john asks" has more than one of when, at, quiet, and a rule that names it in then',
    ],
  ])("is rejected with %j", async (fields, detail) => {
    const body = { templateService: "chat", templateName: "chat_default" };
    const answer = await program.post("/initEnv", {
      ...{ ...body, impersonateUserId: "U01AGENTONE", counterparts: [asks(fields)] },
    });
    expectRefusal(answer, 400, "invalid_request", detail);
  });
});

const robin = says("robin", {}, ROBIN);
