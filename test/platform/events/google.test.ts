/** Notifications of the mail and the calendar service: watches and channels, as apps of an environment receive them. */
import { afterEach, describe, expect, test } from "bun:test";
import { eventually, useSharedDatabase } from "../../support/database";
import { expectRefusal, expectStatus, useProgram } from "../../support/program";
import { restCall } from "../../support/rest";
import { useNoted } from "./noted";

const database = useSharedDatabase();
const program = useProgram(database);
const { keep } = useNoted(database, program, new Set());

const AGENT = "agent@acme.test";
const JOHN = "john@acme.test";
const MARCH = "2026-03-11T09:00:00.000Z";
const FROZEN = { clock: { now: MARCH, mode: "frozen" }, seed: 7 };
const TOPIC = "projects/acme/topics/mail";
const SUBSCRIPTION = "projects/acme/subscriptions/agent";
const CLIENT = "agent.apps.googleusercontent.com";
const TEAM = "c_team@group.calendar.google.com";
const DAYS_MS = 86_400_000;

type Environment = {
  readonly environmentId: string;
  readonly environmentUrl: string;
  readonly token: string;
  readonly schemaName: string;
};

const open: WebSocket[] = [];
afterEach(() => {
  for (const socket of open.splice(0)) socket.close();
});

const create = async (service: string, apps: object[], fields: object = {}): Promise<Environment> =>
  await program.environment({
    ...{ templateService: service, templateName: `${service}_default`, impersonateUserId: AGENT },
    ...{ events: { apps }, ...FROZEN, ...fields },
  });

async function send(
  { environmentUrl }: Environment,
  method: string,
  path: string,
  body?: object,
): Promise<any> {
  const answer = await restCall(`${program.url}${environmentUrl}/${path}`, method, {}, body);
  if (!answer.ok) throw new Error(JSON.stringify(answer.body));
  return answer.body;
}

/** Takes requests, and answers each with a status. */
function listen({ environmentId }: Environment, app: string, statusOf = (_: number) => 204) {
  const base = program.url.replace("http", "ws");
  const query = new URLSearchParams({ app });
  const socket = new WebSocket(`${base}/api/platform/env/${environmentId}/listen?${query}`);
  open.push(socket);
  const requests: { headers: Record<string, string>; body: string }[] = [];
  socket.onmessage = ({ data }) => {
    const message = JSON.parse(String(data));
    if (message.type !== "request") return;
    requests.push(message.request);
    const status = statusOf(Number(message.id.split(".")[1]));
    socket.send(JSON.stringify({ id: message.id, status }));
  };
  return {
    requests,
    has: (count: number) => eventually(() => expect(requests).toHaveLength(count)),
  };
}

/**
 * Lets events be derived from the changes so far while a statement, which is committed before their tables are read, makes
 * a later one.
 */
async function overtaken(env: Environment, table: string, change: string) {
  const { schemaName } = env;
  const release = await keep(env);
  return async () => {
    let listed: Promise<any[]> | undefined;
    await database.sql.begin(async (tx) => {
      await tx.unsafe(`lock table ${schemaName}.${table} in access exclusive mode`);
      await release();
      listed = eventsOf(env);
      await eventually(async () => {
        const waiting = await database.sql`
          select from pg_locks where not granted and relation = ${`${schemaName}.${table}`}::regclass
        `;
        expect(waiting.length).toBeGreaterThan(0);
      });
      await tx.unsafe(change);
    });
    return await listed!;
  };
}

const eventsOf = async ({ environmentId }: Environment): Promise<any[]> =>
  (await program.get(`/env/${environmentId}/deliveries?limit=500`)).body.events;

