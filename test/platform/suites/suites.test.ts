/** Test suites: visibility, listing, and atomic storage. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { connect, type Pool } from "~/db/connect";
import { createBuilders } from "~/db/origins";
import { createLog } from "~/log";
import { readSuite, storeBuiltinSuites } from "~/platform/suites/builtin";
import { createTemplates } from "~/platform/templates/templates";
import { randomId } from "~/source";
import { useDatabase } from "../../support/database";
import { expectRefusal, expectStatus, useProgram } from "../../support/program";
import { useUsers } from "../../support/users";
import example from "./example.yaml";

const database = useDatabase();
const program = useProgram(database);

const { ann, bob } = useUsers(database, "ann", "bob");
let pool: Pool;
beforeAll(() => {
  pool = connect(database.url, { max: 2, name: "platform", camel: true });
});
afterAll(() => pool.end());

const aSuite = (fields = {}) => ({
  name: "Greetings",
  templateService: "chat",
  templateName: "chat_default",
  ...fields,
});
const aTest = (fields = {}) => ({
  name: "greet",
  prompt: "Greet.",
  expectedOutput: { assertions: [{ diff_type: "added", entity: "messages" }] },
  ...fields,
});
const create = async (fields: object, as: Record<string, string>) => {
  const answer = await program.post("/testSuites", aSuite(fields), as);
  expectStatus(answer, 201);
  return answer.body.suiteId as string;
};
const names = (body: any) => body.testSuites.map(({ name }: { name: string }) => name);

describe("a suite", () => {
  test("is created, read, and given tests", async () => {
    const created = await program.post(
      "/testSuites",
      aSuite({ description: "Say hello", impersonateUserId: "U01AGENTONE" }),
      ann,
    );
    expectStatus(created, 201);
    const { suiteId } = created.body;
    expect(created.body).toEqual({ suiteId: expect.any(String), name: "Greetings" });
    expect((await program.get(`/testSuites/${suiteId}`, ann)).body).toEqual({
      id: suiteId,
      name: "Greetings",
      description: "Say hello",
      testCount: 0,
    });

    const first = aTest();
    const second = aTest({ name: "as John", impersonateUserId: "U02JOHNADOE" });
    const added = await program.post(
      `/testSuites/${suiteId}/tests`,
      { tests: [first, second] },
      ann,
    );

    expectStatus(added, 201);
    expect(added.body).toEqual({
      suiteId,
      testCount: 2,
      tests: [
        { id: expect.any(String), ...first },
        { id: expect.any(String), ...second },
      ],
    });
    expect((await program.get(`/testSuites/${suiteId}?expand=true`, ann)).body).toEqual({
      id: suiteId,
      name: "Greetings",
      description: "Say hello",
      templateService: "chat",
      templateName: "chat_default",
      impersonateUserId: "U01AGENTONE",
      tests: added.body.tests,
    });
    const [, { id }] = added.body.tests;
    expect((await program.get(`/tests/${id}`, ann)).body).toEqual({
      id,
      suiteId,
      ...second,
      renderedPrompt: second.prompt,
      templateService: "chat",
      templateName: "chat_default",
    });
  });

  test("is read by ids with dashes, and for the SDK agent-diff in its words", async () => {
    const dashed = (id: string) => id.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
    const given = { ...aTest(), surfaces: null, unknown: null };
    const suiteId = await create({ templateService: "slack", tests: [given] }, ann);
    const whole = (await program.get(`/testSuites/${dashed(suiteId)}?expand=true`, ann)).body;
    const [{ id }] = whole.tests;
    const asked = { headers: ann as Record<string, string> };
    const url = `${program.url}/api/platform/testSuites/${dashed(suiteId)}?expand=tests`;
    const theirs: any = await (await fetch(url, asked)).json();
    const environment = { testId: dashed(id), impersonateUserId: "U01AGENTONE" };

    expect(whole).toMatchObject({ id: suiteId, templateService: "chat" });
    expect((await program.get(`/tests/${dashed(id)}`, ann)).body).toMatchObject({ id });
    expectStatus(await program.post("/initEnv", environment, ann), 201);
    const times = { created_at: expect.any(String), updated_at: expect.any(String) };
    const [test] = whole.tests;
    expect(theirs).toEqual({
      ...{ ...whole, owner: "ann", visibility: "private", ...times },
      tests: [
        {
          ...{ ...test, ...times, type: "actionEval", seed_template: "chat_default" },
          expected_output: given.expectedOutput,
        },
      ],
    });
    for (const id of [dashed(suiteId).toUpperCase(), dashed(suiteId).slice(1)])
      expectRefusal(await program.get(`/testSuites/${id}`, ann), 404, "suite_not_found");
  });

  test("is found by a part of its name, literally", async () => {
    await create({ name: "100% sure" }, ann);
    await create({ name: "under_score" }, ann);
    expect(names((await program.get("/testSuites?name=100%25", ann)).body)).toEqual(["100% sure"]);
    expect(names((await program.get("/testSuites?name=R_S", ann)).body)).toEqual(["under_score"]);
    expect(names((await program.get("/testSuites?name=%25%27", ann)).body)).toEqual([]);
  });

  test("is listed newest first, in pages that add up to the whole list", async () => {
    for (let n = 0; n < 7; n++) await create({ name: `page ${n}` }, ann);
    const whole = names((await program.get("/testSuites?name=page", ann)).body);
    expect(whole).toEqual([6, 5, 4, 3, 2, 1, 0].map((n) => `page ${n}`));
    for (const limit of [1, 3, 7, 100]) {
      const pages: string[] = [];
      let cursor = "";
      do {
        const { body } = await program.get(`/testSuites?name=page&limit=${limit}${cursor}`, ann);
        expect(body.testSuites.length).toBeLessThanOrEqual(limit);
        pages.push(...names(body));
        cursor = body.nextCursor === undefined ? "" : `&cursor=${body.nextCursor}`;
      } while (cursor !== "");
      expect(pages).toEqual(whole);
    }
  });

  test("rejects a cursor of another list or user", async () => {
    await create({ name: "cursor 1" }, ann);
    await create({ name: "cursor 2" }, ann);
    const { nextCursor } = (await program.get("/testSuites?name=cursor&limit=1", ann)).body;
    const [scope, at, id] = Buffer.from(nextCursor, "base64url").toString().split("|");
    const forged = (...parts: (string | undefined)[]) =>
      Buffer.from(parts.join("|")).toString("base64url");
    for (const [path, as] of [
      [`/testSuites?cursor=${forged(scope, "2026-99-99 99:99:99+00", id)}`, ann],
      [`/testSuites?cursor=${forged(scope, "2026-02-30 00:00:00+00", id)}`, ann],
      [`/testSuites?cursor=${forged(scope, at, "\0")}`, ann],
      [`/testSuites?cursor=${nextCursor}`, bob],
      [`/templates?cursor=${nextCursor}`, ann],
      ["/testSuites?cursor=nonsense", ann],
    ] as const)
      expectRefusal(
        await program.get(path, as),
        400,
        "invalid_request",
        "cursor: it does not belong to this list",
      );
    for (const limit of ["0", "1001", "-1", "x"])
      expectRefusal(await program.get(`/testSuites?limit=${limit}`, ann), 400, "invalid_request");
  });
});

describe("another user's suite", () => {
  test("does not exist when it is private", async () => {
    const suiteId = await create({ name: "secret", tests: [aTest()] }, ann);
    const { tests } = (await program.get(`/testSuites/${suiteId}?expand=true`, ann)).body;
    const testId = tests[0].id;

    expectRefusal(await program.get(`/testSuites/${suiteId}`, bob), 404, "suite_not_found");
    expectRefusal(await program.get(`/testSuites/${suiteId}/results`, bob), 404, "suite_not_found");
    expectRefusal(
      await program.post(`/testSuites/${suiteId}/tests`, { tests: [aTest()] }, bob),
      404,
      "suite_not_found",
    );
    expectRefusal(await program.get(`/tests/${testId}`, bob), 404, "test_not_found");
    expectRefusal(await program.post("/initEnv", { testId }, bob), 404, "test_not_found");
    const { environmentId: envId } = await program.environment({}, bob);
    for (const [wanted, code] of [
      [{ testId }, "test_not_found"],
      [{ testSuiteId: suiteId }, "suite_not_found"],
    ] as const)
      expectRefusal(await program.post("/startRun", { envId, ...wanted }, bob), 404, code);
    for (const query of ["", "?visibility=private", "?name=secret"])
      expect(names((await program.get(`/testSuites${query}`, bob)).body)).not.toContain("secret");
  });

  test("can be read and run, and not changed, when it is public", async () => {
    const suiteId = await create({ name: "open", visibility: "public", tests: [aTest()] }, ann);
    expect(names((await program.get("/testSuites?visibility=public", bob)).body)).toContain("open");
    expect(names((await program.get("/testSuites?visibility=private", ann)).body)).not.toContain(
      "open",
    );
    expectStatus(await program.get(`/testSuites/${suiteId}`, bob), 200);
    expectRefusal(
      await program.post(`/testSuites/${suiteId}/tests`, { tests: [aTest()] }, bob),
      404,
      "suite_not_found",
    );
    expect((await program.get(`/testSuites/${suiteId}`, ann)).body.testCount).toBe(1);
  });
});

describe("an invalid part is rejected, and nothing is stored", () => {
  const wrong = (fields: object) => aTest(fields);
  const asserting = (assertion: object) =>
    wrong({ name: "off", expectedOutput: { assertions: [assertion] } });

  test.each([
    [aSuite({ name: "" }), 400, "invalid_request"],
    [aSuite({ visibility: "secret" }), 400, "invalid_request"],
    [aSuite({ templateService: "billing" }), 400, "invalid_service"],
    [aSuite({ templateName: "chat_nothing" }), 404, "template_not_found"],
    [aSuite({ impersonateUserId: "U99" }), 400, "impersonate_not_found"],
    [aSuite({ tests: [wrong({ impersonateUserId: "U99" })] }), 400, "impersonate_not_found"],
    [aSuite({ tests: [wrong({ templateName: "nothing" })] }), 404, "template_not_found"],
    [aSuite({ tests: [wrong({ prompt: "" })] }), 400, "invalid_request"],
    [aSuite({ tests: [wrong({ expectedOutput: [] })] }), 400, "invalid_assertion"],
  ])("in a new suite: %#", async (body, status, code) => {
    const before = names((await program.get("/testSuites", ann)).body).length;
    expectRefusal(await program.post("/testSuites", body, ann), status, code);
    expect(names((await program.get("/testSuites", ann)).body)).toHaveLength(before);
  });

  test.each([
    [{ tests: [] }, 400, "invalid_request"],
    [{ tests: {} }, 400, "invalid_request"],
    [{ tests: [null] }, 400, "invalid_request"],
    [{}, 400, "invalid_request"],
    [{ tests: Array.from({ length: 1_001 }, () => aTest()) }, 400, "invalid_request"],
    [
      { tests: [aTest(), asserting({ diff_type: "added", entity: "issues" })] },
      400,
      "invalid_assertion",
    ],
    [
      {
        tests: [
          asserting({ diff_type: "added", entity: "messages", where: { text: { regex: "(a" } } }),
        ],
      },
      400,
      "invalid_assertion",
    ],
    [
      { tests: [wrong({ expectedOutput: { assertions: Array(10_000).fill({}) } })] },
      400,
      "invalid_assertion",
    ],
    [{ tests: [wrong({ prompt: "x".repeat(1_100_000) })] }, 413, "request_too_large"],
  ])("in added tests: %#", async (body, status, code) => {
    const suiteId = await create({ name: "whole" }, ann);
    const path = `/testSuites/${suiteId}/tests`;
    expectRefusal(await program.post(path, body, ann), status, code);
    expect((await program.get(`/testSuites/${suiteId}`, ann)).body.testCount).toBe(0);
  });

  test("with the test, the place and the nearest name", async () => {
    const body = aSuite({
      tests: [asserting({ diff_type: "added", entity: "messages", where: { chanel_id: "C1" } })],
    });
    expectRefusal(
      await program.post("/testSuites", body, ann),
      400,
      "invalid_assertion",
      'test "off": assertion 1: where: messages has no column "chanel_id"; the nearest is "channel_id"',
    );
  });

  test("an unknown id", async () => {
    for (const id of ["0".repeat(32), "' or 1=1", "%00"]) {
      expectRefusal(
        await program.get(`/testSuites/${encodeURIComponent(id)}`),
        404,
        "suite_not_found",
      );
      expectRefusal(await program.get(`/tests/${encodeURIComponent(id)}`), 404, "test_not_found");
    }
    expectRefusal(
      await program.post("/testSuites/x/tests", { tests: [aTest()] }),
      404,
      "suite_not_found",
    );
  });

  test("a public suite on a private template", async () => {
    const { environmentId } = await program.environment({}, ann);
    const saved = { environmentId, service: "chat", name: "anns_own" };
    expectStatus(await program.post("/templates", saved, ann), 201);
    const wanted = aSuite({ templateName: "anns_own", visibility: "public" });
    expectRefusal(await program.post("/testSuites", wanted, ann), 400, "invalid_request");
    expectStatus(await program.post("/testSuites", { ...wanted, visibility: "private" }, ann), 201);
  });
});

test("tests that are added at the same time are all stored", async () => {
  const suiteId = await create({ name: "busy" }, ann);
  const answers = await Promise.all(
    Array.from({ length: 10 }, (_, n) =>
      program.post(`/testSuites/${suiteId}/tests`, { tests: [aTest({ name: `${n}` })] }, ann),
    ),
  );
  const counts = answers.map(({ body }) => body.testCount).toSorted((a, b) => a - b);
  expect(counts).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
});

test("a test brings its service, template and user into an environment", async () => {
  const suiteId = await create(
    {
      impersonateUserId: "U02JOHNADOE",
      tests: [aTest(), aTest({ impersonateUserId: "U03ROBINRAY" })],
    },
    ann,
  );
  const { tests } = (await program.get(`/testSuites/${suiteId}?expand=true`, ann)).body;
  for (const [test, user] of [
    [tests[0], "john"],
    [tests[1], "robin"],
  ] as const) {
    const { body } = await program.post("/initEnv", { testId: test.id }, ann);
    expect(body).toMatchObject({ service: "chat", templateSchema: "chat_default" });
    const answer = await fetch(`${program.url}${body.environmentUrl}/auth.test`, {
      method: "POST",
      headers: { Authorization: `Bearer ${body.token}` },
    });
    expect(await answer.json()).toMatchObject({ ok: true, user });
  }
  const nobody = await create({ tests: [aTest()] }, ann);
  const [lone] = (await program.get(`/testSuites/${nobody}?expand=true`, ann)).body.tests;
  expectRefusal(
    await program.post("/initEnv", { testId: lone.id }, ann),
    400,
    "missing_impersonate",
  );
});

test("results sum up the latest run of each test", async () => {
  const suiteId = await create(
    {
      impersonateUserId: "U01AGENTONE",
      tests: [
        aTest({ name: "a" }),
        aTest({ name: "b" }),
        aTest({ name: "c" }),
        aTest({ name: "d" }),
        aTest({ name: "e" }),
        aTest({ name: "f" }),
      ],
    },
    ann,
  );
  const { tests } = (await program.get(`/testSuites/${suiteId}?expand=true`, ann)).body;
  const run = async (testId: string, solve: boolean, end = true) => {
    const environment = (await program.post("/initEnv", { testId }, ann)).body;
    const started = await program.post(
      "/startRun",
      { envId: environment.environmentId, testId, testSuiteId: suiteId },
      ann,
    );
    if (solve)
      await fetch(`${program.url}${environment.environmentUrl}/chat.postMessage`, {
        method: "POST",
        headers: {
          "Content-Type": "application/json",
          Authorization: `Bearer ${environment.token}`,
        },
        body: JSON.stringify({ channel: "C01GENERAL", text: "hi" }),
      });
    if (end) await program.post("/evaluateRun", { runId: started.body.runId }, ann);
    return started.body.runId;
  };
  const [a, b, c] = tests;
  await run(a.id, false);
  const solved = await run(a.id, true);
  const unsolved = await run(b.id, false);
  const open = await run(c.id, true, false);

  const { body } = await program.get(`/testSuites/${suiteId}/results`, ann);

  expect(body).toMatchObject({
    suiteId,
    testCount: 6,
    passed: 1,
    failed: 1,
    running: 1,
    notRun: 3,
    percent: 16.67,
    results: [
      {
        name: "a",
        runId: solved,
        status: "passed",
        passed: true,
        execution_time: expect.any(Number),
      },
      { name: "b", runId: unsolved, status: "failed", score: { passed: 0, total: 1, percent: 0 } },
      { name: "c", runId: open, status: "running", passed: null },
      ...["d", "e", "f"].map((name) => ({ name, runId: null, status: null })),
    ],
  });
  const listed = await program.get(`/runs?testSuiteId=${suiteId}&limit=2`, ann);
  expect(listed.body.runs.map(({ runId }: { runId: string }) => runId)).toEqual([open, unsolved]);
  const failed = await program.get(`/runs?testSuiteId=${suiteId}&status=failed`, ann);
  expect(failed.body.runs).toHaveLength(2);
  expect((await program.get(`/runs?testSuiteId=${suiteId}`, bob)).body.runs).toEqual([]);
});

describe("the built-in suites", () => {
  const store = (file: unknown) => {
    const templates = createTemplates({
      pool,
      replicas: pool,
      builders: createBuilders(pool, false),
      newId: randomId,
    });
    return storeBuiltinSuites(pool, templates, createLog({ level: "error" }), [file]);
  };

  test("are public, stored once per content, and keep their ids", async () => {
    expect(await store(example)).toEqual(["Example"]);
    expect(await store(example)).toEqual([]);
    const find = async () =>
      (await program.get("/testSuites?name=Example&visibility=public", bob)).body.testSuites[0];
    const before = await find();
    expect(before).toMatchObject({
      visibility: "public",
      testCount: readSuite(example).tests!.length,
    });
    const testsOf = async () =>
      (await program.get(`/testSuites/${before.id}?expand=true`, bob)).body.tests;
    const [first] = await testsOf();

    const changed = { ...readSuite(example), description: "Changed" };
    expect(await store(changed)).toEqual(["Example"]);

    expect(await find()).toEqual({ ...before, description: "Changed" });
    expect((await testsOf())[0]).toEqual(first);
    expectRefusal(
      await program.post(`/testSuites/${before.id}/tests`, { tests: [aTest()] }, ann),
      404,
      "suite_not_found",
    );
  });

  test("must fit their shape, with each test named once", () => {
    expect(() => readSuite({ name: "x" })).toThrow("templateService");
    expect(() => readSuite(aSuite({ tests: [aTest(), aTest()] }))).toThrow(
      'two tests are named "greet"',
    );
  });
});

test("the assertion schema accepts what the server accepts", async () => {
  const { body } = await program.get("/assertion-schema");
  const { default: Ajv2020 } = await import("ajv/dist/2020");
  const validate = new Ajv2020({ strict: false }).compile(body);
  for (const { expectedOutput } of readSuite(example).tests ?? [])
    expect([validate(expectedOutput), validate.errors]).toEqual([true, null]);
  for (const wrong of [{}, { assertions: [{ diff_type: "added" }] }, { assertions: [], extra: 1 }])
    expect(validate(wrong)).toBe(false);
  const bad = { diff_type: "added", entity: "messages", where: { text: { containz: "x" } } };
  expect(validate({ assertions: [bad] })).toBe(false);
});
