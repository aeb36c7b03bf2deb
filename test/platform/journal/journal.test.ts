/** The calls of a run, with the changes of each, as its owner reads them. */
import { describe, expect, test } from "bun:test";
import { startClusters } from "../../support/clusters";
import { eventually, openTransaction, useDatabase } from "../../support/database";
import { connectClient, endpointOf } from "../../support/mcp";
import {
  type Answer,
  expectRefusal,
  expectStatus,
  startTestProgram,
  type TestProgram,
  useProgram,
} from "../../support/program";
import { MARIA, openTracker } from "../../support/tracker";

const ENG = "c0000000-0000-4000-8000-000000000011";

const clusters = await startClusters();
const plugins = clusters.flatMap((cluster) =>
  cluster.plugins.map((plugin) => ({ cluster, plugin, name: `${plugin} on ${cluster.name}` })),
);

const start = async (program: TestProgram, envId: string, fields = {}) => {
  const started = await program.post("/startRun", { envId, ...fields });
  expectStatus(started, 201);
  return started.body.runId as string;
};
const callsOf = async (program: TestProgram, runId: string, query = "") => {
  const answer = await program.get(`/runs/${runId}/calls${query}`);
  expectStatus(answer, 200);
  return answer.body;
};
const named = ({ calls }: Answer["body"]) => calls.map(({ name }: { name: string }) => name);
const post = (text: string) => ({ channel: "C01GENERAL", text });

describe.each(plugins)("with $name", ({ cluster, plugin }) => {
  const database = useDatabase({ cluster });
  const program = useProgram(database, { CAPTURE_PLUGIN: plugin });

  test("has no line for what somebody reads who looks on, and one for what they write", async () => {
    const environment = await program.environment();
    const runId = await start(program, environment.environmentId);
    const view = async (method: string, args: object) => {
      const response = await fetch(`${program.url}${environment.environmentUrl}/${method}`, {
        method: "POST",
        headers: { "Content-Type": "application/json; charset=utf-8", "X-Diorama-View": "1" },
        body: JSON.stringify(args),
      });
      expect(await response.json()).toMatchObject({ ok: true });
    };
    await view("conversations.history", { channel: "C01GENERAL" });
    await view("chat.postMessage", post("hello"));
    await program.post("/diffRun", { runId });

    const page = await callsOf(program, runId);
    expect(named(page)).toEqual(["chat.postMessage"]);
    expect(page.calls[0].changes).toEqual([1]);
  });

  test("lists each call of chat in order, with the changes that it committed", async () => {
    const environment = await program.environment();
    await program.chat(environment, "chat.postMessage", post("before"));
    const runId = await start(program, environment.environmentId);
    await program.chat(environment, "chat.postMessage", post("one"));
    await program.chat(environment, "conversations.history", { channel: "C01GENERAL" });
    await program.chat(environment, "chat.postMessage", { channel: "C0NONE", text: "nowhere" });
    await program.chat(environment, "conversations.create", { name: "new" });
    await program.chat(environment, "chat.postMessage", post("two"));
    await program.post("/diffRun", { runId });
    await program.chat(environment, "chat.postMessage", post("after"));

    const page = await callsOf(program, runId);
    const events = (await program.get(`/runs/${runId}/events`)).body.events;

    expect(page).toMatchObject({
      runId,
      journal: "calls",
      attribution: "exact",
      complete: true,
      next: null,
    });
    expect(
      page.calls.map((call: any) => [call.n, call.name, call.error, call.status, call.via]),
    ).toEqual([
      [1, "chat.postMessage", null, 200, "rest"],
      [2, "conversations.history", null, 200, "rest"],
      [3, "chat.postMessage", "channel_not_found", 200, "rest"],
      [4, "conversations.create", null, 200, "rest"],
      [5, "chat.postMessage", null, 200, "rest"],
    ]);
    expect(page.calls[0]).toMatchObject({ service: "chat", arguments: post("one"), trace: null });
    expect(page.calls[0]).not.toHaveProperty("answer");
    expect(page.calls.flatMap(({ changes }: any) => changes)).toEqual(
      events.map((_: unknown, index: number) => index + 1),
    );
    for (const { changes, request } of page.calls)
      for (const n of changes) expect(events[n - 1].request).toBe(request);
    expect(page.calls[1].changes).toEqual([]);
    expect(events[page.calls[4].changes[0] - 1]).toMatchObject({
      table: "messages",
      after: { text: "two" },
    });
  });

  test("lists each operation of the tracker, rejected ones too", async () => {
    const tracker = await openTracker(program);
    const runId = await start(program, tracker.environmentId);
    await tracker.ask(
      'mutation Twice($title: String) { a: issueUpdate(id: "ENG-1", input: { title: $title }) { success } b: commentCreate(input: { issueId: "ENG-1", body: "hi" }) { success } }',
      { title: "new" },
    );
    await tracker.ask("{ viewer { id } }");
    await tracker.ask('mutation { issueUpdate(id: "NO-1", input: { title: "x" }) { success } }');
    await tracker.ask("{ nothing }");
    await program.post("/diffRun", { runId });

    const { calls } = await callsOf(program, runId);
    const { total } = (await program.get(`/runs/${runId}/events`)).body;

    expect(calls.map(({ name, via }: any) => [name, via])).toEqual([
      ["issueUpdate, commentCreate", "graphql"],
      ["viewer", "graphql"],
      ["issueUpdate", "graphql"],
      ["graphql", "graphql"],
    ]);
    expect(calls[0].arguments).toMatchObject({ variables: { title: "new" } });
    expect(calls[0].changes).toEqual(Array.from({ length: total }, (_, index) => index + 1));
    expect(total).toBeGreaterThan(2);
    expect(calls.slice(1).map(({ changes }: any) => changes)).toEqual([[], [], []]);
    expect(calls[2].error).toMatch(/not found/i);
    expect(calls[3].error).toMatch(/Cannot query field/);
  });
});

