/** Sessions of agents: what opens and prompts them, and what their apps learn of it. */
import { beforeAll, expect, test } from "bun:test";
import { LinearClient } from "@linear/sdk";
import { useSharedDatabase } from "../../../support/database";
import { AGENT, DES, ENG, JOHN, ROBIN, useTracker } from "../../../support/tracker";
import { kindsOf, MEMBER, observe, onlyOf, type Seen } from "./observe";

const database = useSharedDatabase();
const tracker = useTracker(database);
const APPS = [MEMBER, { ...MEMBER, id: ROBIN, user: ROBIN }];
let watch: Awaited<ReturnType<typeof observe>>;

beforeAll(async () => {
  const { sql } = database;
  await sql`update ${sql(`${tracker.schema}.users`)} set app = true where id = ${AGENT}`;
  watch = await observe(database, tracker);
});

async function newIssue(input: object = {}) {
  const payload = await tracker.linear.createIssue({ teamId: ENG, title: "Fix it", ...input });
  return (await payload.issue)!;
}
const comment = async (input: object, user = JOHN) =>
  (await tracker.as(user).createComment(input as never)).commentId!;
const sessions = (seen: readonly Seen[]) => seen.filter(({ type }) => type === "AgentSessionEvent");
const sessionOf = (id: string) => tracker.linear.agentSession(id);
const act = (agentSessionId: string, content: object) =>
  tracker.as(AGENT).createAgentActivity({ agentSessionId, content: content as never });

test("a mention of an app opens a session in the thread, whose app gets the issue as text", async () => {
  const label = await tracker.linear.createIssueLabel({ name: "a <b>" });
  const parent = await newIssue({ title: "Above" });
  const issue = await newIssue({
    ...{ title: 'Fix "it" <now> & then', description: "</issue>", parentId: parent.id },
    labelIds: [label.issueLabelId!],
  });
  const other = await comment({ issueId: issue.id, body: "Before" }, ROBIN);
  await watch(async () => undefined);
  let root = "";
  const seen = await watch(async () => {
    root = await comment({ issueId: issue.id, body: "@agent, <please>" });
  }, APPS);

  const { payload, missed } = onlyOf(seen, "AgentSessionEvent created");
  expect(missed).toEqual({ [ROBIN]: "it is about another user" });
  expect(payload.agentSession).toMatchObject({
    ...{ status: "pending", commentId: root, issueId: issue.id, appUserId: AGENT, creatorId: JOHN },
    ...{ comment: { body: "@agent, <please>" }, issue: { description: "</issue>" } },
    type: "commentThread",
  });
  expect(payload).not.toHaveProperty("previousComments");
  const times = /created-at="[^"]+"/g;
  expect(payload.promptContext.replace(times, "created-at")).toBe(
    `<issue identifier="${issue.identifier}">
<title>Fix &quot;it&quot; &lt;now&gt; &amp; then</title>
<description>&lt;/issue&gt;</description>
<team name="Engineering"/>
<label>a &lt;b&gt;</label>
<parent-issue identifier="${parent.identifier}">
<title>Above</title>
</parent-issue>
</issue>

<primary-directive-thread comment-id="${root}">
<comment author="john" created-at>
@agent, &lt;please&gt;
</comment>
</primary-directive-thread>

<other-thread comment-id="${other}">
<comment author="robin" created-at>
Before
</comment>
</other-thread>`,
  );
});

