/** Reset and snapshots over HTTP: state, runs, calls in progress, limits. */
import { beforeEach, describe, expect, test } from "bun:test";
import { createBuilders } from "~/db/origins";
import type { Session } from "~/db/session";
import { createSessionPool } from "~/db/session-pool";
import { createExclusive, HOLDS_CHANNEL } from "~/platform/environments/exclusive";
import { openEnvironment } from "~/platform/environments/opening";
import { SNAPSHOT_DELTA_MAX } from "~/platform/environments/states";
import { eventually, useDatabase } from "../../support/database";
import { expectRefusal, expectStatus, useProgram } from "../../support/program";
import { everyRowOf } from "../../support/rows";

const database = useDatabase();
const program = useProgram(database);

type Environment = { environmentId: string; schemaName: string; environmentUrl: string };
let environment: Environment;
beforeEach(async () => {
  environment = await program.environment();
});

const post = (text: string, on = environment) =>
  program.chat(on, "chat.postMessage", { channel: "C01GENERAL", text });
const rows = (on = environment) => everyRowOf(database, on.schemaName);
async function control(verb: string, body: object = {}, headers = {}, on = environment) {
  const answer = await program.post(`/env/${on.environmentId}/${verb}`, body, headers);
  expectStatus(answer, 200);
  return answer.body;
}

/** A server with a call in progress, as far as a reset is concerned. */
async function anotherServer() {
  const sessionPool = createSessionPool(database.url, 1, openEnvironment);
  const exclusive = createExclusive({
    pool: database.sql,
    builders: createBuilders(database.sql, false),
    sessionPool,
  });
  const { promise: held, resolve: hold } = Promise.withResolvers<void>();
  const listening = await database.sql.listen(HOLDS_CHANNEL, () => hold());
  const tables = await database.sql<{ name: string }[]>`
    select relname as name from pg_class where relnamespace = ${environment.schemaName}::regnamespace and relkind = 'r'
  `;
  return {
    held,
    begin(work: (session: Session) => Promise<unknown>) {
      const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
      const ended = sessionPool.use({ ...environment, tables }, async (session) => {
        begin();
        await work(session);
      });
      return { begun, ended };
    },
    async stop() {
      await listening.unlisten();
      await exclusive.stop();
      await sessionPool.end();
    },
  };
}

