/** The failures of webhooks of the tracker, as calls list them. */
import { describe, expect, test } from "bun:test";
import { LinearClient } from "@linear/sdk";
import { eventually, useSharedDatabase } from "../../support/database";
import { expectStatus, useProgram } from "../../support/program";
import { receive } from "../../support/receiver";
import { AGENT, ENG, JOHN } from "../../support/tracker";

const database = useSharedDatabase();
const program = useProgram(database);

const APP = "9f0c1d52-6d0b-4c29-a37e-0f7a3f0f8b11";
const START = "2026-03-11T09:00:00.000Z";
const QUERY = `query ($id: String!) { webhook(id: $id) { failures {
  id executionId createdAt httpStatus responseOrError url webhook { id }
} } }`;

async function withEvents() {
  const { environmentId, environmentUrl, token, schemaName } = await program.environment({
    ...{ templateService: "tracker", templateName: "tracker_default", impersonateUserId: JOHN },
    ...{ clock: { now: START, mode: "frozen" } },
    events: { apps: [{ app: APP, userId: AGENT, events: [] }] },
  });
  const apiUrl = `${program.url}${environmentUrl}/graphql`;
  const linear = new LinearClient({ apiKey: token, apiUrl });
  return { environmentId, schemaName, linear };
}
type Place = Awaited<ReturnType<typeof withEvents>>;

/** The service takes addresses of HTTPS only; a receiver of this machine has none. */
async function webhookOf({ linear, schemaName }: Place, url: string, fields: object = {}) {
  const { webhookId } = await linear.createWebhook({
    ...{ url: "https://bot.example.com/", resourceTypes: ["Issue"], teamId: ENG, ...fields },
  });
  await database.sql.unsafe(`update ${schemaName}.webhooks set url = $1 where id = $2`, [
    ...[url, webhookId!],
  ]);
  return webhookId!;
}

async function failuresOf({ linear }: Place, id: string): Promise<any[]> {
  const { data } = await linear.client.rawRequest<any, { id: string }>(QUERY, { id });
  return data.webhook.failures;
}
const has = (place: Place, id: string, count: number) =>
  eventually(async () => {
    const failures = await failuresOf(place, id);
    expect(failures).toHaveLength(count);
    return failures;
  });
const move = async ({ environmentId }: Place, advance: string) =>
  expectStatus(await program.post(`/env/${environmentId}/clock`, { advance }), 200);

test("failures have the status and the beginning of the answer, and an id that is the same across retries", async () => {
  const text = `\0${"é".repeat(998)}😀 and more`;
  const bot = receive(() => new Response(text, { status: 500 }));
  const place = await withEvents();
  const id = await webhookOf(place, bot.url);
  const other = await webhookOf(place, bot.url, { resourceTypes: ["Comment"] });
  await place.linear.createIssue({ teamId: ENG, title: "Ship it" });
  const [first] = await has(place, id, 1);

  expect(first).toEqual({
    id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    executionId: bot.requests[0]!.headers.get("linear-delivery"),
    createdAt: START,
    httpStatus: 500,
    responseOrError: `${"é".repeat(998)}\uFFFD`,
    url: bot.url,
    webhook: { id },
  });
  bot.stop();
  await move(place, "PT1M");
  const [second, same] = await has(place, id, 2);
  expect(same).toEqual(first);
  expect(second).toMatchObject({
    ...{ executionId: first.executionId, createdAt: "2026-03-11T09:01:00.000Z" },
    ...{ httpStatus: null, responseOrError: "connection failed" },
  });
  expect(second.id).not.toBe(first.id);
  expect(await failuresOf(place, other)).toEqual([]);
});

test("the last 50 failures of a webhook are listed, the newest first", async () => {
  const bot = receive(() => new Response("down", { status: 503 }));
  const place = await withEvents();
  const id = await webhookOf(place, bot.url);
  const title = (at: number) => ({ teamId: ENG, title: `Issue ${at}` });
  await place.linear.createIssueBatch({ issues: Array.from({ length: 45 }, (_, at) => title(at)) });
  await bot.has(45);
  const early = await has(place, id, 45);
  await place.linear.createIssueBatch({ issues: Array.from({ length: 10 }, (_, at) => title(at)) });
  await bot.has(55);
  await eventually(async () => {
    const late = await failuresOf(place, id);
    expect(late).toHaveLength(50);
    expect(late.slice(10)).toEqual(early.slice(0, 40));
  });

  const [kept] = await database.sql`select count(*)::int as count from diorama.webhook_failures`;
  expect(kept?.["count"]).toBeLessThanOrEqual(53);
});

test("a redirect is not followed: it fails with its status and its text", async () => {
  const headers = { Location: "/elsewhere" };
  const bot = receive(() => new Response("moved", { status: 302, headers }));
  const place = await withEvents();
  const id = await webhookOf(place, bot.url);
  await place.linear.createIssue({ teamId: ENG, title: "Ship it" });
  expect(await has(place, id, 1)).toMatchObject([{ httpStatus: 302, responseOrError: "moved" }]);
  expect(bot.requests).toHaveLength(1);
});

describe("failures", () => {
  test("of an address that is not allowed do not say so", async () => {
    const place = await withEvents();
    const id = await webhookOf(place, "http://169.254.169.254/");
    await place.linear.createIssue({ teamId: ENG, title: "Ship it" });

    expect(await has(place, id, 1)).toMatchObject([
      { httpStatus: null, responseOrError: "connection failed", url: "http://169.254.169.254/" },
    ]);
  });

  test("end with their webhook, also if one with its id follows", async () => {
    const bot = receive(() => new Response(null, { status: 500 }));
    const place = await withEvents();
    const id = await webhookOf(place, bot.url);
    await place.linear.createIssue({ teamId: ENG, title: "Ship it" });
    expect(await has(place, id, 1)).toMatchObject([{ responseOrError: "" }]);
    await place.linear.deleteWebhook(id);
    await webhookOf(place, bot.url, { id });

    await has(place, id, 0);
  });

  test("of an app that is no webhook are not kept", async () => {
    const bot = receive(() => new Response(null, { status: 500 }));
    const place = await withEvents();
    const apps = [{ app: APP, userId: AGENT, events: ["Issue"], requestUrl: bot.url }];
    expectStatus(await program.call("PUT", `/env/${place.environmentId}/events`, { apps }), 200);
    await place.linear.createIssue({ teamId: ENG, title: "Ship it" });
    await eventually(async () => {
      const { body } = await program.get(`/env/${place.environmentId}/deliveries`);
      expect(body.events[0].deliveries[0].attempts[0].failed).toBe("status 500");
    });

    const kept = await database.sql`
      select from diorama.webhook_failures where environment_id = ${place.environmentId}
    `;
    expect(kept).toHaveLength(0);
  });
});
