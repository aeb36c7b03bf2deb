/** Runs that start while their environment ends, is reset, or gets other triggers: each waits for the other. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { inTransaction } from "~/db/connect";
import { insertRun, type NewRunRow } from "~/platform/runs/lifecycle-store";
import { randomId } from "~/source";
import { waysOfCapturing } from "../../support/clusters";
import {
  createDatabase,
  dropDatabase,
  eventually,
  type TestDatabase,
} from "../../support/database";
import { expectStatus, startTestProgram, type TestProgram } from "../../support/program";

describe.each(await waysOfCapturing())("with $name", ({ cluster, settings }) => {
  let database: TestDatabase;
  let program: TestProgram;

  beforeAll(async () => {
    database = await createDatabase(cluster);
    program = await startTestProgram(database, settings);
  });
  afterAll(async () => await dropDatabase(database));

  /** Resolves when a call waits for another transaction. */
  const someoneWaits = () =>
    eventually(async () => {
      const waiting = await database.sql`
        select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
      `;
      expect(waiting.count).toBeGreaterThan(0);
    });

  /** A run that another server starts in an environment: its transaction commits while `call` waits for it. */
  async function startDuring(environmentId: string, userId: string, call: () => Promise<unknown>) {
    const runId = randomId();
    let called: Promise<unknown> = Promise.resolve();
    await inTransaction(database.sql, async (tx) => {
      const run: NewRunRow = {
        ...{ runId, environmentId, userId, beforeSnapshot: "s" },
        ...{ testId: null, suiteId: null, expected: null, labels: "{}" },
        capture: "log",
        journal: "calls",
      };
      const start = { ready: tx`true`, markOf: () => tx`null` };
      expect(await insertRun(tx, run, start)).toBe("started");
      called = call();
      await someoneWaits();
    });
    await called;
    const [row] =
      await database.sql`select status, cause from diorama.runs where run_id = ${runId}`;
    return { ...row };
  }
  const made = async () => {
    const { environmentId } = await program.environment();
    const [row] = await database.sql`
      select user_id from diorama.environments where environment_id = ${environmentId}
    `;
    return { environmentId, userId: row?.["user_id"] as string };
  };

  test("a deletion closes a run that has been starting", async () => {
    const { environmentId, userId } = await made();
    const run = await startDuring(environmentId, userId, async () =>
      expectStatus(await program.call("DELETE", `/env/${environmentId}`), 200),
    );
    expect(run).toEqual({ status: "failed", cause: "environment_deleted" });
  });

  test("a reset closes a run that has been starting", async () => {
    const { environmentId, userId } = await made();
    const run = await startDuring(environmentId, userId, async () =>
      expectStatus(await program.post(`/env/${environmentId}/reset`, {}), 200),
    );
    expect(run).toEqual({ status: "failed", cause: "reset" });
  });

  test("a run that waits for new triggers begins with them, and has its diff", async () => {
    const environment = await program.environment();
    const { environmentId: envId, schemaName } = environment;
    // Later runs need no other preparation.
    const earlier = (await program.post("/startRun", { envId })).body.runId;
    expectStatus(await program.post("/diffRun", { runId: earlier }), 200);
    let starting = program.get("/health");
    await inTransaction(database.sql, async (tx) => {
      await tx`select from diorama.environments where environment_id = ${envId} for no key update`;
      await tx.unsafe(
        `create trigger other after insert on ${schemaName}.reactions for each row execute function suppress_redundant_updates_trigger()`,
      );
      starting = program.post("/startRun", { envId });
      await someoneWaits();
    });
    const { runId } = (await starting).body;
    await program.chat(environment, "chat.postMessage", { channel: "C01GENERAL", text: "hi" });

    const answer = await program.post("/diffRun", { runId });

    expectStatus(answer, 200);
    expect(answer.body.diff.inserts).toMatchObject([{ text: "hi" }]);
  });

  test("an evaluation that reads tables which are gone says that the run was closed", async () => {
    const { environmentId: envId } = await program.environment();
    const { runId } = (await program.post("/startRun", { envId })).body;
    await program.call("DELETE", `/env/${envId}`);
    await database.sql`
      update diorama.environments set schema_name = 'env_gone' || environment_id where environment_id = ${envId}
    `;
    const assertions = [{ diff_type: "unchanged", entity: "messages" }];

    const answer = await program.post("/evaluateRun", { runId, expectedOutput: { assertions } });

    expect({ status: answer.status, ...answer.body }).toMatchObject({
      status: 400,
      error: "run_already_completed",
      detail: "The run was closed before: run abandoned: environment deleted",
    });
  });
});
