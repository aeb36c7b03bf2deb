/** Events that are raised by hand, and deliveries that are made again. */
import { afterEach, describe, expect, test } from "bun:test";
import { eventually, useDatabase } from "../../support/database";
import { expectRefusal, expectStatus, useProgram } from "../../support/program";
import { APP, connectApp, openAddress } from "../../support/socket-mode";

const program = useProgram(useDatabase());
const HOME = { type: "app_home_opened", event: { user: "U02JOHNADOE", tab: "home" } };
const EVENTS = ["app_home_opened", "message.channels", "link_shared"];
const other = { app: "A01AGENTTWO", events: EVENTS, scopes: ["app_mentions:read"] };

type Environment = { readonly environmentId: string; readonly environmentUrl: string };

async function withApps(fields: object = {}, ...others: object[]) {
  const environment = await program.environment(fields);
  const apps = [{ app: APP, events: EVENTS }, ...others];
  const path = `/env/${environment.environmentId}/events`;
  expectStatus(await program.call("PUT", path, { apps }), 200);
  return environment;
}
const raise = ({ environmentId }: Environment, event: object) =>
  program.post(`/env/${environmentId}/events`, event);
const repeat = ({ environmentId }: Environment, n: number | string, body: object = {}) =>
  program.post(`/env/${environmentId}/deliveries/${n}/repeat`, body);

const open: WebSocket[] = [];
afterEach(() => {
  for (const socket of open.splice(0)) socket.close();
});

async function connect(environment: Environment & { readonly token: string }) {
  const { environmentUrl, token } = environment;
  const { url } = await openAddress(program.url, environmentUrl, `xapp-1-${APP}-${token}`);
  const app = connectApp(url);
  open.push(app.socket);
  await app.greeted();
  return app;
}

const stateOf = async ({ environmentId }: Environment) => {
  const { body } = await program.get(`/env/${environmentId}/deliveries`);
  return body.events[0].deliveries[0];
};
const delivered = (environment: Environment, attempts: number) =>
  eventually(async () => {
    const delivery = await stateOf(environment);
    expect(delivery).toMatchObject({ state: "delivered" });
    expect(delivery.attempts).toHaveLength(attempts);
  });

describe("an event by hand", () => {
  test("reaches the apps that subscribe to it, after what happened before", async () => {
    const environment = await withApps(
      { clock: { now: "2026-03-11T09:00:00Z", mode: "frozen" } },
      { app: "A01AGENTTWO", events: ["message.channels"] },
    );
    const app = await connect(environment);
    await program.chat(environment, "chat.postMessage", { channel: "C01GENERAL", text: "hello" });

    const raised = await raise(environment, HOME);

    expectStatus(raised, 200);
    expect(raised.body).toMatchObject({
      ...{ n: 2, service: "chat", type: "app_home_opened" },
      cause: { by: "hand", request: null, at: expect.stringMatching(/^2026-03-11T09:00:00/) },
      deliveries: [{ app: APP }],
      missed: [{ app: "A01AGENTTWO", reason: "not subscribed" }],
    });
    await app.has(2);
    expect(app.envelopes()[1]?.["payload"]).toMatchObject({
      type: "event_callback",
      event_time: Date.parse("2026-03-11T09:00:00Z") / 1000,
      event: { ...HOME.event, type: "app_home_opened", event_ts: "1773219600.000000" },
    });
  });

  test("needs a scope, if its type does", async () => {
    const environment = await withApps({}, other);
    const link = { type: "link_shared", event: {} };
    expect((await raise(environment, link)).body.missed).toEqual([
      { app: "A01AGENTTWO", reason: "needs the scope links:read" },
    ]);
    expect((await raise(environment, HOME)).body.missed).toEqual([]);
  });

  test("is of the kind that its type names", async () => {
    const environment = await withApps();
    const event = { type: "other", text: "made up", event_ts: "1.000000" };
    const { body } = await raise(environment, { type: "message.channels", event });
    expect(body.payload.event).toEqual({ ...event, type: "message" });
  });

  test("changes nothing in a run", async () => {
    const environment = await withApps();
    const { environmentId: envId } = environment;
    const { runId } = (await program.post("/startRun", { envId })).body;
    expectStatus(await raise(environment, HOME), 200);
    const { body } = await program.post("/diffRun", { runId });
    expect(body.diff).toMatchObject({ inserts: [], updates: [], deletes: [] });
  });

  test("is waited for", async () => {
    const environment = await withApps();
    const waiting = program.post(`/env/${environment.environmentId}/wait`, {
      until: { type: "app_home_opened", where: { "payload.event.tab": "home" } },
    });
    await raise(environment, HOME);
    expect((await waiting).body).toMatchObject({ ended: "event", event: 1 });
  });

  test("that is too large is listed, and not sent", async () => {
    const environment = await withApps();
    const event = { text: "x".repeat(256 * 1024) };
    const { body } = await raise(environment, { type: "app_home_opened", event });
    expect(body).toMatchObject({ payload: null, deliveries: [] });
    expectRefusal(await repeat(environment, 1), 400, "invalid_request");
  });

  test.each([
    [{ ...HOME, type: "app_home_opend" }, 'type: there is no event "app_home_opend"'],
    [{ ...HOME, event: "x" }, "event"],
    [{ type: HOME.type }, "event"],
  ])("rejects %j", async (given, problem) => {
    const answer = await raise(await withApps(), given);
    expectRefusal(answer, 400, "invalid_request");
    expect(answer.body.detail).toContain(problem);
  });

  test("needs an app", async () => {
    expectRefusal(await raise(await program.environment(), HOME), 400, "invalid_request");
  });
});

describe("a delivery", () => {
  test("is made again with the same id, also after it failed", async () => {
    const environment = await withApps();
    const app = await connect(environment);
    expectStatus(await raise(environment, HOME), 200);
    await delivered(environment, 1);

    expectStatus(await repeat(environment, 1, { app: APP }), 200);

    await delivered(environment, 2);
    const [first, second] = app.envelopes();
    expect(second).toMatchObject({ retry_attempt: 1 });
    expect(second?.["payload"]).toEqual(first?.["payload"]);
    app.socket.close();
    await app.closed;
    expectStatus(await repeat(environment, 1), 200);
    expect(await stateOf(environment)).toMatchObject({ state: "pending" });
    expectStatus(await program.post(`/env/${environment.environmentId}/reset`, {}), 200);
    expect(await stateOf(environment)).toMatchObject({ state: "failed" });
    expectStatus(await repeat(environment, 1), 200);
    await connect(environment);
    await delivered(environment, 4);
  });

  test("that has not ended, or does not exist, is not", async () => {
    const environment = await withApps();
    expectStatus(await raise(environment, HOME), 200);
    expectRefusal(await repeat(environment, 1), 400, "invalid_request");
    expectRefusal(await repeat(environment, 1, { app: "A01AGENTTWO" }), 400, "invalid_request");
    expectRefusal(await repeat(environment, 2), 400, "invalid_request");
    expectRefusal(await repeat(environment, "x"), 400, "invalid_request");
  });
});