describe("reset", () => {
  test("returns the environment to its template, with the same id and token", async () => {
    const before = await rows();
    await post("to be forgotten");

    expect(await control("reset")).toEqual({
      environmentId: environment.environmentId,
      snapshotId: null,
      closedRunId: null,
    });

    expect(await rows()).toEqual(before);
    expect(await post("a new beginning")).toMatchObject({ ok: true });
  });

  test("returns it to a snapshot, also after a reset to the template, repeatedly", async () => {
    await post("kept");
    const { snapshotId, rows: count } = await control("snapshots");
    expect(count).toBeGreaterThan(0);
    const kept = await rows();

    for (const round of [1, 2]) {
      await post(`lost ${round}`);
      await control("reset");
      expect(await rows()).not.toEqual(kept);
      await control("reset", { snapshotId });
      expect(await rows()).toEqual(kept);
    }
  });

  test("ends a running run as failed, and its writes are in no run", async () => {
    await post("before");
    const { snapshotId } = await control("snapshots");
    const first = (await program.post("/startRun", { envId: environment.environmentId })).body;
    await post("in the run");

    expect(await control("reset", { snapshotId })).toEqual({
      environmentId: environment.environmentId,
      snapshotId,
      closedRunId: first.runId,
    });

    const { body } = await program.get(`/results/${first.runId}`);
    expect(body).toMatchObject({
      status: "failed",
      gradable: false,
      cause: "reset",
      diff: null,
      failures: ["run abandoned: environment reset"],
    });
    expectRefusal(
      await program.post("/diffRun", { runId: first.runId }),
      400,
      "run_already_completed",
      "The run was closed before: run abandoned: environment reset",
    );
    const second = (await program.post("/startRun", { envId: environment.environmentId })).body;
    await post("in the second run");
    const { diff } = (await program.post("/diffRun", { runId: second.runId })).body;
    expect(
      diff.inserts.flatMap((row: { __table__: string; text: string }) =>
        row.__table__ === "messages" ? [row.text] : [],
      ),
    ).toEqual(["in the second run"]);
  });

  test("leaves an environment whose schema was altered equal to its template too", async () => {
    const before = await rows();
    await database.sql.unsafe(
      `alter table "${environment.schemaName}".messages add column added int default 1`,
    );

    await control("reset");

    expect(await rows()).toEqual(before);
    expect(await post("works")).toMatchObject({ ok: true });
  });

  test("waits for a call in progress on another server, which is wholly before it", async () => {
    const before = await rows();
    const other = await anotherServer();
    const { promise: mayWrite, resolve: letWrite } = Promise.withResolvers<void>();
    const call = other.begin(async ({ sql, t }) => {
      await mayWrite;
      await sql`delete from ${t["messages"]!}`;
    });
    await call.begun;

    const reset = control("reset");
    await other.held;
    const late = post("after the reset");
    letWrite();
    await Promise.all([call.ended, reset]);

    expect(await late).toMatchObject({ ok: true });
    const texts = await database.sql.unsafe(
      `select text from "${environment.schemaName}".messages`,
    );
    expect(texts.map(({ text }) => text).filter((text) => text === "after the reset")).toHaveLength(
      1,
    );
    expect(texts).toHaveLength(before["messages"]!.length + 1);
    await other.stop();
  });

  test("gets 503 while a call does not end, and has no side effects then", async () => {
    await post("stays");
    const before = await rows();
    const other = await anotherServer();
    const { promise: mayEnd, resolve: letEnd } = Promise.withResolvers<void>();
    const call = other.begin(() => mayEnd);
    await call.begun;

    const answer = await program.post(`/env/${environment.environmentId}/reset`, {});

    expectRefusal(answer, 503, "service_unavailable");
    expect(answer.headers.get("retry-after")).toBe("1");
    expect(await rows()).toEqual(before);
    letEnd();
    await call.ended;
    await other.stop();
  });

  test("has its effect once for the same Idempotency-Key", async () => {
    const key = { "Idempotency-Key": "reset-once" };
    const first = await control("reset", {}, key);
    await post("after the reset");
    const before = await rows();

    expect(await control("reset", {}, key)).toEqual(first);
    expect(await rows()).toEqual(before);
  });

  test("rejects a snapshot of a stranger, and an environment that has ended", async () => {
    const stranger = await program.environment();
    const { snapshotId } = await control("snapshots", {}, {}, stranger);

    expectRefusal(
      await program.post(`/env/${environment.environmentId}/reset`, { snapshotId }),
      400,
      "invalid_request",
    );
    await program.call("DELETE", `/env/${environment.environmentId}`);
    for (const verb of ["reset", "snapshots"])
      expectRefusal(
        await program.post(`/env/${environment.environmentId}/${verb}`, {}),
        404,
        "environment_not_found",
      );
    expectRefusal(await program.post("/env/nope/reset", {}), 400, "invalid_environment_path");
  });

  test("rejects an environment whose template has been replaced", async () => {
    await database.sql`
      update diorama.schemas set template_schema = 'tpl_replaced' where schema_name = ${environment.schemaName}
    `;
    expectRefusal(
      await program.post(`/env/${environment.environmentId}/reset`, {}),
      404,
      "template_not_found",
    );
  });
});

