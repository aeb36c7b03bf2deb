/** Runs of scripted agents, for the pages that show them. */
import { expectStatus, type TestProgram } from "../support/program";

export type Scene = {
  readonly environmentId: string;
  readonly environmentUrl: string;
  readonly runId: string;
};

const AGENT = "b0000000-0000-4000-8000-000000000001";

export async function graphql(
  program: TestProgram,
  { environmentUrl }: { environmentUrl: string },
  query: string,
  variables: object = {},
): Promise<any> {
  const response = await fetch(`${program.url}${environmentUrl}/graphql`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ query, variables }),
  });
  const { data, errors } = (await response.json()) as { data?: any; errors?: unknown };
  if (errors) throw new Error(JSON.stringify(errors));
  return data;
}

export const startRun = async (program: TestProgram, envId: string, fields: object = {}) => {
  const answer = await program.post("/startRun", { envId, ...fields });
  expectStatus(answer, 201);
  return answer.body.runId as string;
};

/** A run of chat that fails its test: it posts, reacts, edits, opens a channel and a direct conversation. */
export async function chatScene(program: TestProgram): Promise<Scene> {
  const suite = await program.post("/testSuites", {
    name: `Greetings ${digits()}`,
    templateService: "chat",
    templateName: "chat_default",
    impersonateUserId: "U01AGENTONE",
    tests: [
      {
        name: "Welcome everybody",
        prompt: "Welcome everybody in #general.\nBe brief.",
        expectedOutput: {
          assertions: [
            { diff_type: "added", entity: "messages", where: { text: { contains: "Welcome" } } },
            { diff_type: "added", entity: "reactions", where: { name: "wave" } },
          ],
        },
      },
    ],
  });
  const { body } = await program.get(`/testSuites/${suite.body.suiteId}?expand=true`);
  const environment = await program.environment();
  const { environmentId, environmentUrl } = environment;
  const runId = await startRun(program, environmentId, {
    testId: body.tests[0].id,
    labels: { agent: "my-agent", model: "gpt-5" },
  });
  const call = (method: string, args: object) => program.chat(environment, method, args);
  await call("conversations.history", { channel: "C01GENERAL" });
  const { ts } = await call("chat.postMessage", {
    channel: "C01GENERAL",
    text: "Hello <@U02JOHNADOE>, *nice* to `meet` you: see <https://example.com|this>",
  });
  const place = { channel: "C01GENERAL", ts };
  await call("reactions.add", { channel: place.channel, timestamp: ts, name: "wave" });
  await call("chat.postMessage", { ...place, thread_ts: ts, text: "And a reply" });
  await call("chat.update", {
    ...place,
    text: "Hello all of you, it is very nice to meet you here",
  });
  await call("conversations.create", { name: "launch" });
  await call("chat.postMessage", { channel: "U02JOHNADOE", text: "Only for you" });
  await call("chat.postMessage", { channel: "C0NONE", text: "Nowhere" });
  expectStatus(await program.post("/evaluateRun", { runId }), 200);
  return { environmentId, environmentUrl, runId };
}

/** A run of the tracker: it renames, moves and assigns an issue, comments on it, and files another. */
export async function trackerScene(program: TestProgram): Promise<Scene> {
  const environment = await program.environment({
    templateService: "tracker",
    templateName: "tracker_default",
    impersonateUserId: AGENT,
  });
  const { environmentId, environmentUrl } = environment;
  const runId = await startRun(program, environmentId);
  const ask = (query: string, variables?: object) =>
    graphql(program, environment, query, variables);
  const { issues } = await ask(
    "{ issues { nodes { id team { id states { nodes { id name } } } } } }",
  );
  const [{ id, team }] = issues.nodes;
  const done = team.states.nodes.find(({ name }: { name: string }) => name === "Done");
  await ask(
    `mutation($id: String!, $input: IssueUpdateInput!) { issueUpdate(id: $id, input: $input) { success } }`,
    { id, input: { stateId: done.id, title: "Draw all the empty states", assigneeId: AGENT } },
  );
  await ask("mutation($input: CommentCreateInput!) { commentCreate(input: $input) { success } }", {
    input: { issueId: id, body: "It is **done** now" },
  });
  await ask("mutation($input: IssueCreateInput!) { issueCreate(input: $input) { success } }", {
    input: { teamId: team.id, title: "Draw the error states", priority: 1 },
  });
  expectStatus(await program.post("/diffRun", { runId }), 200);
  return { environmentId, environmentUrl, runId };
}

/** Unlike letters they are of one width, so that pictures of pages with them are alike. */
const digits = () => String(crypto.getRandomValues(new Uint32Array(1))[0]).padStart(10, "0");

