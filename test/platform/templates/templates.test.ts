/** Templates: listed, saved from environments, imported and exported as seeds. */
import { describe, expect, test } from "bun:test";
import { useDatabase } from "../../support/database";
import { expectRefusal, expectStatus, useProgram } from "../../support/program";
import { useUsers } from "../../support/users";

const database = useDatabase();
const program = useProgram(database);

const { ann, bob } = useUsers(database, "ann", "bob");

const say = (environment: { environmentUrl: string }, text: string) =>
  program.chat(environment, "chat.postMessage", { channel: "C01GENERAL", text });
const save = (environmentId: string, fields = {}, as = {}) =>
  program.post("/templates", { environmentId, service: "chat", name: "saved", ...fields }, as);
const names = (body: any) => body.templates.map(({ name }: { name: string }) => name);
/** Every row of a schema, as text. */
const content = async (schema: string) => {
  const tables = await database.sql<{ name: string }[]>`
    select relname as name from pg_class where relnamespace = ${schema}::regnamespace and relkind = 'r' order by 1
  `;
  const rows: Record<string, string[]> = {};
  for (const { name } of tables)
    rows[name] = (
      await database.sql.unsafe(`select r::text as row from "${schema}"."${name}" r order by 1`)
    ).map(({ row }) => row);
  return rows;
};

describe("templates", () => {
  test("are listed with filters, and read by id or name", async () => {
    const { body } = await program.get("/templates?service=chat&visibility=public");
    expect(names(body)).toContain("chat_default");
    const listed = body.templates.find(({ name }: { name: string }) => name === "chat_default");
    expect(listed).toEqual({
      id: expect.any(String),
      name: "chat_default",
      service: "chat",
      services: ["chat"],
      description: "3 users, 2 channels, 3 messages",
      location: expect.stringMatching(/^tpl_/),
      visibility: "public",
      createdAt: expect.any(String),
    });
    for (const key of [listed.id, "chat_default"]) {
      const one = (await program.get(`/templates/${key}`)).body;
      expect(one).toMatchObject({ ...listed, tables: { users: 3, channels: 2, messages: 3 } });
    }
    expect(names((await program.get("/templates?visibility=private")).body)).toEqual([]);
  });

  test("are listed in pages", async () => {
    const whole = names((await program.get("/templates")).body);
    const first = (await program.get("/templates?limit=1")).body;
    const second = (await program.get(`/templates?limit=1&cursor=${first.nextCursor}`)).body;
    expect([...names(first), ...names(second)]).toEqual(whole.slice(0, 2));
  });

  test.each([
    ["/templates/nothing", 404, "template_not_found"],
    ["/templates/nothing/seed", 404, "template_not_found"],
    ["/templates?service=billing", 400, "invalid_service"],
    ["/templates?visibility=secret", 400, "invalid_request"],
    ["/templates?limit=0", 400, "invalid_request"],
  ])("%s is rejected", async (path, status, code) => {
    expectRefusal(await program.get(path), status, code);
  });
});