describe("mail", () => {
  const app = { app: SUBSCRIPTION, events: ["notification"] };
  const watch = (env: Environment, fields: object = {}) =>
    send(env, "POST", "gmail/v1/users/me/watch", { topicName: TOPIC, ...fields });
  const raw = (to: string, subject: string) =>
    Buffer.from(`From: ${AGENT}\r\nTo: ${to}\r\nSubject: ${subject}\r\n\r\nHello`).toString(
      "base64url",
    );
  const mail = (env: Environment, to = AGENT, subject = "News") =>
    send(env, "POST", "gmail/v1/users/me/messages/send", { raw: raw(to, subject) });
  const dataIn = (body: string) =>
    JSON.parse(Buffer.from(JSON.parse(body).message.data, "base64").toString());
  const missedIn = async (env: Environment) =>
    (await eventsOf(env)).map(({ payload, missed }) => [
      payload.emailAddress,
      ...missed.map(({ reason }: { reason: string }) => reason),
    ]);

  test("a watch is followed by a notification of its own, and by one for each change", async () => {
    const env = await create("mail", [app]);
    const subscriber = listen(env, SUBSCRIPTION);
    const { historyId } = await watch(env);
    await subscriber.has(1);
    await mail(env);
    await subscriber.has(2);

    const [first, second] = subscriber.requests.map(({ body }) => JSON.parse(body));
    expect(first).toEqual({
      message: {
        data: expect.any(String),
        messageId: expect.stringMatching(/^\d{16}$/),
        message_id: first.message.messageId,
        publishTime: MARCH,
        publish_time: MARCH,
      },
      subscription: SUBSCRIPTION,
    });
    expect(subscriber.requests[0]?.headers).toEqual({
      "content-type": "application/json",
      "user-agent": "CloudPubSub-Google",
    });
    const [begun, changed] = subscriber.requests.map(({ body }) => dataIn(body));
    expect(begun).toEqual({ emailAddress: AGENT, historyId: Number(historyId) });
    expect(changed.historyId).toBeGreaterThan(begun.historyId);
    expect(second.message.messageId).not.toBe(first.message.messageId);
    const { history, historyId: last } = await send(
      env,
      "GET",
      `gmail/v1/users/me/history?startHistoryId=${begun.historyId}`,
    );
    expect(history.length).toBeGreaterThan(0);
    expect(Number(last)).toBe(changed.historyId);
  });

  test("what is not acknowledged comes again with the same id", async () => {
    const env = await create("mail", [app]);
    const subscriber = listen(env, SUBSCRIPTION, (attempt) => (attempt === 0 ? 500 : 200));
    await watch(env);
    await subscriber.has(1);
    await program.post(`/env/${env.environmentId}/clock`, { advance: "PT10S" });
    await subscriber.has(2);
    const [first, second] = subscriber.requests.map(({ body }) => body);
    expect(second).toBe(first!);
  });

  test("nobody is notified without a watch, after its end, of another mailbox or of other labels", async () => {
    const env = await create("mail", [app]);
    await mail(env);
    expect(await missedIn(env)).toEqual([[AGENT, "its mailbox is not watched"]]);
    const steps: [() => Promise<unknown>, string[][]][] = [
      [() => watch(env, { labelIds: ["SPAM"] }), [[AGENT]]], // It begins.
      [() => mail(env), [[AGENT, "the watch of its mailbox is for other labels"]]],
      [() => watch(env, { labelIds: ["INBOX"], labelFilterBehavior: "exclude" }), [[AGENT]]],
      [() => mail(env, JOHN), [[AGENT], [JOHN, "another mailbox"]]], // The copy that was sent.
      [() => send(env, "POST", "gmail/v1/users/me/stop"), []],
      [() => mail(env), [[AGENT, "its mailbox is not watched"]]],
    ];
    for (const [step, expected] of steps) {
      const known = (await missedIn(env)).length;
      await step();
      expect((await missedIn(env)).slice(known)).toEqual(expected);
    }
    await watch(env);
    await program.post(`/env/${env.environmentId}/clock`, { advance: "P7D" });
    await mail(env);
    expect((await missedIn(env)).at(-1)).toEqual([AGENT, "the watch of its mailbox has expired"]);
  });

  test("a change before a stop is notified, also if its event is derived after it", async () => {
    const env = await create("mail", [app]);
    await watch(env);
    expect(await missedIn(env)).toEqual([[AGENT]]);
    const derived = await overtaken(
      env,
      "mailboxes",
      `update ${env.schemaName}.mailboxes set watch = null`,
    );
    await mail(env);

    const [, changed] = await derived();
    expect(changed).toMatchObject({ missed: [], deliveries: [{ app: SUBSCRIPTION }] });
  });

  test("an app is a subscription", async () => {
    const answer = await program.post("/initEnv", {
      ...{ templateService: "mail", templateName: "mail_default", impersonateUserId: AGENT },
      events: { apps: [{ ...app, app: TOPIC }] },
    });
    const example = "an id of an app of mail is needed, such as projects/acme/subscriptions/agent";
    expectRefusal(answer, 400, "invalid_request", `events.apps[0].app: ${example}`);
  });
});

