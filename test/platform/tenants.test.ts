/** Two users: objects of one do not exist for the other. */
import { beforeAll, describe, expect, test } from "bun:test";
import { connect } from "~/db/connect";
import { createKey } from "~/platform/keys/keys";
import { eventually, useDatabase } from "../support/database";
import { expectRefusal, expectStatus, useProgram } from "../support/program";
import { compareTimes } from "../support/times";

const database = useDatabase();
const program = useProgram(database);
const NOBODY = "0".repeat(32);
let number = 0;

const keys: Record<string, string> = {};
beforeAll(async () => {
  const pool = connect(database.url, { max: 1, name: "test", camel: true });
  for (const userId of ["alice", "bob"])
    keys[userId] = (
      await createKey(pool, { userId, name: "", plan: "free", expiresInDays: null })
    ).key;
  await pool.end();
});
const as = (user: string) => ({ "X-API-Key": keys[user]! });

const SUITE = {
  name: "alice's",
  templateService: "chat",
  templateName: "chat_default",
  impersonateUserId: "U01AGENTONE",
  tests: [
    {
      name: "alice's",
      prompt: "Alice's",
      expectedOutput: { assertions: [{ diff_type: "added", entity: "messages" }] },
    },
  ],
};

/** Alice's objects, by the names that the rows below use. */
async function aliceOwns() {
  const environment = await program.environment({}, as("alice"));
  const run = await program.post("/startRun", { envId: environment.environmentId }, as("alice"));
  expectStatus(run, 201);
  const suite = await program.post("/testSuites", SUITE, as("alice"));
  expectStatus(suite, 201);
  const { suiteId } = suite.body;
  const { body } = await program.get(`/testSuites/${suiteId}?expand=true`, as("alice"));
  const template = await program.post(
    "/templates",
    { environmentId: environment.environmentId, service: "chat", name: `of_alice_${number++}` },
    as("alice"),
  );
  expectStatus(template, 201);
  return {
    environment,
    ids: {
      ENV: environment.environmentId,
      RUN: run.body.runId,
      SUITE: suiteId as string,
      TEST: body.tests[0].id as string,
      TEMPLATE: template.body.name as string,
    },
  };
}

const filled = (text: string, ids: Record<string, string>) =>
  Object.entries(ids).reduce((result, [name, id]) => result.replaceAll(name, id), text);

async function ask(
  user: string,
  method: string,
  path: string,
  body: object | undefined,
  ids: Record<string, string>,
) {
  const response = await fetch(program.url + filled(path, ids), {
    method,
    headers: { ...as(user), ...(body ? { "Content-Type": "application/json" } : {}) },
    ...(body ? { body: filled(JSON.stringify(body), ids) } : {}),
  });
  return { status: response.status, text: await response.text() };
}

/** An answer, with the name of each id that the caller has sent itself in its place. */
const named = (answer: Awaited<ReturnType<typeof ask>>, ids: Record<string, string>) => ({
  ...answer,
  text: Object.values(ids).reduce((text, id) => text.replaceAll(id, "ID"), answer.text),
});