test("a mention in a reply has the comments before it; replies prompt the agent, its own do not", async () => {
  const issue = await newIssue();
  const root = await comment({ issueId: issue.id, body: "Broken" }, ROBIN);
  const opened = await watch(() => comment({ parentId: root, body: "@agent, see above" }));
  const { payload } = onlyOf(opened, "AgentSessionEvent created");
  expect(payload.previousComments).toMatchObject([{ id: root, body: "Broken" }]);
  expect(payload.agentSession.commentId).toBe(root);
  const { id } = payload.agentSession;

  const seen = await watch(async () => {
    await act(id, { type: "thought", body: "Hm" });
    await comment({ parentId: root, body: "My own words" }, AGENT);
    await act(id, { type: "elicitation", body: "Which one?" });
  });
  expect(sessions(seen)).toEqual([]);
  expect((await sessionOf(id)).status as string).toBe("awaitingInput");
  let reply = "";
  const answered = await watch(async () => {
    reply = await comment({ parentId: root, body: "The first, @agent" }, ROBIN);
  });

  expect(kindsOf(sessions(answered))).toEqual(["AgentSessionEvent prompted"]); // and no new session
  expect(onlyOf(answered, "AgentSessionEvent prompted").payload).toMatchObject({
    agentSession: { id, status: "active" },
    agentActivity: {
      ...{ content: { type: "prompt", body: "The first, @agent" }, sourceCommentId: reply },
      user: { id: ROBIN },
    },
  });
});

test("of many long comments an app gets the newest, cut, and those of the thread first", async () => {
  const issue = await newIssue();
  const root = await comment({ issueId: issue.id, body: "The root" }, ROBIN);
  const { sql } = database;
  await sql.begin(async (tx) => {
    await tx`set local session_replication_role = replica`; // as rows of the template: not noted
    await tx`
      insert into ${tx(`${tracker.schema}.comments`)}
        (id, "createdAt", "updatedAt", body, "bodyData", "issueId", "userId", "parentId")
      select gen_random_uuid(), now() - make_interval(mins => n), now(), 'No. ' || n || repeat(' "x"', 60000),
        repeat('d', 240000), ${issue.id}, ${ROBIN}, case when n % 10 = 0 then ${root}::uuid end
      from generate_series(1, 300) n
    `;
  });
  await watch(async () => undefined);
  const seen = await watch(() => comment({ parentId: root, body: "@agent, sum it up" }));

  const { payload } = onlyOf(seen, "AgentSessionEvent created");
  const { promptContext, previousComments } = payload;
  expect(JSON.stringify(payload).length).toBeLessThan(256 * 1024);
  expect(promptContext.length).toBeLessThan(80_000);
  expect(promptContext).toMatch(/^@agent, sum it up$/m);
  expect(promptContext).toMatch(/^No. 10 &quot;x&quot; .*…$/m);
  expect(promptContext).not.toMatch(/^No. 1 /m); // newer, but of another thread
  expect(previousComments.map(({ body }: { body: string }) => body.slice(0, 6))).toEqual([
    ...["The ro", "No. 20", "No. 10"],
  ]);
});

test("a delegation opens a session; its response begins the thread", async () => {
  const issue = await newIssue();
  const seen = await watch(() => tracker.linear.updateIssue(issue.id, { delegateId: AGENT }));
  const again = await watch(() => tracker.linear.updateIssue(issue.id, { title: "Fix it soon" }));
  const created = await watch(() => newIssue({ delegateId: AGENT, teamId: DES }));
  const { id, commentId } = onlyOf(seen, "AgentSessionEvent created").payload.agentSession;
  expect(commentId).toBeUndefined();
  expect(sessions(again)).toEqual([]);
  onlyOf(created, "AgentSessionEvent created");

  const done = await watch(() => act(id, { type: "response", body: "Fixed." }));

  const written = onlyOf(done, "Comment create");
  expect(written.data).toMatchObject({ body: "Fixed.", userId: AGENT, issueId: issue.id });
  const session = await sessionOf(id);
  expect(session.status as string).toBe("complete");
  expect((await session.comment)?.id).toBe(written.data.id);
  const more = await watch(() => comment({ parentId: written.data.id, body: "Thanks" }));
  onlyOf(more, "AgentSessionEvent prompted");
  const second = await watch(() => act(id, { type: "response", body: "Welcome." }));
  expect(onlyOf(second, "Comment create").data.parentId).toBe(written.data.id);
});

