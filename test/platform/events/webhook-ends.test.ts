/** Webhooks of the tracker that are deleted, disabled or get another address while deliveries wait. */
import { expect, test } from "bun:test";
import { LinearClient } from "@linear/sdk";
import { eventually, useSharedDatabase } from "../../support/database";
import { expectStatus, useProgram } from "../../support/program";
import { receive } from "../../support/receiver";
import { AGENT, ENG, JOHN } from "../../support/tracker";

const database = useSharedDatabase();
const program = useProgram(database);

/** An environment with a frozen clock, and a webhook whose address is on this machine. */
async function withWebhook(url: string) {
  const { environmentId, environmentUrl, schemaName, token } = await program.environment({
    ...{ templateService: "tracker", templateName: "tracker_default", impersonateUserId: JOHN },
    clock: { now: "2026-03-11T09:00:00.000Z", mode: "frozen" },
    events: {
      apps: [{ app: "9f0c1d52-6d0b-4c29-a37e-0f7a3f0f8b11", userId: AGENT, events: [] }],
    },
  });
  const apiUrl = `${program.url}${environmentUrl}/graphql`;
  const linear = new LinearClient({ apiKey: token, apiUrl });
  const created = await linear.createWebhook({
    ...{ url: "https://bot.example.com/", resourceTypes: ["Issue"], teamId: ENG },
  });
  const webhook = (await created.webhook)!;
  const leadTo = async (address: string) =>
    await database.sql.unsafe(`update ${schemaName}.webhooks set url = $1 where id = $2`, [
      ...[address, webhook.id],
    ]);
  await leadTo(url);
  const events = `/env/${environmentId}/events`;
  return {
    ...{ linear, webhook, leadTo },
    repeat: async () => await program.post(`/env/${environmentId}/deliveries/1/repeat`, {}),
    /** Its changes have taken effect. */
    settled: async () => expectStatus(await program.get(events), 200),
    move: async () =>
      expectStatus(await program.post(`/env/${environmentId}/clock`, { advance: "PT1H" }), 200),
    deliveries: async (): Promise<any[]> => {
      const { body } = await program.get(`/env/${environmentId}/deliveries`);
      return body.events.flatMap((event: any) => event.deliveries);
    },
  };
}

test("a webhook that gets another address during an attempt gets the next event there", async () => {
  const answered = Promise.withResolvers<Response>();
  const [before, after] = [receive(() => answered.promise), receive()];
  const { linear, leadTo, settled } = await withWebhook(before.url);
  await linear.createIssue({ teamId: ENG, title: "Before" });
  await before.has(1);
  await leadTo(after.url);
  await linear.createIssue({ teamId: ENG, title: "After" });
  await settled();
  answered.resolve(new Response("ok"));
  const [received] = await after.has(1);
  expect(JSON.parse(received!.body).data.title).toBe("After");
  expect(before.requests).toHaveLength(1);
});

test.each([
  ["deleted", async (webhook: any) => webhook.delete()],
  ["disabled", async (webhook: any) => webhook.update({ enabled: false })],
])("a webhook that is %s during an attempt gets no other one", async (reason, stop) => {
  const answered = Promise.withResolvers<Response>();
  const bot = receive(() => answered.promise);
  const { linear, webhook, settled, move, deliveries } = await withWebhook(bot.url);
  await linear.createIssue({ teamId: ENG, title: "Ship it" });
  await bot.has(1);
  await stop(webhook);
  await settled();
  answered.resolve(new Response(null, { status: 500 }));
  await move();
  await Bun.sleep(1_000);
  expect(bot.requests).toHaveLength(1);
  expect(await deliveries()).toMatchObject([
    { state: "failed", attempts: [{ failed: `the webhook is ${reason}` }] },
  ]);
});

test("a webhook that is disabled between two attempts gets what happens after it is enabled", async () => {
  const statuses = [500];
  const bot = receive(() => new Response(null, { status: statuses.shift() ?? 200 }));
  const { linear, webhook, settled, move, deliveries } = await withWebhook(bot.url);
  await linear.createIssue({ teamId: ENG, title: "first" });
  await eventually(async () =>
    expect(await deliveries()).toMatchObject([
      { state: "pending", attempts: [{ failed: "status 500" }] },
    ]),
  );
  await webhook.update({ enabled: false });
  await settled();
  await webhook.update({ enabled: true });
  await settled();
  await move();
  await linear.createIssue({ teamId: ENG, title: "second" });
  await bot.has(2);
  const titles = bot.requests.map(({ body }) => JSON.parse(body).data.title);
  expect(titles).toEqual(["first", "second"]);
});

test("a delivery to a webhook that is deleted is not made again", async () => {
  const bot = receive();
  const { linear, webhook, settled, deliveries, repeat } = await withWebhook(bot.url);
  await linear.createIssue({ teamId: ENG, title: "Ship it" });
  await eventually(async () => expect(await deliveries()).toMatchObject([{ state: "delivered" }]));
  expectStatus(await repeat(), 200);
  await bot.has(2);
  await eventually(async () => expect(await deliveries()).toMatchObject([{ state: "delivered" }]));
  await webhook.delete();
  await settled();
  expectStatus(await repeat(), 400);
  expect(await deliveries()).toMatchObject([{ state: "delivered" }]);
});