describe("calendar", () => {
  const app = { app: CLIENT, events: ["sync", "exists"] };
  const channel = (fields: object = {}) => ({
    ...{ id: "c1", type: "web_hook", address: "https://bot.example.org/hook", token: "t=1" },
    ...fields,
  });
  const watch = (env: Environment, resource: string, fields: object = {}) =>
    send(env, "POST", `calendar/v3/${resource}/watch`, channel(fields));
  const meeting = (fields: object = {}) => ({
    ...{ summary: "Launch", start: { dateTime: "2026-03-12T14:00:00Z" } },
    ...{ end: { dateTime: "2026-03-12T15:00:00Z" }, ...fields },
  });
  const insert = (env: Environment, calendar: string, fields: object = {}) =>
    send(env, "POST", `calendar/v3/calendars/${calendar}/events`, meeting(fields));
  const shownIn = async (env: Environment) =>
    (await eventsOf(env)).map(({ type, payload }) => [type, payload.channelId]);

  test("a channel is announced, and each change of its resource has a message without a body", async () => {
    const env = await create("calendar", [app]);
    const hook = listen(env, CLIENT);
    const { resourceId, resourceUri } = await watch(env, "calendars/primary/events");
    await hook.has(1);
    await insert(env, "primary");
    await hook.has(2);

    const headers = (state: string, number: string) => ({
      "content-type": "application/json; utf-8",
      "user-agent": expect.stringContaining("APIs-Google"),
      "x-goog-channel-expiration": new Date(Date.parse(MARCH) + 7 * DAYS_MS).toUTCString(),
      "x-goog-channel-id": "c1",
      "x-goog-channel-token": "t=1",
      "x-goog-message-number": number,
      "x-goog-resource-id": resourceId,
      "x-goog-resource-state": state,
      "x-goog-resource-uri": resourceUri,
    });
    const [sync, exists] = hook.requests;
    expect(sync).toEqual({ headers: headers("sync", "1"), body: "" });
    expect(exists?.headers).toEqual(headers("exists", exists!.headers["x-goog-message-number"]!));
    expect(Number(exists?.headers["x-goog-message-number"])).toBeGreaterThan(1);
  });

  test("every message can be sent, whatever a token or an event raised by hand has", async () => {
    const env = await create("calendar", [app]);
    const hook = listen(env, CLIENT);
    await watch(env, "calendars/primary/events", { token: "Käse 日\r\nx-other: 1" });
    await hook.has(1);
    expect(hook.requests[0]?.headers["x-goog-channel-token"]).toBe(
      "K%C3%A4se %E6%97%A5%0D%0Ax-other: 1",
    );
    const answer = await program.post(`/env/${env.environmentId}/events`, {
      type: "exists",
      event: { channelId: "ö", messageNumber: 3, channelToken: { a: 1 }, resourceId: null },
    });
    expectStatus(answer, 200);
    await hook.has(2);
    expect(hook.requests[1]?.headers).toEqual({
      "content-type": "application/json; utf-8",
      "user-agent": expect.any(String),
      "x-goog-channel-id": "%C3%B6",
      "x-goog-message-number": "3",
      "x-goog-resource-state": "exists",
    });
  });

  test("an answer other than a server's error ends the attempts", async () => {
    const env = await create("calendar", [app]);
    const hook = listen(env, CLIENT, (attempt) => (attempt === 0 ? 503 : 404));
    await watch(env, "calendars/primary/events");
    await hook.has(1);
    await program.post(`/env/${env.environmentId}/clock`, { advance: "PT10S" });
    await hook.has(2);
    await eventually(async () => {
      const [event] = await eventsOf(env);
      expect(event.deliveries[0]).toMatchObject({ state: "failed" });
    });
  });

  test("an event is in the calendars of its guests", async () => {
    const env = await create("calendar", [app]);
    await watch(env, "calendars/primary/events");
    const { id } = await insert(env, TEAM, { attendees: [{ email: JOHN }] });
    expect(await shownIn(env)).toEqual([["sync", "c1"]]);
    const guests = { attendees: [{ email: JOHN }, { email: AGENT }] };
    await send(env, "PATCH", `calendar/v3/calendars/${TEAM}/events/${id}`, guests);
    await send(env, "PATCH", `calendar/v3/calendars/${TEAM}/events/${id}`, { summary: "Later" });
    expect((await shownIn(env)).slice(1)).toEqual([
      ["exists", "c1"],
      ["exists", "c1"],
    ]);
  });

  test("a change before the stop of its channel has its message, also if that is derived after it", async () => {
    const env = await create("calendar", [app]);
    await watch(env, "calendars/primary/events");
    await watch(env, "calendars/primary/events", { id: "c2" });
    expect(await shownIn(env)).toHaveLength(2);
    const derived = await overtaken(
      env,
      "channels",
      `delete from ${env.schemaName}.channels where id = 'c1';
       insert into ${env.schemaName}.channels select * from jsonb_populate_record(
         null::${env.schemaName}.channels,
         (select to_jsonb(c) || '{"id": "c3"}' from ${env.schemaName}.channels c where id = 'c2')
       )`,
    );
    await insert(env, "primary");

    await derived();
    expect((await shownIn(env)).slice(2)).toEqual([
      ["exists", "c1"],
      ["exists", "c2"],
      ["sync", "c3"],
    ]);
  });

  test("a channel of some types of events has messages of these alone", async () => {
    const env = await create("calendar", [app]);
    const types = "eventTypes=focusTime&eventTypes=outOfOffice";
    const watched = "calendar/v3/calendars/primary/events/watch";
    const { resourceUri } = await send(env, "POST", `${watched}?${types}`, channel());
    expect(resourceUri).toEndWith(`/calendars/primary/events?${types}&alt=json`);
    await send(env, "POST", `${watched}?eventTypes=default`, channel({ id: "c2" }));
    const { id } = await insert(env, "primary", { attendees: [{ email: JOHN }, { email: AGENT }] });
    const attendees = [{ email: AGENT, responseStatus: "accepted" }, { email: JOHN }];
    await send(env, "PATCH", `calendar/v3/calendars/primary/events/${id}`, { attendees });
    await insert(env, "primary", { eventType: "focusTime", focusTimeProperties: {} });
    expect(await shownIn(env)).toEqual([
      ["sync", "c1"],
      ["sync", "c2"],
      ["exists", "c2"],
      ["exists", "c2"],
      ["exists", "c1"],
    ]);
  });

  test("a calendar is watched by its id in any case", async () => {
    const env = await create("calendar", [app]);
    await watch(env, `calendars/${encodeURIComponent(AGENT.toUpperCase())}/events`);
    await insert(env, "primary");
    expect(await shownIn(env)).toEqual([
      ["sync", "c1"],
      ["exists", "c1"],
    ]);
  });

  test("a channel with the id of one that has ended is another one", async () => {
    const env = await create("calendar", [app]);
    const { resourceId } = await watch(env, "calendars/primary/events");
    const release = await keep(env);
    await insert(env, "primary");
    await send(env, "POST", "calendar/v3/channels/stop", { id: "c1", resourceId });
    await insert(env, "primary");
    await watch(env, "calendars/primary/events");
    await insert(env, "primary");
    await release();
    expect(await shownIn(env)).toEqual([
      ["sync", "c1"],
      ["exists", "c1"],
      ["sync", "c1"],
      ["exists", "c1"],
    ]);
  });

  test("each resource has its own channels, until they are stopped or expire", async () => {
    const env = await create("calendar", [app]);
    const { resourceId } = await watch(env, "calendars/primary/acl", { id: "rules" });
    await watch(env, "users/me/calendarList", { id: "list", params: { ttl: "3600" } });
    await watch(env, `calendars/${encodeURIComponent(AGENT)}/events`, { id: "events" });
    const begun = 3;
    await send(env, "POST", "calendar/v3/calendars/primary/acl", {
      ...{ role: "reader", scope: { type: "user", value: "guest@example.org" } },
    });
    await insert(env, "primary");
    await send(env, "PATCH", `calendar/v3/users/me/calendarList/${encodeURIComponent(AGENT)}`, {
      colorId: "7",
    });
    await send(env, "POST", "calendar/v3/channels/stop", { id: "rules", resourceId });
    await send(env, "POST", "calendar/v3/calendars/primary/acl", {
      ...{ role: "reader", scope: { type: "user", value: "other@example.org" } },
    });
    await program.post(`/env/${env.environmentId}/clock`, { advance: "PT1H" });
    await send(env, "PATCH", `calendar/v3/users/me/calendarList/${encodeURIComponent(AGENT)}`, {
      colorId: "8",
    });
    expect((await shownIn(env)).slice(begun)).toEqual([
      ["exists", "rules"],
      ["exists", "events"],
      ["exists", "list"],
    ]);
  });
});

test("apps of a world are told apart by their ids", async () => {
  const answer = await program.post("/initEnv", {
    ...{ templateService: "world", templateName: "acme", impersonateEmail: AGENT },
    events: {
      apps: [
        { app: SUBSCRIPTION, events: ["notification"] },
        { app: CLIENT, events: ["exists"] },
      ],
    },
  });
  expectStatus(answer, 201);
  expect(answer.body.apps).toMatchObject([
    { app: CLIENT, service: "calendar", signingSecret: null },
    { app: SUBSCRIPTION, service: "mail", signingSecret: null },
  ]);
});
