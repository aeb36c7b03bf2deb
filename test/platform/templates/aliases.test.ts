/** Earlier ids of the built-in templates: accepted wherever ids are, and never shown. */
import { describe, expect, test } from "bun:test";
import { resolveSeed, type Seed } from "~/platform/templates/seeds";
import { SEEDS } from "../../../seeds/index";
import { useSharedDatabase } from "../../support/database";
import { callTool, endpointOf } from "../../support/mcp";
import { expectRefusal, expectStatus, useProgram } from "../../support/program";

const database = useSharedDatabase();
const program = useProgram(database);

const BENCH = "chat_bench_default";
const ID = /^[CGDUWBTFSA][A-Z0-9]{8,}$/;
const open = (fields = {}) => program.environment({ impersonateUserId: "U01AGENT", ...fields });
const bench = () => open({ templateName: BENCH });
const whoIs = async (environment: any) => (await program.chat(environment, "auth.test")).user_id;

/** Every text of a seed outside of its messages' content that looks like an id. */
const idsOf = (seed: Seed) =>
  [...JSON.stringify({ ...seed, aliases: {} }).matchAll(/"((?:[CGDUWBTFSA]\d\d)[A-Z0-9]*)"/g)].map(
    ([, id]) => id ?? "",
  );

describe("the built-in templates of chat", () => {
  const seeds = (SEEDS as readonly Seed[])
    .filter(({ service }) => service === "chat")
    .map((seed) => resolveSeed(seed, SEEDS as readonly Seed[]));

  test.each(seeds.map((seed) => [seed.template, seed] as const))(
    "%s has ids of the service's form, and earlier ones that mean them",
    (_, seed) => {
      const ids = new Set(idsOf(seed));
      expect([...ids].filter((id) => !ID.test(id))).toEqual([]);
      const earlier = Object.entries(seed.aliases ?? {}).filter(([old]) => !old.includes("."));
      expect(earlier.length).toBeGreaterThan(0);
      for (const [old, present] of earlier) {
        expect(ids).toContain(present);
        expect(JSON.stringify({ ...seed, aliases: {} })).not.toMatch(new RegExp(`\\b${old}\\b`));
      }
    },
  );
});

