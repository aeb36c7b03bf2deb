/** The first webhook of an environment without apps: its changes are noted from then on. */
import { describe, expect, test } from "bun:test";
import { LinearClient } from "@linear/sdk";
import { eventually, useDatabase } from "../../support/database";
import { type ServerProcess, useServers } from "../../support/process";
import { expectStatus } from "../../support/program";
import { receive } from "../../support/receiver";
import { ENG, JOHN } from "../../support/tracker";

const database = useDatabase();
const servers = useServers(database, {});

const TRACKER = {
  ...{ templateService: "tracker", templateName: "tracker_default", impersonateUserId: JOHN },
};

async function place() {
  const [first, second] = servers as [ServerProcess, ServerProcess];
  const { environmentId, environmentUrl, token, schemaName } = await first.environment(TRACKER);
  const clientOf = ({ url }: ServerProcess) =>
    new LinearClient({ apiKey: token, apiUrl: `${url}${environmentUrl}/graphql` });
  return {
    ...{ first, second, environmentId, schemaName },
    linear: clientOf(first),
    other: clientOf(second),
  };
}
type Place = Awaited<ReturnType<typeof place>>;

const webhook = { url: "https://bot.example.com/", resourceTypes: ["Issue"], teamId: ENG };
const titled = (title: string) => ({ teamId: ENG, title });
const eventsOf = async ({ first, environmentId }: Place) =>
  (await first.get(`/env/${environmentId}/deliveries`)).body.events.map(
    ({ payload, cause, deliveries }: any) =>
      [payload.data.title, cause.by, deliveries.length] as const,
  );
const isNoted = async ({ environmentId }: Place) =>
  (await database.sql`select from diorama.outboxes where environment_id = ${environmentId}`)
    .length > 0;

describe("the first webhook", () => {
  test("receives what happens after it, on any server", async () => {
    const bot = receive();
    const at = await place();
    await at.other.createIssue(titled("before"));
    expect(await isNoted(at)).toBeFalse();
    const { webhookId } = await at.linear.createWebhook(webhook);
    await at.other.createIssue(titled("second"));
    await at.linear.createIssue(titled("first"));

    expect(await eventsOf(at)).toEqual([
      ["second", "call", 1],
      ["first", "call", 1],
    ]);
    await database.sql.unsafe(`update ${at.schemaName}.webhooks set url = $1 where id = $2`, [
      ...[bot.url, webhookId!],
    ]);
    await at.other.createIssue(titled("third"));
    // Deliveries of the first two may arrive as well: they go to the address that the webhook has when they are due.
    await eventually(() => {
      expect(bot.requests.map(({ body }) => JSON.parse(body).data.title)).toContain("third");
    });
  });

  test("leaves a run alone, and receives events from the next change of a webhook on", async () => {
    const at = await place();
    const started = await at.second.post("/startRun", { envId: at.environmentId });
    expectStatus(started, 201);
    const { webhookId } = await at.linear.createWebhook(webhook);
    await at.other.createIssue(titled("within"));
    expectStatus(await at.second.post("/diffRun", { runId: started.body.runId }), 200);
    expect(await isNoted(at)).toBeFalse();
    await at.other.updateWebhook(webhookId!, { label: "mine" });
    await at.linear.createIssue(titled("after"));

    expect(await eventsOf(at)).toEqual([["after", "call", 1]]);
  });

  test("that is rejected changes nothing", async () => {
    const at = await place();
    const rejected = at.linear.createWebhook({ ...webhook, url: "http://bot.example.com/" });
    await expect(rejected).rejects.toThrow("HTTPS");

    expect(await isNoted(at)).toBeFalse();
  });

  test("is one of several that are created at the same time", async () => {
    const at = await place();
    const clients = [at.linear, at.other, at.linear, at.other];
    await Promise.all(clients.map((client) => client.createWebhook(webhook)));
    await at.linear.createIssue(titled("after"));

    expect(await eventsOf(at)).toEqual([["after", "call", 4]]);
    await eventually(async () => {
      const { body } = await at.second.get(`/env/${at.environmentId}/events`);
      expect(body.webhooks).toHaveLength(4);
    });
  });
});
