/** Diffs that are kept and graded later, with every way of capturing. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { waysOfCapturing } from "../../support/clusters";
import { createDatabase, dropDatabase, type TestDatabase } from "../../support/database";
import { expectStatus, startTestProgram, type TestProgram } from "../../support/program";

describe.each(await waysOfCapturing())("with $name", ({ cluster, settings }) => {
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
});