describe("an earlier id", () => {
  test.each([
    ["users.info", { user: "U02MCHEN" }, { user: { id: "U02MAYACHEN" } }],
    ["users.profile.get", { user: "U02MCHEN" }, { profile: { real_name: "Maya Chen" } }],
    ["bots.info", { bot: "B25PAGER" }, { bot: { id: "B25PAGERBOT" } }],
    ["conversations.info", { channel: "C03ENG" }, { channel: { id: "C03ENGINEER" } }],
    ["conversations.open", { users: "U02MCHEN" }, { channel: { id: "D01AGENTMAYA" } }],
    ["conversations.invite", { channel: "C14DATA", users: "U14PNAIR,U17TBECK" }, {}],
    ["chat.postMessage", { channel: "C03ENG", text: "Hi" }, { channel: "C03ENGINEER" }],
    ["chat.postMessage", { channel: "U02MCHEN", text: "Hi" }, { channel: "D01AGENTMAYA" }],
    ["usergroups.users.list", { usergroup: "S04SAMS" }, { ok: true }],
    ["dnd.teamInfo", { users: "U02MCHEN" }, { users: { U02MAYACHEN: {} } }],
    ["search.messages", { query: "from:<@U14PNAIR> in:<#C03ENG>" }, { messages: { total: 8 } }],
  ])("is an argument of %s: %j", async (method, args, expected) => {
    const answer = await program.chat(await bench(), method, args);
    expect(answer).toMatchObject({ ok: true, ...expected });
    if (!method.startsWith("search"))
      expect(JSON.stringify(answer)).not.toMatch(/"(U02MCHEN|C03ENG)"/);
  });

  test("is resolved in blocks, but not in texts", async () => {
    const environment = await bench();
    const text = "<@U02MCHEN> in C03ENG";
    const elements = [
      { type: "user", user_id: "U02MCHEN" },
      { type: "text", text: "C03ENG" },
    ];
    const section = { type: "rich_text_section", elements };
    const blocks = [{ type: "rich_text", elements: [section] }];
    const { message } = await program.chat(environment, "chat.postMessage", {
      ...{ channel: "C02RANDOM", text, blocks: JSON.stringify(blocks) },
    });
    expect(message.text).toBe(text);
    expect(message.blocks[0].elements[0].elements).toEqual([
      { type: "user", user_id: "U02MAYACHEN" },
      { type: "text", text: "C03ENG" },
    ]);
    const topic = { channel: "C02RANDOM", topic: "C03ENG" };
    expect(await program.chat(environment, "conversations.setTopic", topic)).toMatchObject({
      channel: { topic: { value: "C03ENG" } },
    });
  });

  test("is an argument of tools", async () => {
    const endpoint = endpointOf(program, await bench());
    const { text } = await callTool(endpoint, "slack_read_channel", { channel_id: "C03ENG" });
    expect(JSON.parse(text).messages).toStartWith("Channel: #engineering (C03ENGINEER)");
    const profile = await callTool(endpoint, "slack_read_user_profile", { user_id: "U02MCHEN" });
    expect(profile.text).toContain("U02MAYACHEN");
    const archived = endpointOf(program, await bench(), "/archived");
    const history = await callTool(archived, "slack_get_channel_history", { channel_id: "C03ENG" });
    expect(JSON.parse(history.text)).toMatchObject({ ok: true });
  });

  test("names the user of a token, of a trigger and of an environment", async () => {
    const environment = await program.environment({ impersonateUserId: "U02JOHN" });
    expect(await whoIs(environment)).toBe("U02JOHNADOE");
    const response = await fetch(`${program.url}${environment.environmentUrl}/auth.test`, {
      method: "POST",
      headers: { Authorization: "Bearer xoxp-U03ROBIN" },
    });
    expect(await response.json()).toMatchObject({ user_id: "U03ROBINRAY" });
    const trigger = await program.post(`/env/${environment.environmentId}/triggers`, {
      userId: "U03ROBIN",
    });
    expect(trigger.body).toMatchObject({ userId: "U03ROBINRAY" });
    const stranger = { templateService: "chat", templateName: "chat_default" };
    const refused = await program.post("/initEnv", { ...stranger, impersonateUserId: "U04JOHN" });
    expectRefusal(refused, 400, "impersonate_not_found");
  });

  test("is known in forks, and in templates of environments and their exports", async () => {
    const environment = await bench();
    const knows = async (copy: any) =>
      expect(await program.chat(copy, "users.info", { user: "U02MCHEN" })).toMatchObject({
        user: { id: "U02MAYACHEN" },
      });
    const fork = await program.post(`/env/${environment.environmentId}/fork`, {});
    await knows(fork.body.environments[0]);

    const { environmentId } = environment;
    const saved = { environmentId, service: "chat", name: "saved_bench" };
    expectStatus(await program.post("/templates", saved), 201);
    await knows(await open({ templateName: "saved_bench" }));

    const { body: seed } = await program.get("/templates/saved_bench/seed");
    const copy = { service: "chat", name: "imported_bench", seed };
    expectStatus(await program.post("/templates/import", copy), 201);
    await knows(await open({ templateName: "imported_bench" }));
  });

  test("is known in seeds that extend a template", async () => {
    const message = {
      channel: "C03ENG",
      ts: "2026-03-01T10:00:00Z",
      user: "maya",
      text: "<@U04SRIVERA> and <@U01AGENT>, look",
    };
    const seed = { extends: BENCH, messages: [message] };
    const draft = { service: "chat", name: "extended_bench", seed };
    expectStatus(await program.post("/templates/import", draft), 201);
    const environment = await open({ templateName: "extended_bench" });
    const { messages } = await program.chat(environment, "conversations.history", {
      ...{ channel: "C03ENGINEER", latest: "1772359201", limit: 1 },
    });
    expect(messages[0].text).toBe("<@U04SRIVERA> and <@U01AGENTONE>, look");
  });

  test("is an id like any other in templates that define it", async () => {
    const seed = {
      team: { id: "T01ACME", name: "Own", domain: "own" },
      users: [{ id: "U01AGENT", name: "agent", real_name: "Agent" }],
      channels: [],
    };
    const draft = { service: "chat", name: "own_ids", seed };
    expectStatus(await program.post("/templates/import", draft), 201);
    expect(await whoIs(await open({ templateName: "own_ids" }))).toBe("U01AGENT");
  });

  test("is still known when the template has been replaced", async () => {
    const { environmentId } = await bench();
    const { body } = await program.post(`/env/${environmentId}/fork`, {});
    const [fork] = body.environments;
    const { count } = await database.sql`
      update diorama.schemas set template_schema = 'tpl_replaced' where schema_name = ${fork.schemaName}
    `;
    expect(count).toBe(1);
    expect(await program.chat(fork, "users.info", { user: "U02MCHEN" })).toMatchObject({
      user: { id: "U02MAYACHEN" },
    });
  });
});

