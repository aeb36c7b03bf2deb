/** Changes of suites and tests: by their owners, checked as new ones are, all or nothing. */
import { describe, expect, test } from "bun:test";
import { useDatabase } from "../../support/database";
import { expectRefusal, expectStatus, useProgram } from "../../support/program";
import { useUsers } from "../../support/users";

const database = useDatabase();
const program = useProgram(database);

const { ann, bob } = useUsers(database, "ann", "bob");

const SAID = { assertions: [{ diff_type: "added", entity: "messages" }] };
const aTest = (name: string, fields = {}) => ({
  name,
  prompt: "Greet.",
  expectedOutput: SAID,
  ...fields,
});
let number = 0;
const aSuite = (...tests: object[]) => ({
  name: `Suite ${number++}`,
  templateService: "chat",
  templateName: "chat_default",
  impersonateUserId: "U01AGENTONE",
  tests,
});
const whole = async (suiteId: string) =>
  (await program.get(`/testSuites/${suiteId}?expand=true`, ann)).body;
async function create(...tests: object[]) {
  const { body } = await program.post("/testSuites", aSuite(...tests), ann);
  return { suiteId: body.suiteId as string, ids: (await whole(body.suiteId)).tests.map(idOf) };
}
const idOf = ({ id }: { id: string }) => id;
const patch = (path: string, body: object, as = ann) => program.call("PATCH", path, body, as);
const remove = (path: string, as = ann) => program.call("DELETE", path, undefined, as);

describe("a suite", () => {
  test("changes in the given fields only", async () => {
    const { suiteId, ids } = await create(aTest("a"));
    const before = await whole(suiteId);

    const changed = await patch(`/testSuites/${suiteId}`, {
      name: "Renamed",
      impersonateUserId: "U02JOHNADOE",
    });

    expectStatus(changed, 200);
    expect(changed.body).toMatchObject({ id: suiteId, name: "Renamed", testCount: 1 });
    expect(await whole(suiteId)).toEqual({
      ...before,
      name: "Renamed",
      impersonateUserId: "U02JOHNADOE",
    });
    const nobody = await patch(`/testSuites/${suiteId}`, { impersonateUserId: null });
    expect(nobody.body.impersonateUserId).toBeNull();
    const answer = await program.post("/initEnv", { testId: ids[0] }, ann);
    expectRefusal(answer, 400, "missing_impersonate");
  });

  test("changes to a template only if all its tests fit it", async () => {
    const environment = await program.environment({ templateName: "chat_base" }, ann);
    const saved = { environmentId: environment.environmentId, service: "chat", name: "anns" };
    expectStatus(await program.post("/templates", saved, ann), 201);
    const { suiteId } = await create(aTest("as Robin", { impersonateUserId: "U03ROBINRAY" }));

    expectStatus(await patch(`/testSuites/${suiteId}`, { templateName: "anns" }), 200);
    expectRefusal(
      await patch(`/testSuites/${suiteId}`, { visibility: "public" }),
      400,
      "invalid_request",
      "templateName: a public suite needs a public template",
    );
    expectRefusal(
      await patch(`/testSuites/${suiteId}`, { templateName: "chat_bench_default" }),
      400,
      "impersonate_not_found",
    );
    expect((await whole(suiteId)).templateName).toBe("anns");
  });

  test("is deleted with its tests; the results of its runs stay", async () => {
    const { suiteId, ids } = await create(aTest("a"));
    const environment = (await program.post("/initEnv", { testId: ids[0] }, ann)).body;
    const envId = environment.environmentId;
    const started = await program.post(
      "/startRun",
      { envId, testId: ids[0], testSuiteId: suiteId },
      ann,
    );

    const deleted = await remove(`/testSuites/${suiteId}`);

    expectStatus(deleted, 200);
    expect(deleted.body).toEqual({ suiteId, status: "deleted" });
    expectRefusal(await program.get(`/testSuites/${suiteId}`, ann), 404, "suite_not_found");
    expectRefusal(await program.get(`/tests/${ids[0]}`, ann), 404, "test_not_found");
    expectRefusal(await remove(`/testSuites/${suiteId}`), 404, "suite_not_found");
    const { runId } = started.body;
    const verdict = await program.post("/evaluateRun", { runId }, ann);
    expect(verdict.body).toMatchObject({ status: "failed", score: { total: 1 } });
    expect((await program.get(`/results/${runId}`, ann)).body.status).toBe("failed");
  });
});

