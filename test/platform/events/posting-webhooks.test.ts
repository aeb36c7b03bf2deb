/** Webhooks of the tracker: rows that subscribe by themselves, to whose addresses the server posts. */
import { describe, expect, test } from "bun:test";
import { createHmac } from "node:crypto";
import { LinearClient } from "@linear/sdk";
import { LinearWebhookClient } from "@linear/sdk/webhooks";
import { tableInWorld } from "~/replicas/members";
import { eventually, useSharedDatabase } from "../../support/database";
import { expectStatus, useProgram } from "../../support/program";
import { receive } from "../../support/receiver";
import { AGENT, ENG, JOHN } from "../../support/tracker";

const database = useSharedDatabase();
const program = useProgram(database);

const APP = "9f0c1d52-6d0b-4c29-a37e-0f7a3f0f8b11";
const TRACKER = {
  ...{ templateService: "tracker", templateName: "tracker_default", impersonateUserId: JOHN },
};
const FROZEN = { clock: { now: "2026-03-11T09:00:00.000Z", mode: "frozen" } };

async function withEvents(fields: object = {}) {
  const apps = [{ app: APP, userId: AGENT, events: [] }];
  const environment = await program.environment({ ...TRACKER, ...fields, events: { apps } });
  const { environmentId, environmentUrl, token, schemaName } = environment;
  const apiUrl = `${program.url}${environmentUrl}/graphql`;
  return { environmentId, schemaName, token, linear: new LinearClient({ apiKey: token, apiUrl }) };
}
type Place = Awaited<ReturnType<typeof withEvents>>;

/** The service takes addresses of HTTPS only; a receiver of this machine has none. */
async function webhookOf(
  { linear, schemaName }: Place,
  url: string,
  fields: object = {},
  table = "webhooks",
) {
  const created = await linear.createWebhook({
    ...{ url: "https://bot.example.com/", resourceTypes: ["Issue"], teamId: ENG, ...fields },
  });
  const webhook = (await created.webhook)!;
  await database.sql.unsafe(`update ${schemaName}.${table} set url = $1 where id = $2`, [
    ...[url, webhook.id],
  ]);
  return webhook;
}

const eventsOf = async ({ environmentId }: Place): Promise<any[]> =>
  (await program.get(`/env/${environmentId}/deliveries`)).body.events;
const webhooksOf = async ({ environmentId }: Place): Promise<any[]> =>
  (await program.get(`/env/${environmentId}/events`)).body.webhooks;
const move = async ({ environmentId }: Place, advance: string) =>
  expectStatus(await program.post(`/env/${environmentId}/clock`, { advance }), 200);

test("a webhook receives the events of its team, signed with its own secret", async () => {
  const bot = receive();
  const place = await withEvents();
  const webhook = await webhookOf(place, bot.url);
  await place.linear.createIssue({ teamId: ENG, title: "Ship it" });
  await bot.has(1);

  const [{ headers, body }] = bot.requests as [(typeof bot.requests)[number]];
  const signature = createHmac("sha256", webhook.secret!).update(body).digest("hex");
  expect(headers.get("linear-signature")).toBe(signature);
  expect(headers.get("user-agent")).toBe("Linear-Webhook");
  expect(headers.get("linear-event")).toBe("Issue");
  const client = new LinearWebhookClient(webhook.secret!);
  const parsed = client.parseData(Buffer.from(body), signature, headers.get("linear-timestamp")!);
  expect(parsed).toMatchObject({
    ...{ action: "create", type: "Issue", webhookId: webhook.id, data: { title: "Ship it" } },
  });
  expect(bot.challenges).toHaveLength(0);
  expect(await webhooksOf(place)).toEqual([
    {
      ...{ app: webhook.id, service: "tracker", connected: false, events: ["Issue"] },
      ...{ requestUrl: bot.url, signingSecret: webhook.secret },
    },
  ]);
});