/** A suite that two models have tried twice: the first passes always, the second sometimes. Returns its id. */
export async function suiteScene(program: TestProgram): Promise<string> {
  const wave = { diff_type: "added", entity: "messages", where: { text: "Hello" } };
  const suite = await program.post("/testSuites", {
    name: `Attempts ${digits()}`,
    templateService: "chat",
    templateName: "chat_default",
    impersonateUserId: "U01AGENTONE",
    tests: ["Welcome everybody", "Say hello"].map((name) => ({
      name,
      prompt: "Say hello in #general.",
      expectedOutput: { assertions: [wave] },
    })),
  });
  const { suiteId } = suite.body;
  const { body } = await program.get(`/testSuites/${suiteId}?expand=true`);
  for (const { id: testId, name } of body.tests)
    for (const model of ["first", "second"])
      for (const attempt of [1, 2]) {
        const environment = await program.environment();
        const fields = { testId, testSuiteId: suiteId, labels: { model } };
        const runId = await startRun(program, environment.environmentId, fields);
        const isRight = model === "first" || (name === "Say hello" && attempt === 1);
        const message = { channel: "C01GENERAL", text: isRight ? "Hello" : "Bye" };
        await program.chat(environment, "chat.postMessage", message);
        const costUsd = model === "first" ? 0.12 : 0.0312;
        expectStatus(await program.post("/evaluateRun", { runId, costUsd }), 200);
      }
  return suiteId;
}

export type MailScene = Scene & { readonly threadId: string };

/** A run of mail: it reads, stars a message, sends one with HTML to itself and John, and sets an automatic reply. */
export async function mailScene(
  program: TestProgram,
  { subject, html }: { readonly subject: string; readonly html: string },
): Promise<MailScene> {
  const agent = "agent@acme.test";
  const { environmentId, environmentUrl } = await program.environment({
    templateService: "mail",
    templateName: "mail_default",
    impersonateUserId: agent,
  });
  const call = async (method: string, path: string, body?: object) => {
    const address = `${program.url}${environmentUrl}/gmail/v1/users/me/${path}`;
    const sent = body && { body: JSON.stringify(body) };
    const response = await fetch(address, { method, ...sent });
    const answer = (await response.json()) as any;
    if (!response.ok) throw new Error(JSON.stringify(answer));
    return answer;
  };
  const runId = await startRun(program, environmentId);
  const { messages } = await call("GET", "messages?q=from:tess");
  await call("POST", `messages/${messages[0].id}/modify`, { addLabelIds: ["STARRED"] });
  const lines = [`To: ${agent}, john@acme.test`, `Subject: ${subject}`, "Content-Type: text/html"];
  const raw = Buffer.from([...lines, "", html].join("\r\n")).toString("base64url");
  const { threadId } = await call("POST", "messages/send", { raw });
  await call("PUT", "settings/vacation", { enableAutoReply: true, responseBodyPlainText: "Away" });
  expectStatus(await program.post("/diffRun", { runId }), 200);
  return { environmentId, environmentUrl, runId, threadId };
}

/** A run of the calendar: it moves one meeting, answers an invitation, cancels one, creates one and shares. */
export async function calendarScene(program: TestProgram): Promise<Scene> {
  const { environmentId, environmentUrl } = await program.environment({
    templateService: "calendar",
    templateName: "calendar_default",
    impersonateUserId: "agent@acme.test",
  });
  const call = async (method: string, path: string, body?: object) => {
    const address = `${program.url}${environmentUrl}/calendar/v3/calendars/primary/${path}`;
    const response = await fetch(address, { method, ...(body && { body: JSON.stringify(body) }) });
    if (!response.ok) throw new Error(await response.text());
  };
  const runId = await startRun(program, environmentId);
  await call("GET", "events");
  await call("PATCH", "events/standup", {
    start: { dateTime: "2026-01-05T11:00:00Z" },
    end: { dateTime: "2026-01-05T11:15:00Z" },
  });
  const attendees = [{ email: "agent@acme.test", responseStatus: "accepted" }];
  await call("PATCH", "events/logincheck", { attendees });
  await call("DELETE", "events/planning");
  await call("POST", "events", {
    summary: "Budget of May",
    start: { dateTime: "2026-01-08T10:00:00Z" },
    end: { dateTime: "2026-01-08T11:00:00Z" },
    attendees: [{ email: "robin@acme.test" }],
  });
  await call("POST", "acl", { role: "reader", scope: { type: "user", value: "robin@acme.test" } });
  expectStatus(await program.post("/diffRun", { runId }), 200);
  return { environmentId, environmentUrl, runId };
}
