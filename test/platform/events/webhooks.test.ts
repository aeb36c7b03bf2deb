/** Webhooks of the tracker: its apps, their requests, and what is noted for them. */
import { afterEach, describe, expect, test } from "bun:test";
import { createHmac } from "node:crypto";
import { LinearClient } from "@linear/sdk";
import { tracker } from "~/replicas/tracker/index";
import { eventually, useSharedDatabase } from "../../support/database";
import { expectRefusal, expectStatus, useProgram } from "../../support/program";
import { AGENT, ENG, JOHN } from "../../support/tracker";
import { useNoted } from "./noted";

const database = useSharedDatabase();
const program = useProgram(database);
const TABLES: ReadonlySet<string> = new Set(tracker.events?.tables);
const { expectAsLogged, inRun } = useNoted(database, program, TABLES);

const APP = "9f0c1d52-6d0b-4c29-a37e-0f7a3f0f8b11";
const MARCH = "2026-03-11T09:00:00.000Z";
const FROZEN = { clock: { now: MARCH, mode: "frozen" } };
const TRACKER = {
  ...{ templateService: "tracker", templateName: "tracker_default", impersonateUserId: JOHN },
};

const open: WebSocket[] = [];
afterEach(() => {
  for (const socket of open.splice(0)) socket.close();
});

async function withApp(events: readonly string[], fields: object = {}) {
  const apps = [{ app: APP, userId: AGENT, events }];
  const environment = await program.environment({ ...TRACKER, ...fields, events: { apps } });
  const { environmentId, environmentUrl, token } = environment;
  const apiUrl = `${program.url}${environmentUrl}/graphql`;
  const linear = new LinearClient({ apiKey: token, apiUrl });
  return { environment, environmentId, linear, secret: environment.apps[0].signingSecret };
}

/** Takes requests, and answers each with a status. */
function listen(environmentId: string, statusOf: (attempt: number) => number) {
  const base = program.url.replace("http", "ws");
  const socket = new WebSocket(`${base}/api/platform/env/${environmentId}/listen?app=${APP}`);
  open.push(socket);
  const messages: any[] = [];
  const requests: { headers: Record<string, string>; body: string }[] = [];
  socket.onmessage = ({ data }) => {
    const message = JSON.parse(String(data));
    messages.push(message);
    if (message.type !== "request") return;
    requests.push(message.request);
    const status = statusOf(Number(message.id.split(".")[1]));
    socket.send(JSON.stringify({ id: message.id, status }));
  };
  return {
    ...{ messages, requests },
    has: (count: number) => eventually(() => expect(requests).toHaveLength(count)),
  };
}

const eventsOf = async (environmentId: string): Promise<any[]> =>
  (await program.get(`/env/${environmentId}/deliveries?limit=500`)).body.events;
const ends = (environmentId: string, state: string, attempts: number) =>
  eventually(async () => {
    const [event] = await eventsOf(environmentId);
    expect(event.deliveries[0]).toMatchObject({ state });
    expect(event.deliveries[0].attempts).toHaveLength(attempts);
    return event.deliveries[0];
  });

test("a request is signed, carries the time of the environment and of the attempt, and follows no challenge", async () => {
  const { environmentId, linear, secret } = await withApp(["Issue"], FROZEN);
  const app = listen(environmentId, () => 200);
  await linear.createIssue({ teamId: ENG, title: "Ship it" });
  await app.has(1);

  const { headers, body } = app.requests[0]!;
  const mac = createHmac("sha256", secret).update(body).digest("hex");
  const payload = JSON.parse(body);
  expect(headers).toEqual({
    "content-type": "application/json; charset=utf-8",
    "user-agent": "Linear-Webhook",
    "linear-delivery": expect.stringMatching(/^[0-9a-f-]{36}$/),
    "linear-event": "Issue",
    "linear-signature": mac,
    "linear-timestamp": `${payload.webhookTimestamp}`,
  });
  expect(payload).toMatchObject({
    ...{ action: "create", type: "Issue", createdAt: MARCH, organizationId: expect.any(String) },
    data: { title: "Ship it", createdAt: MARCH },
    actor: { id: JOHN, type: "user" },
    webhookId: expect.stringMatching(/^[0-9a-f-]{36}$/),
  });
  expect(Math.abs(Date.now() - payload.webhookTimestamp)).toBeLessThan(60_000);
  expect(app.messages[0]).toEqual({
    ...{ type: "hello", app: APP, connections: 1, acknowledgeMs: 5_000, redirectsMax: 0 },
  });
});

test("what is not answered with 200 comes again after a minute, an hour and six hours of the environment", async () => {
  const { environmentId, linear, secret } = await withApp(["Issue"], FROZEN);
  const app = listen(environmentId, (attempt) => (attempt === 0 ? 204 : 500));
  await linear.createIssue({ teamId: ENG, title: "Ship it" });
  await app.has(1);
  await ends(environmentId, "pending", 1);
  for (const [at, [before, rest]] of [
    ["PT59S", "PT1S"],
    ["PT59M", "PT1M"],
    ["PT5H", "PT1H"],
  ].entries()) {
    await program.post(`/env/${environmentId}/clock`, { advance: before });
    await Bun.sleep(100);
    expect(app.requests).toHaveLength(at + 1);
    await Bun.sleep(5); // another time of the attempt
    await program.post(`/env/${environmentId}/clock`, { advance: rest });
    await app.has(at + 2);
    await ends(environmentId, at < 2 ? "pending" : "failed", at + 2);
  }

  const deliveries = app.requests.map(({ headers }) => headers["linear-delivery"]);
  const times = app.requests.map(({ body }) => JSON.parse(body).webhookTimestamp);
  expect(new Set(deliveries).size).toBe(1);
  expect(new Set(times).size).toBe(4);
  for (const { headers, body } of app.requests)
    expect(headers["linear-signature"]).toBe(
      createHmac("sha256", secret).update(body).digest("hex"),
    );
});

