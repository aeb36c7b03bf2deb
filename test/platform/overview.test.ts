/** The overview agrees with the probes, the metrics and the caller's own lists. */
import { beforeAll, describe, expect, test } from "bun:test";
import { connect } from "~/db/connect";
import { createKey } from "~/platform/keys/keys";
import { kindsOfCapturing } from "../support/clusters";
import { useDatabase } from "../support/database";
import { ADDED_ENVIRONMENTS } from "../support/large";
import { expectStatus, useProgram } from "../support/program";

const added = { assertions: [{ diff_type: "added", entity: "messages" }] };

describe.each(await kindsOfCapturing())("with $name", ({ cluster, settings }) => {
  const database = useDatabase({ cluster });
  const program = useProgram(database, settings);
  let alice: { "X-API-Key": string };
  beforeAll(async () => {
    const pool = connect(database.url, { max: 1, name: "test", camel: true });
    const { key } = await createKey(pool, {
      userId: "alice",
      name: "",
      plan: "enterprise",
      expiresInDays: null,
    });
    alice = { "X-API-Key": key };
    await pool.end();
  });
  const overview = async (headers = {}) => {
    const answer = await program.get("/overview", headers);
    expectStatus(answer, 200);
    return answer.body;
  };

  test("the overview counts what happens, of all users and of the caller", async () => {
    const before = await overview(alice);
    const environment = await program.environment({}, alice);
    const run = async () =>
      (await program.post("/startRun", { envId: environment.environmentId }, alice)).body.runId;
    const end = async (runId: string, expectedOutput: object) =>
      await program.post("/evaluateRun", { runId, expectedOutput }, alice);
    const first = await run();
    await fetch(`${program.url}${environment.environmentUrl}/chat.postMessage`, {
      method: "POST",
      headers: { ...alice, "Content-Type": "application/json" },
      body: JSON.stringify({ channel: "C01GENERAL", text: "one" }),
    });
    await end(first, added);
    await end(await run(), added);
    await run();
    await program.post(`/env/${environment.environmentId}/reset`, {}, alice);
    await run();
    await program.get("/results/nothing", alice);

    const after = await overview(alice);

    expect(before.own).toEqual({
      environments: 0,
      runs: 0,
      verdicts: { passed: 0, failed: 0, notGradable: 0 },
    });
    expect(after.own).toEqual({
      environments: 1,
      runs: 1,
      verdicts: { passed: 1, failed: 1, notGradable: 1 },
    });
    expect(after.environments).toEqual([
      { service: "chat", state: "live", count: ADDED_ENVIRONMENTS + 1 },
    ]);
    expect(after.runs).toEqual({ running: 1, ending: 0, evaluating: 0 });
    expect((await overview()).own.environments).toBe(0);
    expect(after.calls.errors).toContainEqual({ code: "run_not_found", count: 1 });
    const [route] = after.calls.routes.filter(
      ({ route }: any) => route === "/api/platform/initEnv",
    );
    expect(route.count).toBe(1);
    expect(route.buckets).toHaveLength(after.calls.bucketSeconds.length);
    expect(route.buckets.at(-1)).toBe(1);
    expect(after.pool).toContainEqual({
      template: "chat_default",
      ready: expect.any(Number),
      target: 1,
    });
    const ready = (await (await fetch(`${program.url}/readyz`)).json()) as object;
    expect({ status: after.status, checks: after.checks }).toEqual(ready as never);
  });
});