describe("a template that is saved from an environment", () => {
  test("equals the environment at that moment", async () => {
    const environment = await program.environment();
    await say(environment, "kept");
    const saved = await save(environment.environmentId, { name: "kept", description: "One more" });
    await say(environment, "not kept");

    expectStatus(saved, 201);
    expect(saved.body).toEqual({
      templateId: expect.any(String),
      name: "kept",
      location: expect.stringMatching(/^tpl_[0-9a-f]{32}$/),
      service: "chat",
      services: ["chat"],
      visibility: "private",
    });
    const { body } = await program.get(`/templates/${saved.body.templateId}`);
    expect(body).toMatchObject({ description: "One more", tables: { messages: 4 } });
    const copy = await program.environment({ templateName: "kept" });
    const history = await program.chat(copy, "conversations.history", { channel: "C01GENERAL" });
    expect(history.messages[0].text).toBe("kept");
    expect(await content(copy.schemaName)).toEqual(await content(saved.body.location));
  });

  test("is consistent while the environment is written to, and invisible to a run", async () => {
    const environment = await program.environment();
    const { runId } = (await program.post("/startRun", { envId: environment.environmentId })).body;
    let writing = true;
    let written = 0;
    const writer = (async () => {
      while (writing) {
        const { ts, channel } = await say(environment, `n${written}`);
        await program.chat(environment, "reactions.add", { channel, timestamp: ts, name: "eyes" });
        written++;
      }
    })();
    const saved = await Promise.all(
      [1, 2, 3].map((n) => save(environment.environmentId, { name: `busy_${n}` })),
    );
    writing = false;
    await writer;
    const { diff } = (await program.post("/diffRun", { runId })).body;

    expect(diff.inserts.filter(({ __table__ }: any) => __table__ === "messages")).toHaveLength(
      written,
    );
    expect(diff.inserts.filter(({ __table__ }: any) => __table__ === "reactions")).toHaveLength(
      written,
    );
    for (const answer of saved) {
      expectStatus(answer, 201);
      // Nothing of a later moment: each reaction's message is there, all messages but the last have their reaction.
      const [row] = await database.sql.unsafe(`
        select count(*) filter (where m.ts is null)::int as orphans,
          (select count(*)::int from "${answer.body.location}".messages where text like 'n%') as messages,
          count(*) filter (where m.text like 'n%')::int as reactions
        from "${answer.body.location}".reactions r
        left join "${answer.body.location}".messages m using (channel_id, ts)`);
      expect(row!["orphans"]).toBe(0);
      expect(row!["messages"] - row!["reactions"]).toBeOneOf([0, 1]);
    }
  });

  test("belongs to its owner, and its name is theirs unless it is public", async () => {
    const { environmentId } = await program.environment({}, ann);
    expectStatus(await save(environmentId, { name: "mine" }, ann), 201);
    expectRefusal(await program.get("/templates/mine", bob), 404, "template_not_found");
    expectRefusal(
      await program.post(
        "/initEnv",
        { templateService: "chat", templateName: "mine", impersonateUserId: "U01AGENTONE" },
        bob,
      ),
      404,
      "template_not_found",
    );
    expect(names((await program.get("/templates", bob)).body)).not.toContain("mine");
    expect(names((await program.get("/templates?visibility=private", ann)).body)).toContain("mine");

    const { environmentId: bobs } = await program.environment({}, bob);
    expectStatus(await save(bobs, { name: "mine" }, bob), 201);
    expectStatus(await save(bobs, { name: "ours", visibility: "public" }, bob), 201);
    expectRefusal(await save(environmentId, { name: "ours" }, ann), 400, "template_name_exists");
    expectRefusal(await save(environmentId, { name: "mine" }, ann), 400, "template_name_exists");
    expectRefusal(
      await save(environmentId, { name: "chat_default" }, ann),
      400,
      "template_name_exists",
    );
  });

  test("is created once when ten calls request its name at the same time", async () => {
    const { environmentId } = await program.environment();
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => save(environmentId, { name: "contested" })),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    for (const answer of answers)
      if (answer.status !== 201) expectRefusal(answer, 400, "template_name_exists");
  });

  test("can be read by its other path", async () => {
    const { environmentId } = await program.environment();
    const body = { environmentId, service: "chat", name: "by_alias" };
    expectStatus(await program.post("/templates/from-environment", body), 201);
  });

  test.each([
    [{ name: "Upper" }, 400, "invalid_template_name"],
    [{ name: "with space" }, 400, "invalid_template_name"],
    [{ name: "" }, 400, "invalid_template_name"],
    [{ name: "x".repeat(64) }, 400, "invalid_template_name"],
    [{ name: "1st" }, 400, "invalid_template_name"],
    [{ name: 'x"; drop schema diorama' }, 400, "invalid_template_name"],
    [{ service: "billing" }, 400, "invalid_service"],
    [{ environmentId: "0".repeat(32) }, 404, "environment_not_found"],
    [{ environmentId: "nonsense" }, 404, "environment_not_found"],
    [{ visibility: "secret" }, 400, "invalid_request"],
    [{ name: 5 }, 400, "invalid_request"],
  ])("%p is rejected", async (fields, status, code) => {
    const { environmentId } = await program.environment();
    expectRefusal(await save(environmentId, { name: "refused", ...fields }), status, code);
    expectRefusal(await program.get("/templates/refused"), 404, "template_not_found");
  });

  test("cannot be made from another user's environment", async () => {
    const { environmentId } = await program.environment({}, ann);
    expectRefusal(await save(environmentId, {}, bob), 404, "environment_not_found");
  });
});

