/** Calls that cannot be appended in time: the environment that makes most of them loses its own lines. */
import { expect, test } from "bun:test";
import { LOSSES } from "~/capture/loss";
import { inTransaction } from "~/db/connect";
import { ARGUMENTS_MAX } from "~/platform/journal/line";
import { useDatabase } from "../../support/database";
import { expectStatus, useProgram } from "../../support/program";

const database = useDatabase();
const program = useProgram(database);

const NOISY_CALLS = 1_500;
const QUIET_CALLS = 50;
const AT_ONCE = 25;

test("a bystander's journal stays complete while another run fills the memory", async () => {
  const [noisy, quiet] = [await program.environment(), await program.environment()];
  const [noisyRun, quietRun] = await Promise.all(
    [noisy, quiet].map(async ({ environmentId: envId }) => {
      const started = await program.post("/startRun", { envId });
      expectStatus(started, 201);
      return started.body.runId as string;
    }),
  );
  const text = "x".repeat(ARGUMENTS_MAX);

  await inTransaction(database.sql, async (tx) => {
    await tx`lock table diorama.calls in share mode`;
    for (let made = 0; made < NOISY_CALLS; made += AT_ONCE)
      await Promise.all(
        Array.from({ length: AT_ONCE }, () => program.chat(noisy, "auth.test", { text })),
      );
    for (let made = 0; made < QUIET_CALLS; made++) await program.chat(quiet, "auth.test");
  });
  const [failed, passed] = await Promise.all(
    [noisyRun, quietRun].map(async (runId) => {
      const expectedOutput = { assertions: [{ diff_type: "called", entity: "auth.test" }] };
      return (await program.post("/evaluateRun", { runId, expectedOutput })).body;
    }),
  );
  expect(failed).toMatchObject({
    ...{ status: "failed", passed: false, gradable: true, cause: "agent_limit", reward: 0 },
    failures: [`agent_limit: ${LOSSES.too_many_calls}`],
  });
  expect(passed).toMatchObject({ status: "passed", gradable: true });

  const [own, other] = await Promise.all(
    [noisyRun, quietRun].map(async (runId) => (await program.get(`/runs/${runId}/calls`)).body),
  );
  expect(own.complete).toBe(false);
  expect(other.complete).toBe(true);
  const [kept] = await database.sql`
    select sum(line_count)::int as calls from diorama.calls where run_id = ${quietRun ?? ""}
  `;
  expect(kept).toEqual({ calls: QUIET_CALLS });
  const [lost] = await database.sql`
    select sum(line_count + dropped)::int as made, (sum(dropped) = sum(dropped_own)) as own
    from diorama.calls where run_id = ${noisyRun ?? ""}
  `;
  expect(lost).toEqual({ made: NOISY_CALLS, own: true });
});