describe("apps", () => {
  test("have UUIDs; that of a user is the app of this user", async () => {
    const environment = await program.environment(TRACKER);
    const path = `/env/${environment.environmentId}/events`;
    const put = (app: object) =>
      program.call("PUT", path, { apps: [{ events: ["Issue"], ...app }] });

    const own = await put({ app: AGENT });
    const other = await put({ app: APP });

    expectStatus(own, 200);
    expect(own.body.apps[0]).toMatchObject({ app: AGENT, userId: AGENT, tokenPrefix: null });
    expect(own.body.apps[0].signingSecret).toMatch(/^lin_wh_[0-9a-f]{40}$/);
    expect(other.body.apps[0]).toMatchObject({ app: APP, userId: JOHN, service: "tracker" });
    for (const [wrong, problem] of [
      [{ app: "A01AGENTBOT" }, "apps[0].app: an id of an app of tracker is needed"],
      [{ app: APP.toUpperCase() }, "apps[0].app: an id of an app of tracker is needed"],
      [{ app: APP, events: ["Isue"] }, "apps[0].events: tracker has no event"],
    ] as const)
      expectRefusal(
        await put(wrong),
        ...([400, "invalid_request"] as const),
        expect.stringContaining(problem) as never,
      );
  });

  test("of a world belong to the service that their ids fit", async () => {
    const environment = await program.environment({
      ...{
        templateService: "world",
        templateName: "acme",
        impersonateUserId: undefined,
        impersonateEmail: "agent@acme.test",
      },
    });
    const path = `/env/${environment.environmentId}/events`;
    const both = [
      { app: APP, events: ["Issue"] },
      { app: "A01AGENTBOT", events: ["app_mention"] },
    ];
    const put = await program.call("PUT", path, { apps: both });

    expectStatus(put, 200);
    expect(put.body.apps.map(({ service }: any) => service)).toEqual(["tracker", "chat"]);
    const other = await program.call("PUT", path, { apps: [{ app: "none", events: [] }] });
    expectRefusal(
      other,
      ...([400, "invalid_request"] as const),
      expect.stringContaining(
        "apps[0].service: needed: one of chat, tracker, mail, calendar, which have events",
      ) as never,
    );
  });

  test("have no socket", async () => {
    const { environment } = await withApp(["Issue"]);
    const link = await fetch(`${program.url}${environment.environmentUrl}/link`, {
      headers: { Connection: "Upgrade", Upgrade: "websocket" },
    });
    expect(link.status).toBe(404);
  });
});

test("an event by hand names the user and the id of its app", async () => {
  const { environmentId } = await withApp(["AgentSessionEvent"], FROZEN);
  const app = listen(environmentId, () => 200);
  const raised = await program.post(`/env/${environmentId}/events`, {
    type: "AgentSessionEvent",
    event: { action: "created", agentSession: { id: APP, status: "pending" } },
  });
  expectStatus(raised, 200);
  await app.has(1);

  expect(JSON.parse(app.requests[0]!.body)).toMatchObject({
    ...{ type: "AgentSessionEvent", action: "created", createdAt: MARCH },
    ...{ appUserId: AGENT, oauthClientId: APP, agentSession: { status: "pending" } },
  });
});

test("what is noted is what the log has, and each new entity has its event", async () => {
  const { environment, environmentId, linear } = await withApp(["Issue"]);
  const { runId, noted } = await inRun(environment, async () => {
    const { issueId } = await linear.createIssue({ teamId: ENG, title: "One" });
    const { issueLabelId } = await linear.createIssueLabel({ name: "Late", teamId: ENG });
    await linear.issueAddLabel(issueId!, issueLabelId!);
    const { commentId } = await linear.createComment({ issueId: issueId!, body: "@agent" });
    await linear.createReaction({ commentId: commentId!, emoji: "eyes" });
    const { projectId } = await linear.createProject({ name: "Move", teamIds: [ENG] });
    await linear.updateIssue(issueId!, { projectId: projectId!, assigneeId: AGENT });
    await linear.createProjectUpdate({ projectId: projectId!, body: "Fine" });
    await linear.createCustomer({ name: "Acme" });
    await linear.createDocument({ title: "Plan", projectId: projectId! });
    await linear.deleteProject(projectId!);
    await linear.updateIssue(issueId!, { title: "Two" });
    await linear.deleteIssue(issueId!, { permanentlyDelete: true });
  });

  expect(await expectAsLogged(noted, runId)).toBeGreaterThan(15);
  const events = await eventsOf(environmentId);
  const announced = new Set(
    events
      .filter(({ payload }) => payload.action === "create" || payload.notification)
      .map(({ payload }) => payload.data?.id ?? payload.notification.id),
  );
  const made = noted
    .filter(({ table, before }) => before === null && table !== "issue_label_assignments")
    .filter(({ table, after }) => table !== "notifications" || after?.["userId"] === AGENT)
    .filter(({ table }) => table !== "project_teams")
    .map(({ after }) => after?.["id"]);
  expect(made.filter((id) => !announced.has(id as string))).toEqual([]);
  expect(events.every(({ cause }) => cause.by === "call")).toBeTrue();
});