describe("objects of another user do not exist, in the same words as unknown ones", () => {
  const rows: [string, string, object | undefined, string, string][] = [
    ["POST", "/api/platform/startRun", { envId: "ENV" }, "environment_not_found", "S020"],
    ["DELETE", "/api/platform/env/ENV", undefined, "environment_not_found", "S021"],
    ["GET", "/api/platform/env/ENV", undefined, "environment_not_found", "S021"],
    ["PATCH", "/api/platform/env/ENV", { ttlSeconds: 60 }, "environment_not_found", "S021"],
    ["POST", "/api/env/ENV/services/chat/auth.test", {}, "environment_not_found", "S022"],
    [
      "POST",
      "/api/env/ENV/services/tracker/graphql",
      { query: "{ viewer { id } }" },
      "environment_not_found",
      "S022",
    ],
    [
      "POST",
      "/api/platform/templates",
      { environmentId: "ENV", service: "chat", name: "stolen" },
      "environment_not_found",
      "S023",
    ],
    ["POST", "/api/platform/diffRun", { runId: "RUN" }, "run_not_found", "S024"],
    ["PATCH", "/api/platform/testSuites/SUITE", { name: "b" }, "suite_not_found", "S027"],
    ["DELETE", "/api/platform/testSuites/SUITE", undefined, "suite_not_found", "S027"],
    ["PATCH", "/api/platform/tests/TEST", { name: "b" }, "test_not_found", "S027"],
    ["DELETE", "/api/platform/tests/TEST", undefined, "test_not_found", "S027"],
    ["PATCH", "/api/platform/runs/RUN", { labels: { a: "b" } }, "run_not_found", "S024"],
    ["POST", "/api/platform/evaluateRun", { runId: "RUN" }, "run_not_found", "S024"],
    [
      "POST",
      "/api/platform/initEnv",
      { templateService: "chat", templateName: "TEMPLATE", impersonateUserId: "U01AGENTONE" },
      "template_not_found",
      "S025",
    ],
    [
      "PATCH",
      "/api/platform/templates/TEMPLATE",
      { visibility: "public" },
      "template_not_found",
      "S025",
    ],
    ["DELETE", "/api/platform/templates/TEMPLATE", undefined, "template_not_found", "S025"],
    ["GET", "/api/platform/templates/TEMPLATE", undefined, "template_not_found", "S025"],
    ["GET", "/api/platform/testSuites/SUITE", undefined, "suite_not_found", "S027"],
    ["GET", "/api/platform/testSuites/SUITE?expand=true", undefined, "suite_not_found", "S027"],
    ["GET", "/api/platform/tests/TEST", undefined, "test_not_found", "S027"],
    [
      "POST",
      "/api/platform/testSuites/SUITE/tests",
      { tests: SUITE.tests },
      "suite_not_found",
      "S027",
    ],
    ["POST", "/api/platform/initEnv", { testId: "TEST" }, "test_not_found", "S027"],
    ["GET", "/api/platform/results/RUN", undefined, "run_not_found", "S024"],
  ];
  test.each(rows)("%s %s %p is %s (%s)", async (method, path, body, code) => {
    const { environment, ids } = await aliceOwns();
    const foreign = await ask("bob", method, path, body, ids);
    const none = Object.fromEntries(Object.keys(ids).map((name) => [name, NOBODY]));
    const unknown = await ask("bob", method, path, body, none);
    expect(named(foreign, ids)).toEqual(named(unknown, none));
    expect([foreign.status, JSON.parse(foreign.text).error]).toEqual([404, code]);

    // Nothing happened to it.
    expect(await ask("alice", "GET", "/api/platform/results/RUN", undefined, ids)).toMatchObject({
      status: 200,
      text: expect.stringContaining('"status":"running"'),
    });
    expectStatus(
      await program.call("DELETE", `/env/${environment.environmentId}`, undefined, as("alice")),
      200,
    );
  });

  test("and the response time is the same (S035)", async () => {
    const { ids } = await aliceOwns();
    const random = () => ({ ENV: crypto.randomUUID().replaceAll("-", ""), RUN: NOBODY });
    for (const [method, path, body] of [
      ["POST", "/api/platform/startRun", { envId: "ENV" }],
      ["POST", "/api/env/ENV/services/chat/auth.test", {}],
    ] as const) {
      const verdict = await compareTimes(
        () => ask("bob", method, path, body, ids),
        () => ask("bob", method, path, body, random()),
      );
      expect([path, verdict]).toEqual([path, "no difference"]);
    }
  });
});

describe("suites and templates of another user", () => {
  test("appear in no list (S026)", async () => {
    const { ids } = await aliceOwns();
    for (const query of ["", "?visibility=private", "?visibility=public"])
      for (const list of ["templates", "testSuites"]) {
        const { status, text } = await ask(
          "bob",
          "GET",
          `/api/platform/${list}${query}`,
          undefined,
          {},
        );
        expect(status).toBe(200);
        for (const own of [ids.TEMPLATE, ids.SUITE, "alice"]) expect(text).not.toContain(own);
      }
  });

  test("cannot be changed, even if they are public (S028)", async () => {
    const open = await program.post("/testSuites", { ...SUITE, visibility: "public" }, as("alice"));
    const builtin = await program.get("/testSuites?visibility=public&limit=1000", as("bob"));
    for (const id of [open.body.suiteId, ...builtin.body.testSuites.map((one: any) => one.id)])
      expectRefusal(
        await program.post(`/testSuites/${id}/tests`, { tests: SUITE.tests }, as("bob")),
        404,
        "suite_not_found",
      );
  });

  test("cannot be named by a run, which then does not start (S029)", async () => {
    const { ids } = await aliceOwns();
    const { environmentId: envId } = await program.environment({}, as("bob"));
    for (const [fields, code] of [
      [{ testSuiteId: ids.SUITE }, "suite_not_found"],
      [{ testId: ids.TEST }, "test_not_found"],
    ] as const)
      expectRefusal(await program.post("/startRun", { envId, ...fields }, as("bob")), 404, code);
    expectStatus(await program.post("/startRun", { envId }, as("bob")), 201);
  });

  test("do not reserve their names: a private name belongs to its owner (S030)", async () => {
    const { ids } = await aliceOwns();
    const { environmentId } = await program.environment({}, as("bob"));
    const body = { environmentId, service: "chat", name: ids.TEMPLATE };
    expectStatus(await program.post("/templates", body, as("bob")), 201);
    expectRefusal(await program.post("/templates", body, as("bob")), 400, "template_name_exists");
  });
});

