/** Mail between people of one environment, each with a mailbox of their own. */
import { expect, test } from "bun:test";
import { expectStatus } from "../../support/program";
import { type Environment, rawOf, useScene } from "./scene";

const scene = useScene();

const CLOCK = { now: "2026-01-06T09:00:00Z", mode: "frozen" };
let copies = 0;

/** An environment with the same mail, for another person. */
async function copyFor(
  { environmentId }: Environment,
  impersonateUserId: string,
): Promise<Environment> {
  const name = `mail_copy_${++copies}`;
  const saved = { environmentId, service: "mail", name };
  expectStatus(await scene.program.post("/templates/from-environment", saved), 201);
  return await scene.environment({ templateName: name, impersonateUserId, clock: CLOCK });
}

test("an automatic reply comes once in four days, and its owner's filters sort the message", async () => {
  const robin = await scene.environment({
    impersonateUserId: "robin@acme.test",
    clock: CLOCK,
  });
  const answer = await scene.call(robin, "PUT", "settings/vacation", {
    ...{ enableAutoReply: true, responseSubject: "Away", responseBodyPlainText: "Back on Monday." },
    startTime: `${Date.parse("2026-01-06T00:00:00Z")}`,
  });
  expectStatus(answer, 200);
  await scene.post(robin, "settings/filters", {
    criteria: { from: "agent@acme.test", subject: "plan" },
    action: { addLabelIds: ["STARRED"], removeLabelIds: ["UNREAD"] },
  });
  const agent = await copyFor(robin, "agent@acme.test");

  await scene.send(agent, { to: "robin@acme.test", subject: "A plan" });
  await scene.send(agent, { to: "robin@acme.test", subject: "Another plan" });

  const { messages } = await scene.get(agent, "messages?q=from:robin%20subject:away");
  expect(messages).toHaveLength(1);
  const { payload } = await scene.get(agent, `messages/${messages[0].id}`);
  expect(payload.headers).toContainEqual({ name: "Auto-Submitted", value: "auto-replied" });
  const again = await copyFor(agent, "robin@acme.test");
  const starred = await scene.get(again, "messages?q=is:starred%20is:read%20from:agent");
  expect(starred.messages).toHaveLength(2);
  const sent = await scene.get(again, "messages?q=in:sent%20subject:away");
  expect(sent.messages).toHaveLength(1);
});

test("filters know when a message arrives, and in which mailbox", async () => {
  const robin = await scene.environment({ impersonateUserId: "robin@acme.test", clock: CLOCK });
  const labels = new Map<string, string>();
  for (const query of [
    ...["after:2026/01/01", "newer_than:1d", "before:2026/01/01", "older_than:1d"],
    ...["deliveredto:robin@acme.test", "deliveredto:agent@acme.test"],
  ]) {
    const { id } = await scene.post(robin, "labels", { name: query.replaceAll(/\W/g, " ") });
    labels.set(id, query);
    const filter = { criteria: { query }, action: { addLabelIds: [id] } };
    await scene.post(robin, "settings/filters", filter);
  }
  const agent = await copyFor(robin, "agent@acme.test");
  await scene.send(agent, { to: "robin@acme.test", subject: "Filtered" });

  const again = await copyFor(agent, "robin@acme.test");
  const { messages } = await scene.get(again, "messages?q=subject:filtered");
  const { labelIds } = await scene.get(again, `messages/${messages[0].id}`);

  expect([...labels].flatMap(([id, query]) => (labelIds.includes(id) ? [query] : []))).toEqual([
    ...["after:2026/01/01", "newer_than:1d", "deliveredto:robin@acme.test"],
  ]);
});

test("no automatic reply comes to lists and automatic mail", async () => {
  const robin = await scene.environment({ impersonateUserId: "robin@acme.test" });
  await scene.call(robin, "PUT", "settings/vacation", {
    ...{ enableAutoReply: true, responseBodyPlainText: "Away" },
  });
  const agent = await copyFor(robin, "agent@acme.test");

  for (const headers of [
    { "Auto-Submitted": "auto-generated" },
    { "List-Id": "<x.acme.test>" },
    { Precedence: "bulk" },
  ])
    await scene.send(agent, { to: "robin@acme.test", subject: "x", headers } as any);

  expect(
    (await scene.get(agent, "messages?q=from:robin%20newer_than:1d")).messages,
  ).toBeUndefined();
});

test("messages of another mailbox cannot be reached", async () => {
  const robin = await scene.environment({ impersonateUserId: "robin@acme.test" });
  const agent = await scene.environment();
  const { messages } = await scene.get(robin, "messages");
  const own = new Set((await scene.get(agent, "messages")).messages.map(({ id }: any) => id));
  const foreign = messages.find(({ id }: any) => !own.has(id));

  expect(await scene.call(agent, "GET", `messages/${foreign.id}`)).toMatchObject({ status: 404 });
  expect(await scene.call(agent, "POST", `messages/${foreign.id}/trash`)).toMatchObject({
    status: 404,
  });
  const raw = rawOf({ to: "john@acme.test" });
  expect(
    await scene.call(agent, "POST", "messages/send", { raw, threadId: foreign.threadId }),
  ).toMatchObject({ status: 404 });
});

test("a token that is another person's address acts as that person, with permission", async () => {
  const as = async (env: Environment, headers: Record<string, string>, path = "profile") => {
    const { status, body } = await scene.callAs(headers, env, "GET", path);
    return [status, body.emailAddress ?? body.error.message];
  };
  const own = await scene.environment();
  const open = await scene.environment({ allowImpersonation: true });
  const named = (env: Environment, address: string) => ({
    "X-API-Key": env.token,
    Authorization: `Bearer ${address}`,
  });
  expect(await as(open, named(open, "John@acme.test"))).toEqual([200, "john@acme.test"]);
  expect(await as(own, named(own, "agent@acme.test"))).toEqual([200, "agent@acme.test"]);
  expect(await as(own, named(own, "ya29.anything"))).toEqual([200, "agent@acme.test"]);
  const [status, reason] = await as(own, named(own, "john@acme.test"));
  expect([status, reason]).toEqual([401, expect.stringContaining("own user")]);
  expect(await as(open, named(open, "team@acme.test"))).toEqual([
    401,
    "team@acme.test has no account here.",
  ]);
});
