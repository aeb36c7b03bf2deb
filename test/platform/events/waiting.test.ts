/** Waiting for an event, or until nothing happens in an environment any more. */
import { describe, expect, test } from "bun:test";
import { useDatabase } from "../../support/database";
import { expectStatus, useProgram } from "../../support/program";
import { APP, connectApp, openAddress } from "../../support/socket-mode";

const database = useDatabase();
const servers = [useProgram(database), useProgram(database)] as const;
const [first, second] = servers;

const say = { channel: "C01GENERAL", text: "hello" };
const events = { apps: [{ app: APP, events: ["message.channels"] }] };

type Environment = { environmentId: string; environmentUrl: string; token: string; apps?: any[] };

async function wait({ environmentId }: Environment, body: object) {
  const answer = await first.post(`/env/${environmentId}/wait`, body);
  expectStatus(answer, 200);
  return answer.body;
}

test("ends when there was no call for a while", async () => {
  const environment = await first.environment();
  await first.chat(environment, "chat.postMessage", say);
  const { ended, ms, open } = await wait(environment, { quietMs: 500, timeoutMs: 20_000 });
  expect([ended, open]).toEqual(["idle", 0]);
  expect(ms).toBeGreaterThanOrEqual(300);
});

test("calls to another server count", async () => {
  const environment = await first.environment();
  let isOver = false;
  const calling = (async () => {
    while (!isOver) {
      await second.chat(environment, "auth.test");
      await Bun.sleep(100);
    }
  })();
  expect(await wait(environment, { quietMs: 1_000, timeoutMs: 2_000 })).toMatchObject({
    ended: "timeout",
  });
  isOver = true;
  await calling;
  expect(await wait(environment, { quietMs: 1_000, timeoutMs: 20_000 })).toMatchObject({
    ended: "idle",
  });
});

test("an event that no app has acknowledged is still under way", async () => {
  const environment: Environment = await first.environment({ events });
  await first.chat(environment, "chat.postMessage", say);
  expect(await wait(environment, { quietMs: 100, timeoutMs: 800 })).toMatchObject({
    ended: "timeout",
    open: 1,
  });
  const token = environment.apps?.[0].token;
  const { socket } = connectApp(
    (await openAddress(second.url, environment.environmentUrl, token)).url,
  );
  expect(await wait(environment, { quietMs: 300, timeoutMs: 20_000 })).toMatchObject({
    ended: "idle",
    open: 0,
  });
  socket.close();
});

test("an earlier event that was just sent again is no quiet, on any server", async () => {
  const environment: Environment = await first.environment({ events });
  const token = environment.apps?.[0].token;
  const { url } = await openAddress(second.url, environment.environmentUrl, token);
  const app = connectApp(url);
  for (const text of ["one", "two"])
    await first.chat(environment, "chat.postMessage", { ...say, text });
  await app.has(2);
  await Bun.sleep(1_500); // as long as the wait looks for
  const path = `/env/${environment.environmentId}/deliveries/1/repeat`;
  expectStatus(await first.post(path, {}), 200);
  await app.has(3);
  const { ended, ms } = await wait(environment, { quietMs: 1_500, timeoutMs: 20_000 });
  expect(ended).toBe("idle");
  expect(ms).toBeGreaterThan(1_000);
  app.socket.close();
});

test("an environment that ends in the meantime is not found", async () => {
  const environment = await first.environment();
  const { environmentId } = environment;
  const waiting = first.post(`/env/${environmentId}/wait`, { quietMs: 10_000, timeoutMs: 20_000 });
  await Bun.sleep(300);
  expectStatus(await first.call("DELETE", `/env/${environmentId}`), 200);
  expectStatus(await waiting, 404);
});