describe("snapshots", () => {
  test("form a tree", async () => {
    const first = await control("snapshots", { name: "first" });
    await post("a");
    const second = await control("snapshots");
    await control("reset", { snapshotId: first.snapshotId });
    await post("b");
    const third = await control("snapshots");
    await control("reset");
    const fourth = await control("snapshots");

    expect([first.parent, second.parent, third.parent, fourth.parent]).toEqual([
      null,
      first.snapshotId,
      first.snapshotId,
      null,
    ]);
    const { body } = await program.get(`/env/${environment.environmentId}/snapshots`);
    expect(body).toEqual({ snapshots: [first, second, third, fourth] });
    expect(first).toMatchObject({ name: "first", rows: 0 });
  });

  test("are not noticed by a run", async () => {
    const { runId } = (await program.post("/startRun", { envId: environment.environmentId })).body;
    await post("one");
    await control("snapshots");
    await post("two");

    const { diff } = (await program.post("/diffRun", { runId })).body;
    const texts = diff.inserts.flatMap((row: any) =>
      row.__table__ === "messages" ? [row.text] : [],
    );
    expect(texts).toEqual(["one", "two"]);
  });

  test("of large states are exact too, appear in no list, and are deleted with the last that needs them", async () => {
    const detail = async () => (await program.get(`/env/${environment.environmentId}`)).body;
    const copies = () => database.sql<{ schema: string }[]>`
      select nspname as schema from diorama.hidden_templates join pg_namespace on nspname = schema_name
    `;
    const listed = (await program.get("/templates")).body.templates.length;
    const template = await rows();
    await database.sql.unsafe(
      `insert into "${environment.schemaName}".messages (channel_id, ts, user_id, text)
       select 'C01GENERAL', (1000000000 + i)::text || '.000000', 'U02JOHNADOE', 'm' from generate_series(1, 20001) i`,
    );
    const large = await rows();

    const first = await control("snapshots");
    expect(first.rows).toBe(20_001);
    await control("reset");
    expect(await rows()).toEqual(template);
    await control("reset", { snapshotId: first.snapshotId });
    expect(await rows()).toEqual(large);

    await post("a little more");
    const second = await control("snapshots");
    const current = await rows();
    expect([second.rows, (await detail()).changedRows]).toEqual([20_002, 20_002]);
    expect(await copies()).toHaveLength(1);
    const [child] = (await control("fork")).environments;
    const [grandchild] = (await control("fork", { snapshotId: first.snapshotId }, {}, child))
      .environments;
    expect(await rows(child)).toEqual(current);
    expect(await rows(grandchild)).toEqual(large);
    await control("reset", {}, {}, child);
    expect(await rows(child)).toEqual(template);

    expect((await program.get("/templates")).body.templates).toHaveLength(listed);
    await database.sql`update diorama.hidden_templates set created_at = now() - interval '1 hour'`;
    await program.call("DELETE", `/env/${environment.environmentId}`);
    await program.program.maintenance.cycle();
    expect(await copies()).toHaveLength(1);
    for (const { environmentId } of [child, grandchild])
      await program.call("DELETE", `/env/${environmentId}`);
    await eventually(async () => {
      await program.program.maintenance.cycle();
      expect(await copies()).toHaveLength(0);
    });
  });

  test("of large states are limited in number for an environment with its forks", async () => {
    const before = SNAPSHOT_DELTA_MAX.rows;
    SNAPSHOT_DELTA_MAX.rows = 0;
    try {
      await post("one row");
      await database.sql`
        insert into diorama.hidden_templates (schema_name, base_schema, family_id, key_id)
        select 'filler' || i, '', ${environment.environmentId}, '' from generate_series(1, 20) i
      `;
      const answer = await program.post(`/env/${environment.environmentId}/fork`, {});
      expect([answer.status, answer.body]).toEqual([
        429,
        { valid: false, reason: "environment snapshot limit reached", limit: 20, current: 20 },
      ]);
    } finally {
      SNAPSHOT_DELTA_MAX.rows = before;
    }
  });

  test("are limited in number for an environment with its forks", async () => {
    const { snapshotId } = await control("snapshots");
    await database.sql`
      insert into diorama.environment_snapshots (snapshot_id, family_id, environment_id, key_id, template_schema, row_count, delta)
      select 'filler' || i || ${snapshotId}, family_id, environment_id, 'another', template_schema, 0, delta
      from diorama.environment_snapshots, generate_series(1, 199) i where snapshot_id = ${snapshotId}
    `;
    const answer = await program.post(`/env/${environment.environmentId}/snapshots`, {});
    expect([answer.status, answer.body]).toEqual([
      429,
      { valid: false, reason: "environment snapshot limit reached", limit: 200, current: 200 },
    ]);
  });

  test("are deleted after their environment", async () => {
    const { snapshotId } = await control("snapshots");
    await program.call("DELETE", `/env/${environment.environmentId}`);

    await eventually(async () => {
      await program.program.maintenance.cycle();
      const left = await database.sql`
        select from diorama.environment_snapshots where snapshot_id = ${snapshotId}
      `;
      expect(left).toHaveLength(0);
    });
  });
});