describe("a seed", () => {
  test("that was exported builds the same template again", async () => {
    const environment = await program.environment();
    const { ts, channel } = await say(environment, 'odd: "quotes", \\ and 🎺');
    await program.chat(environment, "chat.update", { channel, ts, text: "changed" });
    await program.chat(environment, "conversations.create", { name: "more" });
    const saved = (await save(environment.environmentId, { name: "traveller" })).body;
    for (const source of ["traveller", "chat_default", "chat_base"]) {
      const { body: seed } = await program.get(`/templates/${source}/seed`);
      expect(seed).toMatchObject({ template: source, service: "chat" });

      const imported = await program.post("/templates/import", {
        service: "chat",
        name: `${source}_again`,
        description: "From a seed",
        seed,
      });

      expectStatus(imported, 201);
      const { location } = (await program.get(`/templates/${source}`)).body;
      expect(await content(imported.body.location)).toEqual(await content(location));
      const again = (await program.get(`/templates/${source}_again/seed`)).body;
      expect(again).toEqual({ ...seed, template: `${source}_again`, description: "From a seed" });
    }
    expect(saved.visibility).toBe("private");
  });

  test("with tables is exported as their rows", async () => {
    const whole = (await program.get("/templates/chat_default/seed?tables=*")).body;
    const { tables } = (await program.get("/templates/chat_default")).body;
    const counts = Object.entries(whole.rows).map(([name, rows]) => [name, (rows as []).length]);
    expect(Object.fromEntries(counts)).toEqual(
      Object.fromEntries(Object.entries(tables).filter(([, count]) => count !== 0)),
    );
    const part = (await program.get("/templates/chat_default/seed?tables=users,pins")).body;
    expect(part).toEqual({
      template: "chat_default",
      service: "chat",
      description: whole.description,
      rows: { users: whole.rows.users },
    });
    expectRefusal(
      await program.get("/templates/chat_default/seed?tables=users,message"),
      400,
      "invalid_request",
    );
    const seed = { ...whole, template: "chat_rows" };
    const imported = { service: "chat", name: "chat_rows", seed };
    expectStatus(await program.post("/templates/import", imported), 201);
  });

  test("can have an unknown time zone, and an id that is no plain text", async () => {
    const { rows, ...rest } = (await program.get("/templates/chat_default/seed?tables=*")).body;
    const [first] = rows.users;
    const users = [
      ...rows.users,
      { ...first, id: "U(02*JOHN", name: "brackets", tz: "Nope/Zone", profile: {} },
    ];
    const seed = { ...rest, template: "chat_odd", rows: { ...rows, users } };
    const imported = { service: "chat", name: "chat_odd", seed };
    expectStatus(await program.post("/templates/import", imported), 201);
    const environment = await program.environment({ templateName: "chat_odd" });

    const { members } = await program.chat(environment, "users.list");
    expect(members).toContainEqual(expect.objectContaining({ id: "U(02*JOHN", tz_offset: 0 }));
    const found = await program.chat(environment, "search.messages", { query: "@brackets" });
    expect(found.ok).toBe(true);
  });

  test("can extend a built-in one", async () => {
    const seed = {
      extends: "chat_base",
      messages: [{ channel: "general", ts: "1767603600.731938", user: "john", text: "Hello" }],
    };
    const imported = await program.post("/templates/import", {
      service: "chat",
      name: "greeted",
      seed,
    });
    expectStatus(imported, 201);
    const { body } = await program.get("/templates/greeted");
    expect(body.tables).toMatchObject({ users: 3, messages: 1 });
  });

  const chat = { team: { id: "T01", name: "T", domain: "t" }, users: [], channels: [] };
  const user = { id: "U01X", name: "x", real_name: "X" };
  const PERSON = { email: "x@y.test", name: "X" };
  test.each([
    [{}, /^seed: /],
    [{ ...chat, users: [{ ...user, id: 5 }] }, /^seed: users\[0\]\.id: /],
    [{ ...chat, users: [{ ...user, nmae: "x" }] }, /^seed: users\[0\]/],
    [{ ...chat, users: [user, user] }, /^seed: users\[1\]: there are two of "x"$/],
    [
      { extends: "chat_nothing" },
      /^seed: extends: there is no seed "chat_nothing" of chat to build on; there are chat_base/,
    ],
    [{ ...chat, people: "acmee" }, /^seed: people: there is no list "acmee"; .*acme/],
    [{ ...chat, people: [{ email: "x@y.test" }] }, /^seed: people\[0\]\.name: /],
    [{ ...chat, people: [{ ...PERSON, tz: "UTC" }] }, /^seed: people\[0\]/],
    [{ rows: [] }, /^seed: rows: an object of tables is needed$/],
    [{ rows: { usrs: [] } }, /^seed: rows\.usrs: there is no such table; the nearest is "users"$/],
    [{ rows: { users: {} } }, /^seed: rows\.users: a list of rows is needed$/],
    [
      { rows: { users: [{ idd: "U01" }] } },
      /^seed: rows\.users\[0\]\.idd: there is no such column; the nearest is "id"$/,
    ],
    [
      { rows: { users: [{ id: "U01" }] } },
      /^seed: rows\.users: a column that must have a value has none/,
    ],
    [{ rows: { users: [{ id: "x".repeat(99) }] } }, /^seed: rows\.users: /],
    [
      { rows: { emoji: Array(2).fill({ name: "blob", url: "https://blob.test" }) } },
      /^seed: rows\.emoji: two rows have the same key$/,
    ],
    [{ rows: {}, sequences: { none: 1 } }, /^seed: sequences\.none: there is no such sequence$/],
  ])("%p is rejected with the path of its mistake", async (seed, detail) => {
    const answer = await program.post("/templates/import", { service: "chat", name: "bad", seed });
    expectRefusal(answer, 400, "invalid_request");
    expect(answer.body.detail).toMatch(detail);
    const [left] = await database.sql`
      select count(*)::int as count from pg_namespace
      where nspname like 'tpl%' and nspname not in (select schema_name from diorama.templates)
    `;
    expect(left!["count"]).toBe(0);
  });

  test.each([
    [{ name: "Bad" }, "invalid_template_name"],
    [{ name: "chat_default" }, "template_name_exists"],
    [{ service: "billing" }, "invalid_service"],
    [{ seed: [] }, "invalid_request"],
    [{ seed: undefined }, "invalid_request"],
  ])("in a body with %p is rejected", async (fields, code) => {
    const body = { service: "chat", name: "fine", seed: { rows: {} }, ...fields };
    expectRefusal(await program.post("/templates/import", body), 400, code);
  });
});

