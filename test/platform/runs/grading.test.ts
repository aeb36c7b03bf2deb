/** Diffs that are kept and graded later, with both kinds of capturing. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { kindsOfCapturing } from "../../support/clusters";
import {
  createDatabase,
  dropDatabase,
  type TestDatabase,
  useDatabase,
} from "../../support/database";
import {
  expectRefusal,
  expectStatus,
  startTestProgram,
  type TestProgram,
  useProgram,
} from "../../support/program";

describe.each(await kindsOfCapturing())("with $name", ({ cluster, settings }) => {
  let database: TestDatabase;
  let program: TestProgram;

  beforeAll(async () => {
    database = await createDatabase(cluster);
    program = await startTestProgram(database, settings);
  });
  afterAll(async () => await dropDatabase(database));

  const started = async () => {
    const environment = await program.environment();
    const answer = await program.post("/startRun", { envId: environment.environmentId });
    expectStatus(answer, 201);
    return { environment, runId: answer.body.runId as string };
  };

  test.each([
    ["its results are read", async () => {}],
    ["maintenance has ended it", async () => await program.program.maintenance.cycle()],
  ])("a run of an expired environment keeps its diff, when %s", async (_, close) => {
    const { environment, runId } = await started();
    await program.chat(environment, "chat.postMessage", { channel: "C01GENERAL", text: "kept" });
    await database.sql`
      update diorama.environments set expires_at = now() where environment_id = ${environment.environmentId}
    `;

    await close();

    expect((await program.get(`/results/${runId}`)).body).toMatchObject({
      status: "failed",
      failures: ["run abandoned: environment expired"],
      diff: { inserts: [{ text: "kept" }], updates: [], deletes: [] },
      gradable: true,
      cause: "environment_expired",
    });
  });

  const said = (text: string, expected_count = 1) => ({
    diff_type: "added",
    entity: "messages",
    where: { text },
    expected_count,
  });
  const edited = (expected_changes: object) => ({
    diff_type: "changed",
    entity: "messages",
    where: { user_id: "U01AGENTONE", channel_id: "C02RANDOM" },
    expected_changes,
  });
  /** A run with a new message and a changed one. */
  const worked = async () => {
    const { environment, runId } = await started();
    await program.chat(environment, "chat.postMessage", { channel: "C01GENERAL", text: "hi" });
    await program.chat(environment, "chat.update", {
      channel: "C02RANDOM",
      ts: "1767607800.990316",
      text: "Dinner",
    });
    return { environment, runId };
  };

  test.each(["diffRun", "evaluateRun", "expiry"])(
    "a run that was ended by %s is graded again, with the columns that did not change",
    async (end) => {
      const { environment, runId } = await worked();
      const { environmentId } = environment;
      const own = { assertions: [said("bye")] };
      if (end === "diffRun") await program.post("/diffRun", { runId });
      if (end === "evaluateRun") await program.post("/evaluateRun", { runId, expectedOutput: own });
      if (end === "expiry")
        await database.sql`
          update diorama.environments set expires_at = now() where environment_id = ${environmentId}
        `;
      else await program.call("DELETE", `/env/${environmentId}`);
      const before = (await program.get(`/results/${runId}`)).body;

      const grade = (...assertions: object[]) =>
        program.post(`/runs/${runId}/evaluate`, { expectedOutput: { assertions } });
      const good = await grade(said("hi"), edited({ text: { to: "Dinner" } }));
      const bad = await grade(said("bye"), edited({ text: { to: "Lunch" } }));

      expectStatus(good, 200);
      expect(good.body).toMatchObject({
        runId,
        testId: null,
        status: "passed",
        passed: true,
        score: { passed: 2, total: 2, percent: 100 },
        failures: [],
      });
      expect(bad.body.failures).toEqual([
        "assertion#1 messages expected count 1 but got 0",
        "assertion#2 messages expected count at least 1 but got 0",
      ]);
      expect(bad.body.evaluationId).not.toBe(good.body.evaluationId);
      const listed = await program.get(`/runs/${runId}/evaluations`);
      expect(listed.body).toEqual({ runId, evaluations: [bad.body, good.body] });
      const page = (await program.get(`/runs/${runId}/evaluations?limit=1`)).body;
      expect(page.evaluations).toEqual([bad.body]);
      const next = await program.get(`/runs/${runId}/evaluations?cursor=${page.nextCursor}`);
      expect(next.body.evaluations).toEqual([good.body]);
      const after = (await program.get(`/results/${runId}`)).body;
      expect(after.status).toBe(end === "diffRun" ? "completed" : "failed");
      if (end !== "expiry") expect(after).toEqual(before);
    },
  );

  test("grading again gives the verdict that evaluateRun gives, also on unchanged rows it has kept", async () => {
    const unchanged = (where: object) => ({ diff_type: "unchanged", entity: "messages", where });
    const { runId } = await worked();
    const expectedOutput = {
      assertions: [
        { ...unchanged({ channel_id: "C01GENERAL" }), expected_count: 2 },
        edited({ text: { from: "Dinner" } }),
      ],
      closed_world: true,
    };
    const first = (await program.post("/evaluateRun", { runId, expectedOutput })).body;

    const again = (await program.post(`/runs/${runId}/evaluate`, { expectedOutput })).body;

    const { score, failures, explanations } = first;
    expect(failures).toHaveLength(3);
    expect(again).toMatchObject({ score, failures, explanations, status: "failed" });
    const own = (await program.post(`/runs/${runId}/evaluate`, {})).body;
    expect(own).toMatchObject({ score, failures, explanations });
    const other = { assertions: [said("hi"), unchanged({ channel_id: "C02RANDOM" })] };
    expectRefusal(
      await program.post(`/runs/${runId}/evaluate`, { expectedOutput: other }),
      400,
      "invalid_assertion",
      expect.stringMatching(/^assertion 2: the unchanged rows of messages are not stored/) as never,
    );
  });
});

