/** An environment's time is over whether or not maintenance has come by. */
import { expect, test } from "bun:test";
import { useDatabase } from "../../support/database";
import { useProgram } from "../../support/program";

const database = useDatabase();
const program = useProgram(database, { MAINTENANCE_CYCLE_INTERVAL: "3600" });

test("a run whose environment has expired is closed in lists too, at the moment of the expiry", async () => {
  const { environmentId, expiresAt } = await program.environment({ ttlSeconds: 1 });
  const { runId } = (await program.post("/startRun", { envId: environmentId })).body;
  await Bun.sleep(Date.parse(expiresAt) - Date.now() + 300);

  const dashed = environmentId.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
  for (const id of [environmentId, dashed]) {
    const { runs } = (await program.get(`/runs?environmentId=${id}`)).body;
    expect(runs).toMatchObject([{ runId, status: "failed", passed: false }]);
    expect(runs[0].execution_time).toBeLessThan(1.1);
  }
  expect((await program.get("/runs?status=running")).body.runs).toEqual([]);
});