describe("a test", () => {
  test("changes in the given fields, and null takes those of its suite", async () => {
    const own = { templateName: "chat_base", impersonateUserId: "U02JOHNADOE", surfaces: ["api"] };
    const { suiteId, ids } = await create(aTest("a", own), aTest("b"));

    const changed = await patch(`/tests/${ids[0]}`, { prompt: "Wave.", surfaces: ["api", "mcp"] });
    expectStatus(changed, 200);
    const expected = aTest("a", { ...own, prompt: "Wave.", surfaces: ["api", "mcp"] });
    expect(changed.body).toEqual({ id: ids[0], ...expected });
    await patch(`/tests/${ids[0]}`, {
      templateName: null,
      impersonateUserId: null,
      surfaces: null,
      name: "c",
    });

    expect((await whole(suiteId)).tests).toEqual([
      { id: ids[0], ...aTest("c", { prompt: "Wave." }) },
      { id: ids[1], ...aTest("b") },
    ]);
  });

  test("does not change in an active run", async () => {
    const { ids } = await create(aTest("a"));
    const [testId] = ids;
    const environment = (await program.post("/initEnv", { testId }, ann)).body;
    const started = { envId: environment.environmentId, testId };
    const { runId } = (await program.post("/startRun", started, ann)).body;
    await patch(`/tests/${testId}`, {
      expectedOutput: { assertions: [{ ...SAID.assertions[0], expected_count: 0 }] },
    });
    const { body } = await program.post("/evaluateRun", { runId }, ann);
    expect(body.failures).toEqual(["assertion#1 messages expected count at least 1 but got 0"]);
  });

  test("keeps a spec that is no longer accepted", async () => {
    const { suiteId, ids } = await create(aTest("old"));
    await database.sql`
      update diorama.tests set expected_output = '{"assertions":[]}' where test_id = ${ids[0]}
    `;
    expectStatus(await patch(`/tests/${ids[0]}`, { prompt: "Anew." }), 200);
    expectStatus(await patch(`/testSuites/${suiteId}`, { templateName: "chat_base" }), 200);
    expectRefusal(
      await patch(`/tests/${ids[0]}`, { expectedOutput: { assertions: [], strict: true } }),
      400,
      "invalid_assertion",
    );
  });

  test("is deleted from its suite", async () => {
    const { suiteId, ids } = await create(aTest("a"), aTest("b"));
    expect((await remove(`/tests/${ids[0]}`)).body).toEqual({ testId: ids[0], status: "deleted" });
    expect((await whole(suiteId)).tests.map(idOf)).toEqual([ids[1]]);
    expectRefusal(await remove(`/tests/${ids[0]}`), 404, "test_not_found");
  });
});

test("of another user or built in does not change", async () => {
  const { body } = await program.post(
    "/testSuites",
    { ...aSuite(aTest("a")), visibility: "public" },
    ann,
  );
  const [theirs] = (await whole(body.suiteId)).tests.map(idOf);
  const { testSuites } = (await program.get("/testSuites?name=Chat%20benchmark")).body;
  const builtin = testSuites.find(({ name }: { name: string }) => name === "Chat benchmark").id;
  const [builtinTest] = (await whole(builtin)).tests.map(idOf);
  for (const [path, what, why] of [
    [`/testSuites/${body.suiteId}`, "suite", "only its owner changes it"],
    [`/tests/${theirs}`, "test", "only its owner changes it"],
    [`/testSuites/${builtin}`, "suite", "a built-in one cannot be changed"],
    [`/tests/${builtinTest}`, "test", "a built-in one cannot be changed"],
  ] as const)
    for (const answer of [await patch(path, { name: "x" }, bob), await remove(path, bob)])
      expectRefusal(answer, 404, `${what}_not_found`, `You have no such ${what}; ${why}`);
  expect((await whole(builtin)).tests).toHaveLength(20);
});