describe("grading again", () => {
  const database = useDatabase();
  const program = useProgram(database);
  const suiteOf = async (templateService: string, templateName: string, entity: string) => {
    const created = await program.post("/testSuites", {
      ...{ name: "again", templateService, templateName },
      tests: [
        {
          name: "added",
          prompt: "Add.",
          expectedOutput: { assertions: [{ diff_type: "added", entity }] },
        },
      ],
    });
    const { suiteId } = created.body;
    const { tests } = (await program.get(`/testSuites/${suiteId}?expand=true`)).body;
    return tests[0].id as string;
  };
  const ended = async () => {
    const environment = await program.environment();
    const envId = environment.environmentId;
    const { runId } = (await program.post("/startRun", { envId })).body;
    await program.chat(environment, "chat.postMessage", { channel: "C01GENERAL", text: "hi" });
    await program.post("/diffRun", { runId });
    return runId as string;
  };

  test("uses a stored test, as it is now", async () => {
    const testId = await suiteOf("chat", "chat_default", "messages");
    const runId = await ended();

    const { body } = await program.post(`/runs/${runId}/evaluate`, { testId });

    expect(body).toMatchObject({ runId, testId, status: "passed" });
    expectRefusal(await program.post(`/runs/${runId}/evaluate`, {}), 400, "no_test_defined");
  });

  test("in a world finds the unchanged rows of the service that is named, however it is named", async () => {
    const { environmentId: envId } = await program.environment({
      ...{ templateService: "world", templateName: "acme", impersonateEmail: "agent@acme.test" },
      impersonateUserId: undefined,
    });
    const { runId } = (await program.post("/startRun", { envId })).body;
    const of = (named: object) => ({ assertions: [{ diff_type: "unchanged", ...named }] });
    const ofChat = of({ service: "chat", entity: "users" });
    expectStatus(await program.post("/evaluateRun", { runId, expectedOutput: ofChat }), 200);
    const grade = (expectedOutput: object) =>
      program.post(`/runs/${runId}/evaluate`, { expectedOutput });

    expectRefusal(
      await grade(of({ service: "tracker", entity: "users" })),
      400,
      "invalid_assertion",
      expect.stringMatching(/^assertion 1: the unchanged rows of tracker_users are/) as never,
    );
    for (const same of [ofChat, of({ entity: "chat_users" })])
      expect((await grade(same)).body).toMatchObject({ passed: true });
  });

  test("works when the environment's schema and its template are gone", async () => {
    const runId = await ended();
    await database.sql`update diorama.environments set schema_name = 'env_gone'`;
    const server = await startTestProgram(database);

    const { body } = await server.post(`/runs/${runId}/evaluate`, {
      expectedOutput: { assertions: [{ diff_type: "added", entity: "messages" }] },
    });

    expect(body).toMatchObject({ status: "passed" });
    await server.program.stop();
  });

  test("is rejected with its reason where it is not possible", async () => {
    const runId = await ended();
    const expectedOutput = { assertions: [{ diff_type: "added", entity: "messages" }] };
    const grade = (run: string, body: object) => program.post(`/runs/${run}/evaluate`, body);

    const issues = await suiteOf("tracker", "tracker_default", "issues");
    const other = await grade(runId, { testId: issues });
    expectRefusal(other, 400, "invalid_request", "testId: a test of the service tracker");
    const both = await grade(runId, { testId: issues, expectedOutput });
    expectRefusal(both, 400, "invalid_request");
    expectRefusal(await grade(runId, { testId: "x" }), 404, "test_not_found");
    expectRefusal(await grade("0".repeat(32), { expectedOutput }), 404, "run_not_found");
    const wrong = { assertions: [{ diff_type: "added", entity: "mesages" }] };
    expectRefusal(await grade(runId, { expectedOutput: wrong }), 400, "invalid_assertion");

    const { environmentId: envId } = await program.environment();
    const running = (await program.post("/startRun", { envId })).body.runId;
    const early = await grade(running, { expectedOutput });
    expectRefusal(early, 400, "invalid_request", "The run has not ended; end it first");
    await program.call("DELETE", `/env/${envId}`);
    expectRefusal(
      await grade(running, { expectedOutput }),
      400,
      "invalid_request",
      "The run is not gradable: run abandoned: environment deleted",
    );

    await database.sql`
      update diorama.runs set evidence = null, diff = '{"inserts":[],"updates":[{}],"deletes":[]}' where run_id = ${runId}
    `;
    expectRefusal(
      await grade(runId, { expectedOutput }),
      400,
      "invalid_request",
      "The columns that updates did not change were too long to keep with this run, so it cannot be graded again",
    );
  });
});