test.each(["user_id", "userId", "ownerId", "keyId", "environmentId"])(
  "a body with the undocumented field %s is rejected (S033)",
  async (field) => {
    const { environmentId: envId } = await program.environment({}, as("bob"));
    const bodies = {
      "/initEnv": {
        templateService: "chat",
        templateName: "chat_default",
        impersonateUserId: "U01AGENTONE",
      },
      "/startRun": { envId },
    };

    for (const [path, body] of Object.entries(bodies))
      expectRefusal(
        await program.post(path, { ...body, [field]: NOBODY }, as("bob")),
        400,
        "invalid_request",
      );
  },
);

test("concurrent calls of both, on connections that are killed, see only their own rows (S036)", async () => {
  const mine = await Promise.all(
    ["alice", "bob", "alice", "bob"].map(async (user) => ({
      user,
      environment: await program.environment({}, as(user)),
    })),
  );
  const counts = () => database.sql<{ at: string }[]>`
    select format('%I.%I', schemaname, tablename) as at from pg_tables where schemaname = 'public'
  `;
  const leaks: string[] = [];
  let answered = 0;
  let killing = true;
  const killer = (async () => {
    while (killing) {
      await Bun.sleep(50);
      await database.sql`
        select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and application_name like 'diorama session%' and random() < 0.3
      `;
    }
  })();
  const call = async (url: string, user: string, method: string, args: object): Promise<any> => {
    const response = await fetch(`${program.url}${url}/${method}`, {
      method: "POST",
      headers: { ...as(user), "Content-Type": "application/json" },
      body: JSON.stringify(args),
    });
    return response.ok ? await response.json() : undefined;
  };
  await Promise.all(
    mine.map(async ({ user, environment }, index) => {
      for (let n = 0; n < 60; n++) {
        const { environmentUrl } = environment;
        await call(environmentUrl, user, "chat.postMessage", {
          channel: "C01GENERAL",
          text: `of ${index}`,
        });
        const history = await call(environmentUrl, user, "conversations.history", {
          channel: "C01GENERAL",
        });
        answered += history ? 1 : 0;
        for (const { text } of history?.messages ?? [])
          if (text.startsWith("of ") && text !== `of ${index}`) leaks.push(`${index}: ${text}`);
        const stranger = mine[(index + 1) % 4]!;
        if (stranger.user !== user) {
          const peek = await call(stranger.environment.environmentUrl, user, "auth.test", {});
          if (peek !== undefined) leaks.push(`${user} opened ${stranger.user}'s`);
        }
      }
    }),
  );
  killing = false;
  await killer;
  expect(leaks).toEqual([]);
  expect(answered).toBeGreaterThan(60);
  expect(await counts()).toHaveLength(0);
  await eventually(async () => {
    const texts = await Promise.all(
      mine.map(({ user, environment }) => call(environment.environmentUrl, user, "auth.test", {})),
    );
    if (texts.some((answer) => !answer?.ok)) throw new Error("not served again");
  });
});

test("an empty search path is an error, and never leads to another environment's table (S081)", async () => {
  const pool = connect(database.url, { max: 1, name: "test" });
  await database.sql`create table public.messages (text text)`;
  try {
    const insert = () =>
      pool`insert into messages (text) values ('stray')`.then(
        () => "written",
        ({ code }) => code,
      );
    expect(await insert()).toBe("42P01");
    await database.sql`
      select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and application_name = 'diorama test' and pid <> pg_backend_pid()
    `;
    await eventually(async () => expect(await insert()).toBe("42P01"));
    expect(await database.sql`select 1 from public.messages`).toHaveLength(0);
  } finally {
    await database.sql`drop table public.messages`;
    await pool.end();
  }
});