describe("an earlier timestamp", () => {
  const DONUTS = { channel: "C02RANDOM", now: "1770994800.490949", earlier: "1770994800.000100" };
  const HELLO = { channel: "C01GENERAL", now: "1767604200.989456", earlier: "1767604200.000200" };

  test.each([
    [BENCH, DONUTS],
    ["chat_default", HELLO],
  ])("of %s is accepted in calls and tools, and never shown", async (templateName, message) => {
    const environment = await open({ templateName });
    const { channel, now, earlier } = message;
    const read = async (method: string, args: object) => {
      const answer = await program.chat(environment, method, { channel, ...args });
      expect(answer).toMatchObject({ ok: true });
      expect(JSON.stringify(answer)).not.toContain(earlier);
      return answer;
    };
    const whole = { latest: earlier, oldest: earlier, inclusive: true };
    expect((await read("conversations.history", whole)).messages).toMatchObject([{ ts: now }]);
    expect((await read("conversations.replies", { ts: earlier })).messages[0].ts).toBe(now);
    await read("reactions.add", { timestamp: earlier, name: "heart" });
    expect((await read("chat.getPermalink", { message_ts: earlier })).permalink).toEndWith(
      now.replace(".", ""),
    );
    const posted = await read("chat.postMessage", { thread_ts: earlier, text: "Yes" });
    expect(posted.message.thread_ts).toBe(now);
    const thread = await callTool(endpointOf(program, environment), "slack_read_thread", {
      ...{ channel_id: channel, message_ts: earlier },
    });
    expect(thread.text).toContain(now);
  });

  test("is accepted in assertions", async () => {
    const environment = await bench();
    const { channel, now, earlier } = DONUTS;
    const { environmentId: envId } = environment;
    const { runId } = (await program.post("/startRun", { envId })).body;
    const reaction = { channel, timestamp: now, name: "heart" };
    await program.chat(environment, "reactions.add", reaction);
    const where = { channel_id: channel, ts: earlier, name: "heart" };
    const assertion = { diff_type: "added", entity: "reactions", where, expected_count: 1 };
    const expectedOutput = { assertions: [assertion], closed_world: true };
    expect((await program.post("/evaluateRun", { runId, expectedOutput })).body).toMatchObject({
      ...{ passed: true, failures: [] },
    });
  });

  test("is known for every message of the benchmark, and microseconds look drawn", async () => {
    const seed = (SEEDS as readonly Seed[]).find(({ template }) => template === BENCH);
    const moments = JSON.stringify(seed).matchAll(/"ts":"([^"]+Z)"/g);
    const seconds = [...moments].map(([, moment]) => Date.parse(moment ?? "") / 1000);
    expect(seconds.length).toBeGreaterThan(300);
    const environment = await bench();
    const [row] = await database.sql<{ schemaName: string }[]>`
      select schema_name as "schemaName" from diorama.schemas where schema_name = ${environment.schemaName}
    `;
    const messages = database.sql(`${row?.schemaName}.messages`);
    const rows = await database.sql<{ ts: string }[]>`select ts from ${messages} order by ts`;
    const stamps = new Set(rows.map(({ ts }) => ts));
    const micros = new Set([...stamps].map((ts) => ts.slice(-6)));
    expect(micros.size).toBeGreaterThan(0.95 * stamps.size);
    for (const second of seconds.slice(0, 40)) {
      const channels = await database.sql<{ channel: string; ts: string }[]>`
        select channel_id as channel, ts from ${messages} where ts like ${`${second}.%`}
      `;
      for (const { channel, ts } of channels)
        expect(
          await program.chat(environment, "chat.getPermalink", {
            ...{ channel, message_ts: `${second}.000100` },
          }),
        ).toMatchObject({ ok: true, permalink: expect.stringContaining(ts.replace(".", "")) });
    }
  });
});

