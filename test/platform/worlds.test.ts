/** Environments with several services: one schema, one clock, one run, one diff. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { useDatabase } from "../support/database";
import { callTool, send } from "../support/mcp";
import { startTestProgram, type TestProgram } from "../support/program";

const EMAIL = "agent@acme.test";
const CHAT_AGENT = "U01AGENTONE";
const TRACKER_AGENT = "b0000000-0000-4000-8000-000000000001";
const WORLD = { templateService: "world", templateName: "acme" };

const database = useDatabase();
let program: TestProgram;
beforeAll(async () => {
  program = await startTestProgram(database);
});
afterAll(() => program.program.stop());

type Environment = {
  readonly environmentId: string;
  readonly environmentUrl: string;
  readonly mcpUrl: string;
  readonly token: string;
  readonly services: Record<string, { url: string; mcpUrl: string; userId: string | null }>;
};

async function create(fields: object = {}): Promise<Environment> {
  const { status, body } = await program.post("/initEnv", {
    ...WORLD,
    impersonateEmail: EMAIL,
    ...fields,
  });
  expect({ status, body }).toMatchObject({ status: 201 });
  return body;
}

async function call(environment: Environment, path: string, body: object) {
  const response = await fetch(
    `${program.url}/api/env/${environment.environmentId}/services/${path}`,
    {
      method: "POST",
      headers: { Authorization: `Bearer ${environment.token}`, "Content-Type": "application/json" },
      body: JSON.stringify(body),
    },
  );
  return { status: response.status, body: (await response.json()) as any };
}

const say = (environment: Environment, text: string) =>
  call(environment, "chat/chat.postMessage", { channel: "C01GENERAL", text });

const file = (environment: Environment, title: string) =>
  call(environment, "tracker/graphql", {
    query: `mutation ($input: IssueCreateInput!) { issueCreate(input: $input) { issue { id } } }`,
    variables: { input: { teamId: "c0000000-0000-4000-8000-000000000001", title } },
  });

const start = async (environment: Environment, more: object = {}) => {
  const { body } = await program.post("/startRun", { envId: environment.environmentId, ...more });
  return body.runId as string;
};
const diff = async (runId: string) => (await program.post("/diffRun", { runId })).body.diff;

const tools = ({ mcpUrl, token }: Environment, query = "") => ({
  url: `${program.url}${mcpUrl}${query}`,
  headers: { Authorization: `Bearer ${token}` },
});

describe("a world", () => {
  test("has the addresses of each service, and the person's id in each", async () => {
    const environment = await create();

    const id = environment.environmentId;
    expect(environment).toMatchObject({
      service: "world",
      environmentUrl: `/api/env/${id}/services`,
      mcpUrl: `/api/env/${id}/mcp`,
      services: {
        chat: {
          url: `/api/env/${id}/services/chat`,
          mcpUrl: `/api/env/${id}/services/chat/mcp`,
          userId: CHAT_AGENT,
        },
        tracker: {
          url: `/api/env/${id}/services/tracker`,
          mcpUrl: `/api/env/${id}/services/tracker/mcp`,
          userId: TRACKER_AGENT,
        },
      },
    });
    const { body: shown } = await program.get(`/env/${id}`);
    expect(shown.services).toEqual(environment.services);
  });

  test("takes one person's id of one service", async () => {
    const environment = await create({
      impersonateEmail: undefined,
      impersonateUserId: TRACKER_AGENT,
    });

    expect(environment.services["chat"]?.userId).toBe(CHAT_AGENT);
  });

  test("has one diff of both services", async () => {
    const environment = await create();
    const runId = await start(environment);

    const posted = await say(environment, "Filed.");
    const filed = await file(environment, "Crash");

    expect(posted.body.ok).toBe(true);
    expect(filed.body.errors).toBeUndefined();
    const { inserts } = await diff(runId);
    expect(inserts).toContainEqual(
      expect.objectContaining({ __table__: "chat_messages", __service__: "chat", text: "Filed." }),
    );
    expect(inserts).toContainEqual(
      expect.objectContaining({
        __table__: "tracker_issues",
        __service__: "tracker",
        title: "Crash",
      }),
    );
  });

  test("names the service of each call in the journal", async () => {
    const environment = await create();
    const runId = await start(environment);
    await say(environment, "one");
    await file(environment, "two");
    await diff(runId);

    const { body } = await program.get(`/runs/${runId}/calls`);

    expect(body.calls.map(({ service, name }: any) => [service, name])).toEqual([
      ["chat", "chat.postMessage"],
      ["tracker", "issueCreate"],
    ]);
  });

  test("rejects a call to a service that it does not have", async () => {
    const environment = await create({ services: ["chat"] });

    expect(Object.keys(environment.services)).toEqual(["chat"]);
    expect(await file(environment, "Crash")).toMatchObject({
      status: 400,
      body: { error: "invalid_service" },
    });
    expect((await say(environment, "hi")).body.ok).toBe(true);
  });

  test("injects a fault into the calls of one service", async () => {
    const environment = await create({ faults: [{ service: "tracker", fault: "server_error" }] });

    expect((await say(environment, "fine")).body.ok).toBe(true);
    expect((await file(environment, "Crash")).status).toBe(500);
  });

  const namesOf = async (environment: Environment, query?: string) => {
    const list = { jsonrpc: "2.0", id: 1, method: "tools/list" };
    const { body } = await send(tools(environment, query), list);
    return body.result.tools.map(({ name }: { name: string }) => name) as string[];
  };

  test("has the tools of all services at one address", async () => {
    const environment = await create();
    const runId = await start(environment);

    const names = await namesOf(environment);
    const sent = await callTool(tools(environment), "slack_send_message", {
      channel_id: "C01GENERAL",
      message: "By a tool",
    });
    const saved = await callTool(tools(environment), "save_issue", {
      team: "Engineering",
      title: "By a tool",
    });

    expect([sent.isError, saved.isError]).toEqual([false, false]);
    expect(names).toContain("slack_send_message");
    expect(names).toContain("save_issue");
    expect(new Set(names).size).toBe(names.length);
    expect(await namesOf(environment, "?access=read")).not.toContain("save_issue");
    const tables = (await diff(runId)).inserts.map((row: any) => row.__table__);
    expect(tables).toContain("chat_messages");
    expect(tables).toContain("tracker_issues");
  });

  test("has only the tools of its own services", async () => {
    const names = await namesOf(await create({ services: ["tracker"] }));

    expect(names).toContain("save_issue");
    expect(names).not.toContain("slack_send_message");
  });

  test("evaluates assertions on a service's table by either name, and on its calls", async () => {
    const assertions = [
      { diff_type: "added", entity: "chat_messages", where: { text: "Done" } },
      { diff_type: "added", service: "tracker", entity: "issues", where: { title: "Crash" } },
      { diff_type: "called", service: "tracker", entity: "*", expected_count: 1 },
      { diff_type: "called", service: "chat", entity: "chat.postMessage", expected_count: 1 },
    ];
    const { body: suite } = await program.post("/testSuites", {
      ...{ name: "Worlds", templateService: "world", templateName: "acme" },
      impersonateUserId: CHAT_AGENT,
      tests: [
        { name: "both", prompt: "Do it.", expectedOutput: { assertions, closed_world: true } },
      ],
    });
    const { body: whole } = await program.get(`/testSuites/${suite.suiteId}?expand=true`);
    const testId = whole.tests[0].id;
    const { body: environment } = await program.post("/initEnv", { testId });
    const runId = await start(environment, { testId });
    await say(environment, "Done");
    await file(environment, "Crash");

    const { body: verdict } = await program.post("/evaluateRun", { runId });

    expect(verdict).toMatchObject({ failures: [], passed: true });
  });

  test("is forked, reset, and saved with all its services", async () => {
    const environment = await create();
    const { environmentId } = environment;
    await say(environment, "kept");
    await file(environment, "kept");

    const { body: forked } = await program.post(`/env/${environmentId}/fork`, {});
    const [fork] = forked.environments;
    const { body: saved } = await program.post("/templates", {
      ...{ environmentId, service: "world", name: "kept_world" },
    });
    await program.post(`/env/${environmentId}/reset`, {});

    expect(fork.services["tracker"].userId).toBe(TRACKER_AGENT);
    expect((await file(fork, "more")).body.errors).toBeUndefined();
    expect(saved).toMatchObject({
      service: "world",
      services: ["chat", "tracker", "mail", "calendar"],
    });
    const { body: before } = await program.get("/templates/acme");
    const { body: after } = await program.get("/templates/kept_world");
    expect(after.tables.chat_messages).toBe(before.tables.chat_messages + 1);
    expect(after.tables.tracker_issues).toBe(before.tables.tracker_issues + 1);
    const { body: detail } = await program.get(`/env/${environmentId}`);
    expect(detail.changedRows).toBe(0);
  });

  test("has one clock for the effects of time in all services", async () => {
    const environment = await create({ clock: { mode: "frozen", now: "2026-01-12T09:00:00Z" } });
    const post_at = Date.parse("2026-01-12T10:00:00Z") / 1000;
    const args = { channel: "C01GENERAL", text: "Later", post_at };
    expect((await call(environment, "chat/chat.scheduleMessage", args)).body.ok).toBe(true);

    const { body } = await program.post(`/env/${environment.environmentId}/clock`, {
      advance: "PT2H",
    });

    expect(body.effects).toContainEqual(expect.objectContaining({ kind: "message_posted" }));
  });

  test("reads an earlier state of one service as a stale read", async () => {
    const environment = await create({ faults: [{ service: "chat", fault: "stale_read" }] });
    const read = async () =>
      (await call(environment, "chat/conversations.history", { channel: "C01GENERAL" })).body
        .messages[0].text;
    const before = await read();
    await file(environment, "Meanwhile");
    await say(environment, "Newest");

    const stale = await read();

    expect(stale).toBe(before);
    expect(await read()).toBe("Newest");
  });

  test("shows nothing of one service in the other", async () => {
    const environment = await create();
    const tables = async (wanted: string) => {
      const { body } = await program.post("/templates", {
        ...{ environmentId: environment.environmentId, service: "world", name: `after_${wanted}` },
      });
      const { body: whole } = await program.get(`/templates/${body.templateId}/seed?tables=*`);
      return Object.fromEntries(
        Object.entries(whole.rows as object).filter(([name]) => name.startsWith("tracker_")),
      );
    };
    const before = await tables("nothing");

    await say(environment, "<@U02JOHNADOE> see ENG-1");

    expect(await tables("a_message")).toEqual(before);
  });
});

describe("a person without an account in a service", () => {
  const seed = {
    members: {
      chat: "chat_default",
      tracker: {
        extends: "tracker_base",
        users: [
          {
            ...{ id: "b0000000-0000-4000-8000-000000000009", displayName: "guest" },
            ...{ name: "Gail Guest", email: "gail@acme.test" },
          },
        ],
      },
    },
  };

  beforeAll(async () => {
    await program.post("/templates/import", { service: "world", name: "guests", seed });
  });

  test("gets that service's own error", async () => {
    const environment = await create({
      templateName: "guests",
      impersonateEmail: "gail@acme.test",
    });

    expect(environment.services["chat"]?.userId).toBeNull();
    expect((await say(environment, "hello")).body).toMatchObject({
      ok: false,
      error: "account_inactive",
    });
    expect((await file(environment, "Mine")).body.errors).toBeUndefined();
  });

  test("has no tools at that service's address", async () => {
    const environment = await create({
      templateName: "guests",
      impersonateEmail: "gail@acme.test",
    });
    const list = { jsonrpc: "2.0", id: 1, method: "tools/list" };
    const listed = async (service: string) => {
      const { mcpUrl = "" } = environment.services[service] ?? {};
      const { status, headers } = await send(tools({ ...environment, mcpUrl }), list);
      return [status, headers.get("WWW-Authenticate")];
    };

    expect(await listed("chat")).toEqual([401, expect.stringContaining("invalid_token")]);
    expect(await listed("tracker")).toEqual([200, null]);
  });
});

describe("the seed of a world", () => {
  const importing = (seed: object, name = "tried") =>
    program.post("/templates/import", { service: "world", name, seed });
  const person = { id: "U09SAM", name: "sam", real_name: "Sam Lee", email: "sam@acme.test" };
  const other = {
    ...{ id: "b0000000-0000-4000-8000-00000000000a", displayName: "sam" },
    ...{ name: "Sam Lee", email: "sam@acme.test" },
  };
  const withSam = (chat: object, tracker: object) => ({
    members: {
      chat: { extends: "chat_base", users: [{ ...person, ...chat }] },
      tracker: { extends: "tracker_base", users: [{ ...other, ...tracker }] },
    },
  });

  test("may have a person who is deactivated in one service, with a note", async () => {
    const { status, body } = await importing(withSam({}, { active: false }), "half");

    expect(status).toBe(201);
    expect(body.notes).toContainEqual(expect.stringContaining("deactivated in tracker"));
  });

  test("is found by each of its services", async () => {
    const { body } = await program.get("/templates?has=tracker&visibility=public");

    const names = body.templates.map(({ name }: { name: string }) => name);
    expect(names).toContain("acme");
    expect(names).toContain("tracker_base");
    expect(names).not.toContain("chat_base");
  });

  test("comes back as rows that make the same world", async () => {
    const { body: rows } = await program.get("/templates/acme/seed?tables=*");
    const { template: _, service: __, ...seed } = rows;

    const { status } = await importing(seed, "copy");

    expect(status).toBe(201);
    const { body: again } = await program.get("/templates/copy/seed?tables=*");
    expect(again.rows).toEqual(rows.rows);
  });
});
