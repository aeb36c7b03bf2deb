/** A person acts without a rule, for people who are played from outside. */
import { describe, expect, test } from "bun:test";
import { kindsOfCapturing } from "../../support/clusters";
import { useDatabase, useSharedDatabase } from "../../support/database";
import { expectRefusal, expectStatus, useProgram } from "../../support/program";

const JOHN = "U02JOHNADOE";
const say = (text: string) => ({ as: JOHN, say: { channel: "C01GENERAL", text } });

describe.each(await kindsOfCapturing())("with $name", ({ cluster, settings }) => {
  const program = useProgram(useDatabase({ cluster }), settings);
  const act = ({ environmentId }: { environmentId: string }, body: object) =>
    program.post(`/env/${environmentId}/counterparts/act`, body);

  test("what a person does is seen by the agent, and is not the agent's", async () => {
    const environment = await program.environment();
    const { environmentId: envId } = environment;
    const { runId } = (await program.post("/startRun", { envId })).body;

    expectStatus(await act(environment, say("Any news?")), 200);
    const reaction = { method: "reactions.add", arguments: { name: "eyes" } };
    const read = () =>
      program.chat(environment, "conversations.history", { channel: "C01GENERAL", limit: 1 });
    const [message] = (await read()).messages;
    Object.assign(reaction.arguments, { channel: "C01GENERAL", timestamp: message.ts });
    expectStatus(await act(environment, { as: "john@agentfactory.test", call: reaction }), 400);
    expectStatus(await act(environment, { as: JOHN, call: reaction }), 200);

    expect((await read()).messages[0]).toMatchObject({
      ...{ user: JOHN, text: "Any news?", reactions: [{ name: "eyes", users: [JOHN] }] },
    });
    const { body } = await program.post("/diffRun", { runId, include: ["counterpart"] });
    const { inserts } = body.diff;
    expect(inserts.length).toBeGreaterThan(1);
    expect(new Set(inserts.map((row: any) => row.__actor__))).toEqual(new Set(["counterpart"]));
    const calls = (await program.get(`/runs/${runId}/calls`)).body.calls;
    expect(calls.map(({ name }: any) => name)).toEqual([
      "conversations.history",
      "conversations.history",
    ]);
  });
});

describe("an act", () => {
  const database = useSharedDatabase();
  const program = useProgram(database);
  const act = ({ environmentId }: { environmentId: string }, body: object) =>
    program.post(`/env/${environmentId}/counterparts/act`, body);

  test("causes events", async () => {
    const environment = await program.environment({
      events: { apps: [{ app: "A01AGENTBOT", events: ["message.channels"] }] },
    });
    expectStatus(await act(environment, say("hello")), 200);
    const { body } = await program.get(`/env/${environment.environmentId}/deliveries`);
    expect(body.events).toMatchObject([
      { cause: { by: "counterpart" }, payload: { event: { user: JOHN, text: "hello" } } },
    ]);
  });

  test("has other ids than acts before the rules were replaced", async () => {
    const environment = await program.environment({ seed: 7 });
    const create = (name: string) =>
      act(environment, { as: JOHN, call: { method: "conversations.create", arguments: { name } } });
    expectStatus(await create("one"), 200);
    const none = { counterparts: [] };
    const path = `/env/${environment.environmentId}/counterparts`;
    expectStatus(await program.call("PUT", path, none), 200);
    expectStatus(await create("two"), 200);
  });

  test("has other ids than acts before a snapshot, after a reset to it and in its forks", async () => {
    const clock = { now: "2026-03-11T12:00:00Z", mode: "frozen" };
    const environment = await program.environment({ seed: 7, clock });
    const path = `/env/${environment.environmentId}`;
    const create = (name: string, where: { environmentId: string } = environment) =>
      act(where, { as: JOHN, call: { method: "conversations.create", arguments: { name } } });
    const before = await program.post(`${path}/snapshots`, {});
    expectStatus(await create("one"), 200);
    const { snapshotId } = (await program.post(`${path}/snapshots`, {})).body;
    const of = (id: string) => program.post(`${path}/reset`, { snapshotId: id });

    expectStatus(await of(snapshotId), 200);
    expectStatus(await create("two"), 200);
    const forked = await program.post(`${path}/fork`, { snapshotId });
    expectStatus(await create("three", forked.body.environments[0]), 200);
    expectStatus(await of(before.body.snapshotId), 200);
    expectStatus(await of(snapshotId), 200);
    expectStatus(await create("four"), 200);
  });

  test("comes after what is overdue", async () => {
    const said = { diff_type: "added", entity: "messages", from: "any" };
    const rule = { ...say("Any news?"), name: "asks", at: "PT0.1S", unless: said };
    const environment = await program.environment({ counterparts: [rule], clock: "real" });
    // No server looks for it.
    await database.sql`
      update diorama.pending_actions set wakes_at = null
      where environment_id = ${environment.environmentId}
    `;
    await Bun.sleep(200);
    expectStatus(await act(environment, say("hello")), 200);
    const { body } = await program.get(`/env/${environment.environmentId}/counterparts`);
    expect(body.counterparts).toMatchObject([{ fired: 1, dropped: 0 }]);
  });

  test("is counted in the results of the run in which it happens", async () => {
    const environment = await program.environment();
    const startRun = async () => {
      const answer = await program.post("/startRun", { envId: environment.environmentId });
      expectStatus(answer, 201);
      return `${answer.body.runId}`;
    };
    const countOf = async (runId: string) =>
      (await program.get(`/results/${runId}`)).body.actedByHand;
    expectStatus(await act(environment, say("before")), 200);
    const first = await startRun();
    expect(await countOf(first)).toBeUndefined();
    expectStatus(await act(environment, say("one")), 200);
    expect((await act(environment, { ...say("two"), as: "U00NOBODY0" })).status).toBe(400);
    const nowhere = { as: JOHN, say: { channel: "C00NOWHERE", text: "three" } };
    expect((await act(environment, nowhere)).status).toBe(400);
    expectStatus(await act(environment, say("four")), 200);
    expect(await countOf(first)).toBe(2);
    await program.post("/diffRun", { runId: first });
    const second = await startRun();
    await program.post("/diffRun", { runId: second });

    expect(await countOf(first)).toBe(2);
    expect(await countOf(second)).toBeUndefined();
  });

  test.each([
    [{ as: JOHN }, "say: one of say, call is needed"],
    [{ as: JOHN, say: { text: "x" } }, "say.channel: needed"],
    [{ as: JOHN, say: { channel: { $trigger: "id" }, text: "x" } }, "$trigger: no row"],
    [{ as: "U00NOBODY0", say: { channel: "C01GENERAL", text: "x" } }, "as: chat has no user"],
    [{ as: JOHN, call: { method: "chat.postMesage" } }, "call.method: chat has no method"],
    [{ as: JOHN, say: { channel: "C00NOWHERE", text: "x" } }, "rejects it: channel_not_found"],
  ])("%j is rejected, and changes nothing", async (body, problem) => {
    const environment = await program.environment();
    const answer = await act(environment, body);
    expectRefusal(answer, 400, "invalid_request");
    expect(answer.body.detail).toContain(problem);
    expect(answer.body.detail).not.toStartWith(".");
  });
});