test("the repetitions of a webhook are signed anew", async () => {
  const statuses = [204, 302, 500, 200];
  const bot = receive(() => {
    const status = statuses.shift() ?? 500;
    const headers = status === 302 ? { Location: bot.url } : {};
    return new Response(null, { status, headers });
  });
  const place = await withEvents(FROZEN);
  await webhookOf(place, bot.url);
  await place.linear.createIssue({ teamId: ENG, title: "Ship it" });
  for (const [count, rest] of [
    [1, "PT1M"],
    [2, "PT1H"],
    [3, "PT6H"],
  ] as const) {
    await eventually(async () => {
      const [event] = await eventsOf(place);
      expect(event.deliveries[0]).toMatchObject({ state: "pending" });
      expect(event.deliveries[0].attempts).toHaveLength(count);
    });
    await move(place, rest);
  }
  await bot.has(4);
  await eventually(async () =>
    expect((await eventsOf(place))[0].deliveries[0].state).toBe("delivered"),
  );
  const [event] = await eventsOf(place);
  expect(event.deliveries[0].attempts.map(({ failed }: any) => failed)).toEqual([
    ...["status 204", "status 302", "status 500", null],
  ]);
  const of = (name: string) => new Set(bot.requests.map(({ headers }) => headers.get(name)));
  expect(of("linear-delivery").size).toBe(1);
  expect(of("linear-signature").size).toBe(4);
  for (const { body } of bot.requests)
    expect(Math.abs(JSON.parse(body).webhookTimestamp - Date.now())).toBeLessThan(60_000);
});

