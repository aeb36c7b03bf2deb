/** An environment expires whether or not maintenance has run. */
import { describe, expect, test } from "bun:test";
import { useDatabase } from "../../support/database";
import { expectRefusal, expectStatus, useProgram } from "../../support/program";

const database = useDatabase();
const program = useProgram(database, { MAINTENANCE_CYCLE_INTERVAL: "3600" });

test("a run whose environment has expired is closed in lists too, at the moment of the expiry", async () => {
  // The first run waits until the log is read: longer than an environment that expires soon may live.
  const { environmentId: envId } = await program.environment();
  expectStatus(await program.post("/startRun", { envId }), 201);
  const { environmentId, expiresAt } = await program.environment({ ttlSeconds: 2 });
  const { runId } = (await program.post("/startRun", { envId: environmentId })).body;
  await Bun.sleep(Date.parse(expiresAt) - Date.now() + 300);

  const dashed = environmentId.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
  for (const id of [environmentId, dashed]) {
    const { runs } = (await program.get(`/runs?environmentId=${id}`)).body;
    expect(runs).toMatchObject([{ runId, status: "failed", passed: false }]);
    expect(runs[0].execution_time).toBeLessThan(2.1);
  }
  const { runs } = (await program.get("/runs?status=running")).body;
  expect(runs).toMatchObject([{ environmentId: envId }]);
});

describe.each([
  ["/diffRun", {}],
  [
    "/evaluateRun",
    { expectedOutput: { assertions: [{ diff_type: "added", entity: "messages" }] } },
  ],
])("%s of a run that was closed", (path, fields) => {
  const closedBecause = async (close: (environmentId: string) => Promise<unknown>) => {
    const { environmentId } = await program.environment();
    const { runId } = (await program.post("/startRun", { envId: environmentId })).body;
    await close(environmentId);
    return await program.post(path, { runId, ...fields });
  };

  test("names the expiry of its environment", async () => {
    const answer = await closedBecause(
      (id) =>
        database.sql`update diorama.environments set expires_at = now() where environment_id = ${id}`,
    );

    const detail = "The run was closed before: run abandoned: environment expired";
    expectRefusal(answer, 400, "run_already_completed", detail);
  });

  test("names the deletion of its environment", async () => {
    const answer = await closedBecause((id) => program.call("DELETE", `/env/${id}`));

    const detail = "The run was closed before: run abandoned: environment deleted";
    expectRefusal(answer, 400, "run_already_completed", detail);
  });

  test("does not when it ended by a call", async () => {
    const { environmentId } = await program.environment();
    const { runId } = (await program.post("/startRun", { envId: environmentId })).body;
    expectStatus(await program.post(path, { runId, ...fields }), 200);
    await program.call("DELETE", `/env/${environmentId}`);

    const answer = await program.post(path, { runId, ...fields });

    expectRefusal(answer, 400, "run_already_completed", "The run has ended already");
  });
});