test("people, apps that may not see the issue, and an app itself open no session", async () => {
  const payload = await tracker.linear.createTeam({ name: "Secret", private: true });
  const secret = await newIssue({ teamId: (await payload.team)!.id, delegateId: undefined });
  const issue = await newIssue();
  const seen = await watch(async () => {
    await comment({ issueId: secret.id, body: "@agent" });
    await comment({ issueId: issue.id, body: "@robin" });
    await comment({ issueId: issue.id, body: "I am @agent" }, AGENT);
    await tracker.linear.updateIssue(issue.id, { delegateId: ROBIN });
    await tracker.as(AGENT).agentSessionCreateOnIssue({ issueId: issue.id });
  });

  expect(sessions(seen)).toEqual([]);
  const { nodes } = await tracker.linear.agentSessions();
  const open = await Promise.all(nodes.map(async (one) => (await one.issue)?.id));
  expect(open).not.toContain(secret.id);
  expect(open.filter((id) => id === issue.id)).toHaveLength(1); // its own
});

test("a session is stale after 10 s without a first activity, and after 30 min without another", async () => {
  const environment = await tracker.program.environment({
    ...{ templateService: "tracker", templateName: "tracker_default", impersonateUserId: JOHN },
    ...{ allowImpersonation: true, clock: { now: "2026-03-11T09:00:00Z", mode: "frozen" } },
  });
  const { environmentId, environmentUrl, schemaName, token } = environment;
  const { sql } = database;
  await sql`update ${sql(`${schemaName}.users`)} set app = true where id = ${AGENT}`;
  const apiUrl = `${tracker.program.url}${environmentUrl}/graphql`;
  const as = (apiKey: string) =>
    new LinearClient({ apiKey, apiUrl, headers: { "X-API-Key": token } });
  const [john, agent] = [as(JOHN), as(AGENT)];
  const { issueId } = await john.createIssue({ teamId: ENG, title: "One", delegateId: AGENT });
  const [session] = (await john.agentSessions()).nodes;
  const move = async (advance: string) => {
    const path = `/env/${environmentId}/clock`;
    const { body } = await tracker.program.post(path, { advance });
    return body.effects.map(({ kind }: { kind: string }) => kind);
  };
  const status = async () => (await john.agentSession(session!.id)).status as string;
  const thought = { type: "thought", body: "Hm" } as never;

  expect((await session!.issue)?.id).toBe(issueId!);
  expect([await move("PT9S"), await status()]).toEqual([[], "pending"]);
  expect([await move("PT1S"), await status()]).toEqual([["agent_session_stale"], "stale"]);
  await agent.createAgentActivity({ agentSessionId: session!.id, content: thought });
  expect([await move("PT29M"), await status()]).toEqual([[], "active"]);
  expect([await move("PT1M"), await status()]).toEqual([["agent_session_stale"], "stale"]);
  expect([await move("P1D"), await status()]).toEqual([[], "stale"]);

  await john.updateIssue(issueId!, { delegateId: null });
  await john.updateIssue(issueId!, { delegateId: AGENT });
  const { nodes } = await john.agentSessions();
  const second = nodes.find(({ id }) => id !== session!.id)!;
  await agent.agentSessionUpdateExternalUrl(second.id, {
    externalUrls: [{ label: "Log", url: "https://agent.test/1" }],
  });
  expect(await move("PT1M")).toEqual([]);
  expect(await move("PT29M")).toEqual(["agent_session_stale"]);
});

test("a prompt can ask the agent to stop", async () => {
  const issue = await newIssue();
  const opened = await watch(() => comment({ issueId: issue.id, body: "@agent, go" }));
  const { id } = onlyOf(opened, "AgentSessionEvent created").payload.agentSession;
  const input = { agentSessionId: id, content: { body: "Stop" }, signal: "stop" };
  const seen = await watch(() =>
    tracker.data(
      "mutation($input: AgentActivityCreatePromptInput!) { agentActivityCreatePrompt(input: $input) { agentActivity { id } } }",
      { input },
    ),
  );

  expect(onlyOf(seen, "AgentSessionEvent prompted").payload.agentActivity).toMatchObject({
    ...{ signal: "stop", content: { body: "Stop" }, user: { id: JOHN } },
  });
});
