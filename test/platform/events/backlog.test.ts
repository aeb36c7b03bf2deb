/** Events of changes that others have followed before the events are derived: they show what was there then. */
import { expect, test } from "bun:test";
import { LinearClient } from "@linear/sdk";
import { useSharedDatabase } from "../../support/database";
import { expectStatus, useProgram } from "../../support/program";
import { APP } from "../../support/socket-mode";
import { AGENT, JOHN } from "../../support/tracker";
import { useNoted } from "./noted";

const database = useSharedDatabase();
const program = useProgram(database);
const { keep } = useNoted(database, program, new Set());

const GUEST = "U03ROBINRAY";
/** With what follows them, more than are derived together. */
const POSTS = 500;
const TOGETHER = 20;

async function withApp(fields: object = {}) {
  const events = ["message.channels", "reaction_added", "pin_added"];
  const apps = [{ app: APP, events, ...fields }];
  const environment = await program.environment({ events: { apps } });
  const channel: string = (
    await program.chat(environment, "conversations.create", { name: "backlog" })
  ).channel.id;
  await eventsOf(environment);
  return { environment, channel };
}
type Environment = Awaited<ReturnType<typeof withApp>>["environment"];

async function eventsOf({ environmentId }: Environment): Promise<any[]> {
  const answer = await program.get(`/env/${environmentId}/deliveries?limit=1000`);
  expectStatus(answer, 200);
  return answer.body.events;
}

async function post(environment: Environment, channel: string): Promise<void> {
  for (let n = 0; n < POSTS; n += TOGETHER)
    await Promise.all(
      Array.from({ length: TOGETHER }, (_, at) =>
        program.chat(environment, "chat.postMessage", { channel, text: `post ${n + at}` }),
      ),
    );
}

test("an app receives what was posted before it left the channel, and nothing after that", async () => {
  const { environment, channel } = await withApp();
  const release = await keep(environment);
  await post(environment, channel);
  await program.chat(environment, "conversations.leave", { channel });
  await release();
  const posts = (await eventsOf(environment)).filter(({ payload }) =>
    payload.event.text?.startsWith("post "),
  );
  expect(posts).toHaveLength(POSTS);
  expect(posts.flatMap(({ missed }) => missed)).toEqual([]);
});

test("an app does not receive what was posted before it came", async () => {
  const { environment, channel } = await withApp({ userId: GUEST });
  const release = await keep(environment);
  await post(environment, channel);
  await program.chat(environment, "conversations.invite", { channel, users: GUEST });
  await release();
  const posts = (await eventsOf(environment)).filter(({ payload }) =>
    payload.event.text?.startsWith("post "),
  );
  expect(posts).toHaveLength(POSTS);
  expect(posts.flatMap(({ deliveries }) => deliveries)).toEqual([]);
});

test("a reaction and a pin have their message, which was deleted since", async () => {
  const { environment, channel } = await withApp();
  const { ts } = await program.chat(environment, "chat.postMessage", { channel, text: "gone" });
  await eventsOf(environment);
  const release = await keep(environment);
  await program.chat(environment, "reactions.add", { channel, timestamp: ts, name: "eyes" });
  await program.chat(environment, "pins.add", { channel, timestamp: ts });
  await post(environment, channel);
  await program.chat(environment, "chat.delete", { channel, ts });
  await release();
  const events = await eventsOf(environment);
  const reaction = events.find(({ type }) => type === "reaction_added");
  expect(reaction.payload.event.item_user).toBe("U01AGENTONE");
  const pin = events.find(({ type }) => type === "pin_added");
  expect(pin.payload.event).toMatchObject({ item: { message: { text: "gone" } }, pin_count: 1 });
});

test("an app receives the issues of a private team from before its user left it", async () => {
  const app = { app: "9f0c1d52-6d0b-4c29-a37e-0f7a3f0f8b11", userId: AGENT, events: ["Issue"] };
  const environment = await program.environment({
    ...{ templateService: "tracker", templateName: "tracker_default", impersonateUserId: JOHN },
    events: { apps: [app] },
  });
  const apiUrl = `${program.url}${environment.environmentUrl}/graphql`;
  const linear = new LinearClient({ apiKey: environment.token, apiUrl });
  const { teamId = "" } = await linear.createTeam({ name: "Secret", private: true });
  const joined = await linear.createTeamMembership({ teamId, userId: AGENT });
  await eventsOf(environment);
  const release = await keep(environment);
  const issues = Array.from({ length: 50 }, (_, at) => ({ teamId, title: `Issue ${at}` }));
  for (let n = 0; n < POSTS; n += issues.length) await linear.createIssueBatch({ issues });
  await linear.deleteTeamMembership(joined.teamMembershipId ?? "");
  await linear.createIssue({ teamId, title: "hidden" });
  await release();
  const created = (await eventsOf(environment)).filter(({ type }) => type === "Issue");
  expect(created).toHaveLength(POSTS + 1);
  expect(created.map(({ missed }) => missed.length)).toEqual([...Array(POSTS).fill(0), 1]);
});
