/** Faults of events: an app does not receive one, receives it again, or late. */
import { afterEach, describe, expect, test } from "bun:test";
import { eventually, useDatabase } from "../../support/database";
import { expectRefusal, expectStatus, useProgram } from "../../support/program";
import { APP, connectApp, openAddress } from "../../support/socket-mode";

const program = useProgram(useDatabase());
const EVENT = "message.channels";

const open: WebSocket[] = [];
afterEach(() => {
  for (const socket of open.splice(0)) socket.close();
});

/** An environment whose app has connected. */
async function connected(faults: object[], fields: object = {}) {
  const events = { apps: [{ app: APP, events: [EVENT] }] };
  const environment = await program.environment({ events, faults, ...fields });
  const { environmentUrl, token, environmentId } = environment;
  const connect = async () => {
    const { url } = await openAddress(program.url, environmentUrl, `xapp-1-${APP}-${token}`);
    const app = connectApp(url);
    open.push(app.socket);
    await app.greeted();
    return app;
  };
  const app = await connect();
  const post = async (text: string) => {
    const answer = await program.chat(environment, "chat.postMessage", {
      ...{ channel: "C01GENERAL", text },
    });
    expect(answer).toMatchObject({ ok: true });
  };
  const states = async () =>
    (await program.get(`/env/${environmentId}/deliveries`)).body.events.map(
      ({ deliveries, missed }: any) => deliveries[0]?.state ?? missed[0].reason,
    );
  return { app, connect, environmentId, post, states };
}

const faultsOf = async (environmentId: string) =>
  (await program.get(`/env/${environmentId}/faults`)).body.faults;

describe("an event", () => {
  test("that is dropped is missed, with the reason, and the next ones come", async () => {
    const fault = { fault: "event_dropped", event: "message.*", when: { after: 1, times: 1 } };
    const { app, environmentId, post, states } = await connected([fault]);
    for (const text of ["a", "b", "c"]) await post(text);
    await app.has(2);
    expect(app.texts()).toEqual(["a", "c"]);
    await eventually(async () =>
      expect(await states()).toEqual(["delivered", "dropped by a fault", "delivered"]),
    );
    expect(await faultsOf(environmentId)).toMatchObject([{ ...fault, matched: 3, injected: 1 }]);
  });

  test("that is duplicated comes again with the same id", async () => {
    const fault = { fault: "event_duplicated", event: EVENT, when: { times: 1 } };
    const { app, post, states } = await connected([fault]);
    await post("a");
    await app.has(2);
    const [first, second] = app.envelopes();
    expect(second?.["payload"]).toEqual(first?.["payload"]);
    await eventually(async () => expect(await states()).toEqual(["delivered"]));
    await post("b");
    await app.has(3);
    expect(app.texts()).toEqual(["a", "a", "b"]);
  });

  test("that is delayed comes when the environment's clock has moved, after those behind it", async () => {
    const clock = { now: "2026-03-11T09:00:00Z", mode: "frozen" };
    const fault = { fault: "event_delayed", ms: 60_000, event: EVENT, when: { times: 1 } };
    const { app, environmentId, post, states } = await connected([fault], { clock });
    await post("a");
    await post("b");
    await app.has(1);
    expect(await states()).toEqual(["pending", expect.stringMatching(/sent|delivered/)]);
    const move = { advance: "PT1M" };
    expectStatus(await program.post(`/env/${environmentId}/clock`, move), 200);
    await app.has(2);
    expect(app.texts()).toEqual(["b", "a"]);
  });

  test("that ends the connection comes again when the app has connected again", async () => {
    const fault = { fault: "event_disconnected", event: EVENT, when: { after: 1, times: 1 } };
    const { app, connect, post, states } = await connected([fault]);
    await post("a");
    await eventually(async () => expect(await states()).toEqual(["delivered"]));
    for (const text of ["b", "c"]) await post(text);
    expect(await app.closed).toBe(1001);
    expect(app.texts()).toEqual(["a"]);
    const again = await connect();
    await again.has(2);
    expect(again.texts()).toEqual(["b", "c"]);
    const [first] = again.envelopes();
    expect(first).toMatchObject({ retry_attempt: 1, retry_reason: "timeout" });
    await eventually(async () => {
      expect(await states()).toEqual(["delivered", "delivered", "delivered"]);
    });
  });

  test("that is raised by hand gets the fault", async () => {
    const { environmentId, states } = await connected([{ fault: "event_dropped", event: EVENT }]);
    const raised = { type: EVENT, event: { text: "x" } };
    expectStatus(await program.post(`/env/${environmentId}/events`, raised), 200);
    expect(await states()).toEqual(["dropped by a fault"]);
  });
});

test("faults of events count no calls, and the other way round", async () => {
  const { environmentId, post } = await connected([
    { fault: "event_dropped", event: EVENT, when: { after: 5 } },
    { fault: "server_error", method: "chat.postMessage", when: { after: 1 } },
  ]);
  await post("a");
  await program.get(`/env/${environmentId}/deliveries`);
  expect((await faultsOf(environmentId)).map(({ matched }: any) => matched)).toEqual([1, 1]);
});

test.each([
  [{ fault: "event_dropped" }, "event: event_dropped is for events"],
  [{ fault: "event_dropped", method: "chat.postMessage" }, "method: event_dropped is for events"],
  [{ fault: "latency", ms: 5, event: EVENT }, "event: latency is for calls"],
  [{ fault: "event_delayed", event: EVENT }, "ms: event_delayed needs it"],
  [{ fault: "event_dropped", event: "message.chanels" }, "chat has no such event"],
])("%j is rejected", async (fault, problem) => {
  const { environmentId } = await program.environment();
  const answer = await program.call("PUT", `/env/${environmentId}/faults`, { faults: [fault] });
  expectRefusal(answer, 400, "invalid_request");
  expect(answer.body.detail).toContain(problem);
});