describe("a webhook", () => {
  test("receives nothing of other teams and types, from before, or while it is disabled", async () => {
    const bot = receive();
    const place = await withEvents();
    const { linear } = place;
    await linear.createIssue({ teamId: ENG, title: "before" });
    const webhook = await webhookOf(place, bot.url);
    const { nodes } = await linear.teams();
    const other = nodes.find(({ id }) => id !== ENG)!;
    await linear.createIssue({ teamId: other.id, title: "another team" });
    const { issueId } = await linear.createIssue({ teamId: ENG, title: "first" });
    await linear.createComment({ issueId: issueId!, body: "another type" });
    await bot.has(1);
    await webhook.update({ enabled: false });
    await linear.createIssue({ teamId: ENG, title: "disabled" });
    expect(await webhooksOf(place)).toMatchObject([{ events: [] }]);
    await webhook.update({ enabled: true });
    await linear.createIssue({ teamId: ENG, title: "second" });
    await bot.has(2);
    await webhook.delete();
    await linear.createIssue({ teamId: ENG, title: "deleted" });
    expect(await webhooksOf(place)).toEqual([]);

    const events = await eventsOf(place);
    const titles = bot.requests.map(({ body }) => JSON.parse(body).data.title);
    expect(titles).toEqual(["first", "second"]);
    const reasons = events.map(
      ({ payload, missed }) =>
        [payload.data.title, missed.find(({ app }: any) => app === webhook.id)?.reason] as const,
    );
    expect(Object.fromEntries(reasons)).toMatchObject({
      "another team": "it does not belong to the team of the webhook",
      ...{ disabled: "not subscribed", deleted: undefined },
    });
    const [first] = events.filter(({ payload }) => payload.data.title === "first");
    expect(first.deliveries).toMatchObject([{ app: webhook.id, state: "delivered" }]);
  });

  test("of all public teams receives what belongs to none, and nothing of private ones", async () => {
    const bot = receive();
    const place = await withEvents();
    const { linear } = place;
    await webhookOf(place, bot.url, {
      ...{ teamId: undefined, allPublicTeams: true, resourceTypes: ["Issue", "Customer"] },
    });
    const { teamId } = await linear.createTeam({ name: "Secret", key: "SEC", private: true });
    await linear.createIssue({ teamId: teamId!, title: "private" });
    await linear.createCustomer({ name: "Acme" });
    await linear.createIssue({ teamId: ENG, title: "public" });
    await bot.has(2);
    const bodies = bot.requests.map(({ body }) => JSON.parse(body).data);
    expect(bodies).toMatchObject([{ name: "Acme" }, { title: "public" }]);
  });

  test("that was there before the apps receives events, and again after a reset", async () => {
    const bot = receive();
    const environment = await program.environment(TRACKER);
    const { environmentId, environmentUrl, token, schemaName } = environment;
    const apiUrl = `${program.url}${environmentUrl}/graphql`;
    const linear = new LinearClient({ apiKey: token, apiUrl });
    const place = { environmentId, schemaName, token, linear };
    await webhookOf(place, bot.url);
    const apps = [{ app: APP, userId: AGENT, events: [] }];
    expectStatus(await program.call("PUT", `/env/${environmentId}/events`, { apps }), 200);
    await linear.createIssue({ teamId: ENG, title: "Ship it" });
    await bot.has(1);
    expectStatus(await program.call("PUT", `/env/${environmentId}/events`, { apps: [] }), 200);
    expect(await webhooksOf(place)).toEqual([]);
  });

  test("of a world receives the events of its service", async () => {
    const bot = receive();
    const place = await withEvents({
      ...{ templateService: "world", templateName: "acme" },
      ...{ impersonateUserId: undefined, impersonateEmail: "agent@acme.test" },
    });
    const { environmentId, schemaName } = place;
    const { body } = await program.get(`/env/${environmentId}`);
    const apiUrl = `${program.url}${body.services.tracker.url}/graphql`;
    const linear = new LinearClient({ apiKey: place.token, apiUrl });
    const { nodes } = await linear.teams();
    const teamId = nodes[0]!.id;
    const world = { ...place, linear, environmentId, schemaName };
    await webhookOf(world, bot.url, { teamId }, tableInWorld("tracker", "webhooks"));
    await linear.createIssue({ teamId, title: "Ship it" });
    await bot.has(1);
    expect(JSON.parse(bot.requests[0]!.body)).toMatchObject({ data: { title: "Ship it" } });
  });

  test("with an address that is not allowed has blocked deliveries", async () => {
    const place = await withEvents();
    await webhookOf(place, "http://169.254.169.254/latest/meta-data");
    await place.linear.createIssue({ teamId: ENG, title: "Ship it" });
    await eventually(async () => {
      const [event] = await eventsOf(place);
      expect(event.deliveries[0]).toMatchObject({
        ...{ state: "blocked", attempts: [{ failed: "its address is never posted to" }] },
      });
    });
  });

  test("is taken by `diorama listen` as well, with its own signature", async () => {
    const place = await withEvents();
    const { id, secret } = await webhookOf(place, "http://169.254.169.254/");
    await webhooksOf(place); // it is known
    const base = program.url.replace("http", "ws");
    const path = `/api/platform/env/${place.environmentId}/listen?app=${id}`;
    const socket = new WebSocket(`${base}${path}`);
    const requests: { headers: Record<string, string>; body: string }[] = [];
    const greeted = Promise.withResolvers<void>();
    socket.onmessage = ({ data }) => {
      const message = JSON.parse(String(data));
      greeted.resolve();
      if (message.type !== "request") return;
      requests.push(message.request);
      socket.send(JSON.stringify({ id: message.id, status: 200 }));
    };
    await greeted.promise;
    await eventually(async () => expect((await webhooksOf(place))[0].connected).toBeTrue());
    await place.linear.createIssue({ teamId: ENG, title: "Ship it" });
    await eventually(() => expect(requests).toHaveLength(1));
    const [{ headers, body } = { headers: {}, body: "" }] = requests;
    const signature = createHmac("sha256", secret!).update(body).digest("hex");
    expect(headers).toMatchObject({ "linear-signature": signature });

    const { secret: rotated } = await place.linear.rotateSecretWebhook(id);
    await place.linear.createIssue({ teamId: ENG, title: "Ship it again" });
    await eventually(() => expect(requests).toHaveLength(2));
    const [, { headers: later, body: text } = { headers: {}, body: "" }] = requests;
    expect(rotated).not.toBe(secret!);
    expect(later).toMatchObject({
      "linear-signature": createHmac("sha256", rotated).update(text).digest("hex"),
    });
    socket.close();
  });

  test("beyond the fiftieth of an environment receives nothing", async () => {
    const bot = receive();
    const place = await withEvents();
    await Promise.all(Array.from({ length: 55 }, () => webhookOf(place, bot.url)));
    await place.linear.createIssue({ teamId: ENG, title: "Ship it" });
    await bot.has(50);
    expect(await webhooksOf(place)).toHaveLength(50);
    expect(bot.most()).toBeLessThanOrEqual(8);
  });

  test("that comes again with the id of a deleted one counts as any other", async () => {
    const place = await withEvents();
    const { linear } = place;
    const ids = Array.from({ length: 100 }, () => crypto.randomUUID());
    const created = async (some: readonly string[]) =>
      await Promise.all(
        some.map((id) =>
          linear.createWebhook({
            ...{ id, url: "https://bot.example.com/", resourceTypes: ["Issue"], teamId: ENG },
          }),
        ),
      );
    const [first, second] = [ids.slice(0, 50), ids.slice(50)];
    await created(first);
    expect(await webhooksOf(place)).toHaveLength(50);
    await Promise.all(first.map((id) => linear.deleteWebhook(id)));
    await created(second);
    expect(await webhooksOf(place)).toHaveLength(50);
    await created(first);
    const apps = (await webhooksOf(place)).map(({ app }) => app);
    expect(apps.toSorted()).toEqual(second.toSorted());
    await linear.deleteWebhook(second[0]!);
    await linear.deleteWebhook(first[0]!);
    await created(first.slice(0, 1));
    expect((await webhooksOf(place)).map(({ app }) => app)).toContain(first[0]);
  });
});