describe("an import", () => {
  const importing = async (body: object, as = ann) =>
    await program.post("/testSuites/import", body, as);

  test("creates a suite, and brings it up to date by its name", async () => {
    const suite = aSuite(aTest("a"), aTest("b"), aTest("c"));
    const first = await importing(suite);
    expectStatus(first, 200);
    expect(first.body).toMatchObject({ outcome: "created", tests: { created: ["a", "b", "c"] } });
    const { suiteId } = first.body;
    const [a, b, c] = (await whole(suiteId)).tests.map(idOf);
    expect((await importing(suite)).body).toMatchObject({ suiteId, outcome: "unchanged" });

    const wanted = { ...suite, tests: [aTest("c", { prompt: "New." }), aTest("d"), aTest("a")] };
    const second = await importing(wanted);

    expect(second.body).toEqual({
      suiteId,
      name: suite.name,
      outcome: "changed",
      tests: { created: ["d"], changed: ["c"], unchanged: ["a"], removed: [], kept: ["b"] },
    });
    const stored = (await whole(suiteId)).tests;
    expect(stored.map(idOf)).toEqual([c, expect.any(String), a, b]);
    const third = await importing({ ...wanted, prune: true, impersonateUserId: "U02JOHNADOE" });
    expect(third.body).toMatchObject({ outcome: "changed", tests: { removed: ["b"], kept: [] } });
    expect(await whole(suiteId)).toMatchObject({
      impersonateUserId: "U02JOHNADOE",
      tests: stored.slice(0, 3),
    });
  });

  test("keeps the visibility, and may change the service with all tests", async () => {
    const suite = aSuite(aTest("a"));
    const { suiteId } = (await importing({ ...suite, visibility: "public" })).body;
    const { id: impersonateUserId } = (
      await database.sql`
        select user_id as id from (
          select acting_user_id as user_id from diorama.suites where name = 'Tracker benchmark'
        ) s
      `
    )[0] as { id: string };
    const moved = {
      ...suite,
      templateService: "tracker",
      templateName: "tracker_expanded",
      impersonateUserId,
      tests: [
        aTest("b", { expectedOutput: { assertions: [{ diff_type: "added", entity: "issues" }] } }),
      ],
    };

    expectRefusal(await importing(moved), 400, "invalid_assertion");
    expectStatus(await importing({ ...moved, prune: true }), 200);

    const { body } = await program.get(`/testSuites?name=${encodeURIComponent(suite.name)}`, bob);
    expect(body.testSuites).toMatchObject([
      { id: suiteId, templateService: "tracker", testCount: 1, visibility: "public" },
    ]);
  });

  test("pairs tests of the same name in their order", async () => {
    const suite = aSuite(aTest("same"), aTest("same", { prompt: "2" }));
    const { suiteId } = (await importing(suite)).body;
    const ids = (await whole(suiteId)).tests.map(idOf);
    const { body } = await importing({ ...suite, tests: [aTest("same")], prune: true });
    expect(body.tests).toMatchObject({ unchanged: ["same"], removed: ["same"] });
    expect((await whole(suiteId)).tests.map(idOf)).toEqual([ids[0]]);
  });

  test("leaves suites of other users alone, and names several of one's own", async () => {
    const suite = { ...aSuite(), visibility: "public" };
    const theirs = (await importing(suite, bob)).body.suiteId;
    const mine = (await importing(suite)).body;
    expect(mine).toMatchObject({ outcome: "created" });
    expect(mine.suiteId).not.toBe(theirs);
    const { suiteId } = (await program.post("/testSuites", suite, ann)).body;
    expectRefusal(
      await importing(suite),
      400,
      "invalid_request",
      `name: you have several suites of that name: ${mine.suiteId}, ${suiteId}`,
    );
  });

  test("at the same time creates one suite, and loses no test", async () => {
    const suite = aSuite();
    const answers = await Promise.all(
      ["a", "b", "c", "d"].map((name) => importing({ ...suite, tests: [aTest(name)] })),
    );
    const stored = answers.filter(({ status }) => status === 200);
    expect(stored.length).toBeGreaterThan(0);
    expect(new Set(stored.map(({ body }) => body.suiteId)).size).toBe(1);
    for (const { status } of answers) expect([200, 503]).toContain(status);
    const { tests } = await whole(stored[0]!.body.suiteId);
    const names = tests.map(({ name }: { name: string }) => name).toSorted();
    expect(names).toEqual(stored.flatMap(({ body }) => body.tests.created).toSorted());
  });
});