test("environments are listed: the caller's own, filtered, in pages", async () => {
  const first = await program.environment({}, bob);
  const second = await program.environment({ templateName: "chat_base" }, bob);
  await program.call("DELETE", `/env/${first.environmentId}`, undefined, bob);
  const list = async (query = "") =>
    (await program.get(`/environments${query}`, bob)).body.environments.filter(
      ({ environmentId }: { environmentId: string }) =>
        [first.environmentId, second.environmentId].includes(environmentId),
    );
  const { token: _, clock: __, ...shown } = second;
  const [newest, older] = await list();
  expect(newest).toEqual({
    ...shown,
    status: "active",
    createdAt: expect.any(String),
    impersonateUserId: "U01AGENTONE",
    run: null,
  });
  expect(older).toMatchObject({ environmentId: first.environmentId, status: "deleted" });
  expect(await list("?status=active")).toEqual([newest]);
  expect(await list("?status=deleted")).toEqual([older]);
  expect(await list("?templateName=chat_base&service=chat")).toEqual([newest]);
  const page = (await program.get("/environments?limit=1", bob)).body;
  expect(page.environments).toEqual([newest]);
  expectStatus(await program.get(`/environments?limit=1&cursor=${page.nextCursor}`, bob), 200);
  expect((await program.get("/environments", ann)).body.environments).not.toContainEqual(newest);
  expectRefusal(await program.get("/environments?service=billing"), 400, "invalid_service");
  expectRefusal(await program.get("/environments?status=gone"), 400, "invalid_request");
  expectRefusal(await program.get("/runs?status=gone"), 400, "invalid_request");
});