describe("a journal", () => {
  const database = useDatabase();
  const program = useProgram(database);

  test("of a run that goes on has numbers that stay, and changes from its end on", async () => {
    const environment = await program.environment();
    const runId = await start(program, environment.environmentId);
    for (const text of ["one", "two"])
      await program.chat(environment, "chat.postMessage", post(text));
    const early = await callsOf(program, runId);
    for (const text of ["three", "four"])
      await program.chat(environment, "chat.postMessage", post(text));
    const next = await callsOf(program, runId, "?after=2");
    await program.post("/diffRun", { runId });
    const late = await callsOf(program, runId);

    expect(early).toMatchObject({ attribution: "pending" });
    expect(early.calls.map(({ n, changes }: any) => [n, changes])).toEqual([
      [1, null],
      [2, null],
    ]);
    expect(next.calls.map(({ n, arguments: { text } }: any) => [n, text])).toEqual([
      [3, "three"],
      [4, "four"],
    ]);
    expect(late.calls.map(({ n, arguments: { text } }: any) => [n, text])).toEqual([
      [1, "one"],
      [2, "two"],
      [3, "three"],
      [4, "four"],
    ]);
    expect(late.calls.map(({ changes }: any) => changes)).toEqual([[1], [2], [3], [4]]);
  });

  test("has the calls of which a part is within the run: at its start, and at its end", async () => {
    const environment = await program.environment();
    const { environmentId, schemaName } = environment;
    /** Begins a read that is answered after `meanwhile`. */
    const hold = async (limit: number, meanwhile: () => Promise<unknown>) => {
      const release = await openTransaction(
        database.sql,
        `lock table "${schemaName}".messages in access exclusive mode`,
      );
      const args = { channel: "C01GENERAL", limit };
      const call = program.chat(environment, "conversations.history", args);
      await eventually(async () => {
        const waiting = await database.sql`
          select from pg_locks where not granted and relation = ${`${schemaName}.messages`}::regclass
        `;
        expect(waiting.count).toBe(1);
      });
      await meanwhile();
      await release();
      expect(await call).toMatchObject({ ok: true });
    };
    let runId = "";
    await program.chat(environment, "auth.test");
    await hold(1, async () => {
      runId = await start(program, environmentId);
    });
    await hold(2, () => program.post("/diffRun", { runId }));
    await program.chat(environment, "auth.test");

    await eventually(async () => {
      const { calls } = await callsOf(program, runId);
      expect(calls.map((call: any) => [call.name, call.arguments.limit])).toEqual([
        ["conversations.history", 1],
        ["conversations.history", 2],
      ]);
    });
  });

  test("is read in pages", async () => {
    const environment = await program.environment();
    const runId = await start(program, environment.environmentId);
    for (let n = 0; n < 7; n++) await program.chat(environment, `method.${n}`);
    await program.post("/diffRun", { runId });

    const pages = [];
    for (let after: number | null = 0; after !== null; after = pages.at(-1).next)
      pages.push(await callsOf(program, runId, `?after=${after}&limit=3`));

    expect(pages.map(named)).toEqual([
      ["method.0", "method.1", "method.2"],
      ["method.3", "method.4", "method.5"],
      ["method.6"],
    ]);
    expectRefusal(await program.get(`/runs/${runId}/calls?limit=0`), 400, "invalid_request");
    expectRefusal(await program.get(`/runs/${"0".repeat(32)}/calls`), 404, "run_not_found");
  });

  test("keeps answers if asked to, and nothing if told so", async () => {
    const [full, off] = [await program.environment(), await program.environment()];
    const runs = [
      await start(program, full.environmentId, { journal: "full" }),
      await start(program, off.environmentId, { journal: "off" }),
    ] as const;
    await program.chat(full, "auth.test");
    await program.chat(off, "auth.test");
    for (const runId of runs) await program.post("/diffRun", { runId });

    const [kept, none] = [await callsOf(program, runs[0]), await callsOf(program, runs[1])];

    expect(kept.calls).toMatchObject([
      { name: "auth.test", answer: { ok: true, user_id: "U01AGENTONE" } },
    ]);
    expect(none).toMatchObject({ journal: "off", calls: [] });
  });

  test("has no credentials, and knows the caller's trace", async () => {
    const environment = await program.environment();
    const runId = await start(program, environment.environmentId, { journal: "full" });
    const trace = `00-${"4b".repeat(16)}-${"0f".repeat(8)}-01`;
    await fetch(`${program.url}${environment.environmentUrl}/chat.postMessage`, {
      method: "POST",
      headers: { traceparent: trace, "Content-Type": "application/x-www-form-urlencoded" },
      body: new URLSearchParams({ ...post("hi"), token: environment.token }),
    });
    const { upload_url: uploadUrl } = await program.chat(
      environment,
      "files.getUploadURLExternal",
      { filename: "a", length: 1 },
    );
    const uploaded = await fetch(uploadUrl, { method: "POST", body: "a" });
    expect(uploaded.status).toBe(200);
    await program.post("/diffRun", { runId });

    const { calls } = await callsOf(program, runId);
    const stored = JSON.stringify(await database.sql`select * from diorama.calls`);

    expect(calls[0]).toMatchObject({ trace, arguments: post("hi") });
    expect(stored).not.toContain(environment.token);
    expect(stored).not.toContain(uploadUrl.split("/").at(-1));
    expect(calls[1].answer.upload_url).toContain("/[redacted]");
    expect(calls[2].name).toBe("upload");
  });

  test("lists each call of a tool", async () => {
    const environment = await program.environment();
    const client = await connectClient(endpointOf(program, environment), "legacy");
    const runId = await start(program, environment.environmentId);
    const message = { channel_id: "C01GENERAL", message: "hello" };
    await client.callTool({ name: "slack_send_message", arguments: message });
    const nowhere = { channel_id: "C0NONE", message: "hello" };
    await client.callTool({ name: "slack_send_message", arguments: nowhere });
    await client.close();
    await program.post("/diffRun", { runId });

    const { calls } = await callsOf(program, runId);

    expect(calls).toMatchObject([
      { via: "mcp", name: "slack_send_message", arguments: message, error: null, changes: [1] },
      { via: "mcp", name: "slack_send_message", error: expect.any(String), changes: [] },
    ]);
  });

  test.each([
    {
      service: "chat",
      actor: "U01AGENTONE",
      templateName: "chat_default",
      tool: {
        name: "slack_send_message",
        arguments: { channel_id: "C01GENERAL", message: "hello" },
      },
      call: ["chat.postMessage", { channel: "C01GENERAL", markdown_text: "hello" }],
    },
    {
      service: "tracker",
      actor: MARIA,
      templateName: "tracker_expanded",
      tool: { name: "save_issue", arguments: { title: "Slow", team: "ENG", priority: 2 } },
      call: [
        "graphql",
        {
          query: `mutation {
            issueCreate(input: { title: "Slow", teamId: "${ENG}", priority: 2 }) { success }
          }`,
        },
      ],
    },
  ] as const)("a tool of $templateName has the diff and the journal of the API", async (one) => {
    const account = async (
      work: (
        client: Awaited<ReturnType<typeof connectClient>>,
        environment: Answer["body"],
      ) => unknown,
    ) => {
      const environment = await program.environment({
        templateService: one.service,
        templateName: one.templateName,
        impersonateUserId: one.actor,
        clock: { mode: "step", now: "2026-03-02T09:00:00Z" },
        seed: 7,
      });
      const client = await connectClient(endpointOf(program, environment), "legacy");
      const runId = await start(program, environment.environmentId);
      await work(client, environment);
      await client.close();
      const { diff } = (await program.post("/diffRun", { runId })).body;
      const { calls } = await callsOf(program, runId);
      const common = calls.map(({ status, error, service, changes, n }: Answer["body"]) => ({
        status,
        error,
        service,
        changes,
        n,
      }));
      return { diff, common };
    };
    const [method, args] = one.call;
    const byTool = await account((client) => client.callTool(one.tool));
    const byCall = await account((_, environment) => program.chat(environment, method, args));

    expect(byTool).toEqual(byCall);
    expect(byTool.common).toHaveLength(1);
    expect(byTool.diff.inserts.length).toBeGreaterThan(0);
  });

  test("shows calls that were rejected before the service", async () => {
    const environment = await program.environment();
    const runId = await start(program, environment.environmentId);
    await fetch(`${program.url}${environment.environmentUrl}/chat.postMessage`, {
      method: "POST",
      body: "x".repeat(5 * 1024 * 1024),
    });
    await program.post("/diffRun", { runId });

    const { calls } = await callsOf(program, runId);

    expect(calls).toMatchObject([
      { name: "chat.postMessage", status: 413, error: "request_too_large", changes: [] },
    ]);
  });

  test("is one for all servers, in the order in which calls were answered", async () => {
    const other = await startTestProgram(database);
    const environment = await program.environment();
    const runId = await start(program, environment.environmentId);
    const servers = [program, other];
    for (let n = 0; n < 12; n++)
      await servers[n % 2]?.chat(environment, "chat.postMessage", post(`${n}`));
    await program.post("/diffRun", { runId });

    const { calls } = await callsOf(other, runId);

    expect(calls.map(({ arguments: { text } }: any) => text)).toEqual(
      Array.from({ length: 12 }, (_, n) => `${n}`),
    );
    expect(calls.map(({ changes }: any) => changes)).toEqual(
      Array.from({ length: 12 }, (_, n) => [n + 1]),
    );
    await other.program.stop();
  });
});

describe("without the log", () => {
  const database = useDatabase();
  const program = useProgram(database, { LOGICAL_REPLICATION_ENABLED: "false" });

  test("calls are listed without their changes, and the answer says so", async () => {
    const environment = await program.environment();
    const runId = await start(program, environment.environmentId);
    await program.chat(environment, "chat.postMessage", post("one"));
    await program.post("/diffRun", { runId });

    const page = await callsOf(program, runId);

    expect(page).toMatchObject({ attribution: "none", calls: [{ n: 1, changes: null }] });
  });
});