describe("until an event", () => {
  const replied = {
    type: "message.channels",
    where: { "payload.event.text": { contains: "done" } },
  };

  test("ends with its number, on any server, also if no app receives it", async () => {
    const environment = await first.environment({ events: { apps: [{ app: APP, events: [] }] } });
    await first.chat(environment, "chat.postMessage", say);
    const waiting = wait(environment, { until: replied, timeoutMs: 20_000 });
    await Bun.sleep(500);
    await second.chat(environment, "chat.postMessage", { ...say, text: "I am done" });
    expect(await waiting).toMatchObject({ ended: "event", event: 2 });
    expect(await wait(environment, { until: replied, timeoutMs: 20_000 })).toMatchObject({
      ended: "event",
      event: 2,
    });
  });

  test("is found among many others, also without waiting", async () => {
    const environment = await first.environment({ events });
    for (let n = 0; n < 120; n++) await first.chat(environment, "chat.postMessage", say);
    await first.chat(environment, "chat.postMessage", { ...say, text: "the last" });
    const until = { type: "message.channels", where: { "payload.event.text": "the last" } };
    const ended = await wait(environment, { until, timeoutMs: 0 });
    expect(ended).toMatchObject({ ended: "event", event: 121 });
  });

  test("not by one that happened before `after`, nor by another one", async () => {
    const environment = await first.environment({ events });
    await first.chat(environment, "chat.postMessage", { ...say, text: "done" });
    const late = { ended: "timeout", event: null };
    const short = (until: object) => wait(environment, { until, timeoutMs: 500 });
    expect(await short({ ...replied, after: 1 })).toMatchObject(late);
    expect(await short({ ...replied, type: "app_mention" })).toMatchObject(late);
    expect(await short({ ...replied, where: { "cause.by": "clock" } })).toMatchObject(late);
  });

  test("ends on idle only if that is asked for", async () => {
    const environment = await first.environment({ events: { apps: [{ app: APP, events: [] }] } });
    const given = { until: replied, timeoutMs: 4_000 }; // longer than the quiet time without `until`
    expect(await wait(environment, given)).toMatchObject({ ended: "timeout" });
    expect(await wait(environment, { ...given, quietMs: 300 })).toMatchObject({ ended: "idle" });
  });

  test.each([
    [{ type: "mesage.channels" }, 'until.type: there is no event "mesage.channels"'],
    [{ ...replied, where: { text: "x" } }, 'until.where: an event has no column "text"'],
    [{ ...replied, where: { "payload.x": { regex: "a" } } }, "take no regex"],
    [{ ...replied, after: 1e300 }, "until.after: Expected integer to be less"],
  ])("rejects %j", async (until, problem) => {
    const { environmentId } = await first.environment({ events });
    const answer = await first.post(`/env/${environmentId}/wait`, { until });
    expectStatus(answer, 400);
    expect(JSON.stringify(answer.body)).toContain(JSON.stringify(problem).slice(1, -1));
  });

  test("needs an app: without one nothing is noted", async () => {
    const { environmentId } = await first.environment();
    const answer = await first.post(`/env/${environmentId}/wait`, { until: replied });
    expectStatus(answer, 400);
  });
});

describe("an app at work", () => {
  const root = async (environment: Environment) =>
    (await first.chat(environment, "chat.postMessage", say)).ts;

  test("by its status, until it answers", async () => {
    const environment = await first.environment();
    const thread_ts = await root(environment);
    const thread = { channel_id: "C01GENERAL", thread_ts };
    await first.chat(environment, "assistant.threads.setStatus", {
      ...thread,
      status: "is thinking",
    });
    const given = { quietMs: 0, timeoutMs: 600 };
    expect(await wait(environment, given)).toMatchObject({
      ended: "timeout",
      busy: `the status of thread C01GENERAL ${thread_ts}: is thinking`,
    });
    await first.chat(environment, "chat.postMessage", { ...say, thread_ts });
    expect(await wait(environment, given)).toMatchObject({ ended: "idle", busy: null });
  });

  test("not by a status of more than two minutes ago", async () => {
    const environment = await first.environment({ clock: { now: "2026-03-11T09:00:00Z" } });
    const thread_ts = await root(environment);
    const thread = { channel_id: "C01GENERAL", thread_ts, status: "is thinking" };
    await first.chat(environment, "assistant.threads.setStatus", thread);
    const path = `/env/${environment.environmentId}/clock`;
    expectStatus(await first.post(path, { advance: "PT3M" }), 200);
    const ended = await wait(environment, { quietMs: 0, timeoutMs: 2_000 });
    expect(ended).toMatchObject({ ended: "idle", busy: null });
  });

  test("by an agent session of a tracker, until its response", async () => {
    const environment = await first.environment({
      ...{
        templateService: "tracker",
        templateName: "tracker_default",
        impersonateUserId: undefined,
      },
      impersonateEmail: "agent@acme.test",
    });
    const mutate = async (query: string, variables: object) => {
      const response = await fetch(`${first.url}${environment.environmentUrl}/graphql`, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ query, variables }),
      });
      const { data, errors } = (await response.json()) as any;
      expect(errors).toBeUndefined();
      return data;
    };
    const { issues } = await mutate("{ issues(first: 1) { nodes { id } } }", {});
    const { agentSessionCreateOnIssue: opened } = await mutate(
      "mutation ($input: AgentSessionCreateOnIssue!) { agentSessionCreateOnIssue(input: $input) { agentSession { id } } }",
      { input: { issueId: issues.nodes[0].id } },
    );
    const { id } = opened.agentSession;
    const given = { quietMs: 0, timeoutMs: 600 };
    expect(await wait(environment, given)).toMatchObject({
      ...{ ended: "timeout", busy: `the agent session ${id} is pending` },
    });
    await mutate(
      "mutation ($input: AgentActivityCreateInput!) { agentActivityCreate(input: $input) { success } }",
      { input: { agentSessionId: id, content: { type: "response", body: "Done." } } },
    );
    expect(await wait(environment, given)).toMatchObject({ ended: "idle", busy: null });
  });

  test("by a stream that has not ended", async () => {
    const environment = await first.environment();
    const { ts } = await first.chat(environment, "chat.startStream", {
      channel: "C01GENERAL",
      thread_ts: await root(environment),
      markdown_text: "Let me see",
      recipient_user_id: "U02JOHNADOE",
      recipient_team_id: "T01ACMECORP",
    });
    const given = { quietMs: 0, timeoutMs: 600 };
    expect(await wait(environment, given)).toMatchObject({
      ended: "timeout",
      busy: `the stream ${ts} in C01GENERAL`,
    });
    await first.chat(environment, "chat.stopStream", { channel: "C01GENERAL", ts });
    expect(await wait(environment, given)).toMatchObject({ ended: "idle", busy: null });
  });
});