describe("assertions with earlier ids", () => {
  const message = { channel_id: "C03ENG", user_id: "U01AGENT", text: "Ask <@U02MCHEN>" };
  const expectedOutput = {
    assertions: [
      { diff_type: "added", entity: "messages", where: message, expected_count: 1 },
      {
        ...{ diff_type: "called", entity: "chat.postMessage" },
        where: { "arguments.channel": { in: ["C03ENG"] } },
      },
      {
        ...{ diff_type: "unchanged", entity: "channels", expected_count: 1 },
        where: { id: "C14DATA", name: "data" },
      },
    ],
    closed_world: true,
  };
  const suite = {
    ...{ name: "earlier", templateService: "chat", templateName: BENCH },
    impersonateUserId: "U01AGENT",
    tests: [{ name: "ask", prompt: "Ask Maya.", expectedOutput }],
  };

  test.each([
    ["earlier ids", "C03ENG", "Ask <@U02MCHEN>"],
    ["present ids", "C03ENGINEER", "Ask <@U02MAYACHEN>"],
  ])("hold for calls with %s, also when graded again", async (name, channel, text) => {
    const created = await program.post("/testSuites", { ...suite, name: `for ${name}` });
    expect(created.body.warnings).toBeUndefined();
    const { body } = await program.get(`/testSuites/${created.body.suiteId}?expand=true`);
    const [{ id: testId }] = body.tests;
    const environment = (await program.post("/initEnv", { testId })).body;
    expect(await whoIs(environment)).toBe("U01AGENTONE");
    const { environmentId: envId } = environment;
    const run = { envId, testId, journal: "full" };
    const { runId } = (await program.post("/startRun", run)).body;
    expect(await program.chat(environment, "chat.postMessage", { channel, text })).toMatchObject({
      ok: true,
    });
    const verdict = (await program.post("/evaluateRun", { runId })).body;
    expect(verdict).toMatchObject({ passed: true, failures: [] });
    const { diff } = (await program.get(`/results/${runId}`)).body;
    expect(diff.inserts[0]).toMatchObject({ channel_id: "C03ENGINEER", text });
    expect((await program.post(`/runs/${runId}/evaluate`, {})).body).toMatchObject({
      passed: true,
    });
    const audit = await program.get(`/testSuites/${created.body.suiteId}/audit`);
    expect(audit.body.tests[0]).toMatchObject({ state: "audited", solution: { from: "run" } });
  });

  test("fail for another row", async () => {
    const environment = await bench();
    const { environmentId: envId } = environment;
    const { runId } = (await program.post("/startRun", { envId, journal: "full" })).body;
    const elsewhere = { channel: "C14DATA", text: message.text };
    await program.chat(environment, "chat.postMessage", elsewhere);
    const { body } = await program.post("/evaluateRun", { runId, expectedOutput });
    expect(body.passed).toBe(false);
    expect(body.failures).toContain("assertion#1 messages expected count 1 but got 0");
  });
});
