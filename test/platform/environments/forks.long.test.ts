/** Forks equal their parent and are independent; snapshots restore; none of it disturbs the account of a run. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import fc from "fast-check";
import { keyOf } from "~/db/catalog";
import { SNAPSHOT_DELTA_MAX } from "~/platform/environments/states";
import { difference, sorted, stateOf } from "../../../scripts/oracle";
import { startClusters, waysOfCapturing } from "../../support/clusters";
import {
  createDatabase,
  dropDatabase,
  eventually,
  type TestDatabase,
  useDatabase,
} from "../../support/database";
import { startProcess } from "../../support/process";
import { expectRefusal, expectStatus, type TestProgram, useProgram } from "../../support/program";
import { everyRowOf } from "../../support/rows";
import { JOHN } from "../../support/tracker";

type Environment = {
  environmentId: string;
  schemaName: string;
  environmentUrl: string;
  token: string;
  service: "chat" | "tracker";
};

/** Changes by the service's own calls, and by statements that reach what calls do not. `n` makes them differ. */
const WORK = {
  chat: [
    (n) => ["chat.postMessage", { channel: "C01GENERAL", text: `message ${n}` }],
    (n) => ["conversations.create", { name: `channel-${n}` }],
    (n) => [
      "reactions.add",
      { channel: "C01GENERAL", timestamp: "1767603600.731938", name: `r${n}` },
    ],
    () => "delete from messages where ts = (select min(ts) from messages)",
    (n) => `update users set real_name = 'name ${n}' where id = 'U02JOHNADOE'`,
    () => "update messages set text = text",
    () => "delete from channel_members",
    () => "delete from users where id = 'U02JOHNADOE'",
    () => "update messages set blocks = 'null' where ts = (select max(ts) from messages)",
  ],
  tracker: [
    (n) => `mutation { commentCreate(input: { issueId: "ENG-1", body: "${n}" }) { success } }`,
    (n) => `mutation { issueUpdate(id: "ENG-2", input: { title: "${n}" }) { success } }`,
    () => 'mutation { issueDelete(id: "ENG-3") { success } }',
    () =>
      'mutation { issueCreate(input: { teamId: "c0000000-0000-4000-8000-000000000001", title: "x" }) { success } }',
    () => `delete from comments`,
    () => `update issues set title = title || '!'`,
    () => `select nextval('last_sync_id')`,
  ],
} satisfies Record<string, ((n: number) => string | readonly [string, object])[]>;

function on(program: TestProgram, database: TestDatabase) {
  const create = async (service: "chat" | "tracker", fields = {}): Promise<Environment> =>
    await program.environment({
      ...(service === "chat"
        ? {}
        : { templateService: "tracker", templateName: "tracker_base", impersonateUserId: JOHN }),
      ...fields,
    });
  return {
    create,
    rows: ({ schemaName }: { schemaName: string }) => everyRowOf(database, schemaName),
    async control(environment: { environmentId: string }, verb: string, body: object = {}) {
      const answer = await program.post(`/env/${environment.environmentId}/${verb}`, body);
      expectStatus(answer, 200);
      return answer.body;
    },
    /** Some work may be rejected: its object no longer exists. */
    async work(environment: Environment, kind: number, n: number) {
      const all: ((n: number) => string | readonly [string, object])[] = WORK[environment.service];
      const what = all[kind % all.length]!(n);
      if (typeof what !== "string") await program.chat(environment, ...what);
      else if (what.startsWith("mutation"))
        await fetch(`${program.url}${environment.environmentUrl}/graphql`, {
          method: "POST",
          headers: { "Content-Type": "application/json", "X-API-Key": environment.token },
          body: JSON.stringify({ query: what }),
        }).then((answer) => answer.text());
      else
        await database.sql.begin(async (tx) => {
          await tx.unsafe(`set local search_path to "${environment.schemaName}"`);
          await tx.unsafe(what);
        });
    },
  };
}

const DELTA_ROWS = SNAPSHOT_DELTA_MAX.rows;
afterEach(() => {
  SNAPSHOT_DELTA_MAX.rows = DELTA_ROWS;
});

const RUNS = Number(process.env["FORK_RUNS"] ?? 2);
const steps = fc.array(fc.nat(100), { minLength: 1, maxLength: 8 });

describe.each(await waysOfCapturing())("with $name", ({ cluster, settings }) => {
  const database = useDatabase({ cluster });
  const program = useProgram(database, settings);

  test.each(["chat", "tracker"] as const)(
    "random work in %s: a reset restores the snapshot, forks equal their parent, diffs of runs in them are exact",
    async (service) => {
      const { create, rows, control, work } = on(program, database);
      const keys = Object.fromEntries(
        (
          await database.sql<{ name: string; key: string[] }[]>`
            select c.relname as name, ${keyOf(database.sql)} as key
            from diorama.templates t join pg_class c on c.relnamespace = t.schema_name::regnamespace
            where t.name = ${service === "chat" ? "chat_default" : "tracker_base"} and c.relkind = 'r' order by c.oid
          `
        ).map(({ name, key }) => [name, key]),
      );
      let round = 0;
      await fc.assert(
        fc.asyncProperty(steps, steps, steps, async (first, second, third) => {
          // Every other time, states of more than two rows are copied whole.
          SNAPSHOT_DELTA_MAX.rows = round++ % 2 === 0 ? 2 : DELTA_ROWS;
          let n = 0;
          const doWork = async (environment: Environment, kinds: readonly number[]) => {
            for (const kind of kinds) await work(environment, kind, n++);
          };
          const parent = await create(service);
          await doWork(parent, first);
          const { snapshotId } = await control(parent, "snapshots");
          const saved = await rows(parent);
          await doWork(parent, second);
          const current = await rows(parent);

          const { environments: forks } = await control(parent, "fork", {
            count: 2,
            startRun: true,
          });
          const { environments: old } = await control(parent, "fork", { snapshotId });
          expect(await rows(forks[0])).toEqual(current);
          expect(await rows(forks[1])).toEqual(current);
          expect(await rows(old[0])).toEqual(saved);

          const before = await stateOf(database.sql, forks[0].schemaName, keys);
          await doWork(forks[0], third);
          const after = await stateOf(database.sql, forks[0].schemaName, keys);
          const { body } = await program.post("/diffRun", { runId: forks[0].runId });
          expect(sorted(body.diff)).toEqual(sorted(difference(before, after, keys)));
          expect(await rows(forks[1])).toEqual(current);
          expect(await rows(parent)).toEqual(current);

          await control(parent, "reset", { snapshotId });
          expect(await rows(parent)).toEqual(saved);
          await doWork(parent, third);
          await control(parent, "reset", { snapshotId });
          expect(await rows(parent)).toEqual(saved);
          await control(forks[1], "reset", { snapshotId });
          expect(await rows(forks[1])).toEqual(saved);
          for (const each of [parent, ...forks, ...old])
            expectStatus(await program.call("DELETE", `/env/${each.environmentId}`), 200);
        }),
        { numRuns: RUNS },
      );
      await eventually(async () => {
        const [left] =
          await database.sql`select count(*)::int as count from diorama.schemas where state in ('reserved', 'used')`;
        expect(left?.["count"]).toBe(0);
      });
      const fresh = await create(service);
      const [template] = await database.sql`
        select schema_name from diorama.templates where name = ${service === "chat" ? "chat_default" : "tracker_base"}
      `;
      expect(await rows(fresh)).toEqual(await rows({ schemaName: template?.["schema_name"] }));
    },
  );
});

describe("forks", () => {
  const database = useDatabase();
  const program = useProgram(database);

  test("have their own ids, tokens and lives, and the parent's user and service", async () => {
    const { create, control } = on(program, database);
    const parent = await create("chat");
    const { environments } = await control(parent, "fork", {
      count: 3,
      ttlSeconds: 60,
      tokenStyle: "xoxb",
    });

    expect(environments).toHaveLength(3);
    for (const fork of environments) {
      expect(fork).toMatchObject({
        parentEnvironmentId: parent.environmentId,
        templateSchema: "chat_default",
        service: "chat",
        token: expect.stringMatching(/^xoxb-diorama_e_/),
      });
      const answer = await fetch(`${program.url}${fork.environmentUrl}/auth.test`, {
        headers: { Authorization: `Bearer ${fork.token}` },
      });
      expect(await answer.json()).toMatchObject({ ok: true, user_id: "U01AGENTONE" });
    }
    expect(new Set(environments.map((fork: Environment) => fork.environmentId)).size).toBe(3);
    expect(new Set(environments.map((fork: Environment) => fork.schemaName)).size).toBe(3);
  });

  test("are created once for the same Idempotency-Key, with their runs", async () => {
    const { create } = on(program, database);
    const { environmentId } = await create("chat");
    const ask = () =>
      program.post(
        `/env/${environmentId}/fork`,
        { count: 2, startRun: true },
        { "Idempotency-Key": "fork-once" },
      );
    const first = await ask();

    expect((await ask()).body).toEqual(first.body);
    expect(first.body.environments[1].runId).toMatch(/^[0-9a-f]{32}$/);
  });

  test("and their runs exist together or not at all, when the server is killed between them", async () => {
    const killed = await startProcess(database);
    const { environmentId } = await on(killed, database).create("chat");
    const count = 4;
    const ask = (server: TestProgram) =>
      server.post(
        `/env/${environmentId}/fork`,
        { count, startRun: true },
        { "Idempotency-Key": "fork-killed" },
      );
    const forks = async () =>
      await database.sql`
        select environment_id from diorama.environments where parent_environment_id = ${environmentId}
      `;
    const gate = Promise.withResolvers<void>();
    const holding = database.sql.begin(async (tx) => {
      await tx`lock table diorama.runs in exclusive mode`;
      await gate.promise;
    });
    const lost = ask(killed).catch(() => "lost");
    await eventually(async () => {
      const waiting = await database.sql`
        select from pg_locks where relation = 'diorama.runs'::regclass and not granted
      `;
      expect(waiting.count).toBeGreaterThan(0);
    });
    killed.kill();
    expect(await lost).toBe("lost");
    gate.resolve();
    await holding;
    await eventually(async () => {
      const [left] = await database.sql`
        select count(*)::int as count from pg_stat_activity
        where datname = current_database() and state = 'idle in transaction'
      `;
      expect(left?.["count"]).toBe(0);
    });
    expect(await forks()).toHaveLength(0);

    const { status, body } = await ask(program);

    expect(status).toBe(200);
    expect(await forks()).toHaveLength(count);
    expect(body.environments).toHaveLength(count);
    for (const fork of body.environments) {
      await program.chat(fork, "chat.postMessage", { channel: "C01GENERAL", text: "recorded" });
      const { body: ended } = await program.post("/diffRun", { runId: fork.runId });
      expect(ended.diff.inserts.map(({ text }: any) => text)).toEqual(["recorded"]);
    }
    expect((await ask(program)).body).toEqual(body);
  });

  test.each([0, 65, 1.5])("cannot be %p", async (count) => {
    const { create } = on(program, database);
    const { environmentId } = await create("chat");
    expectRefusal(
      await program.post(`/env/${environmentId}/fork`, { count }),
      400,
      "invalid_request",
    );
  });

  test("are all rejected if a schema cannot be filled, and nothing is left reserved", async () => {
    const { create } = on(program, database);
    const { environmentId } = await create("chat");
    const { body } = await program.post(`/env/${environmentId}/snapshots`, {});
    await database.sql`
      update diorama.environment_snapshots
      set delta = '{"tables":[{"name":"messages","gone":[],"here":["nonsense"]}],"sequences":[]}'
      where snapshot_id = ${body.snapshotId}
    `;
    // A server that was killed leaves some, for maintenance to take back.
    const taken = async () => {
      const rows = await database.sql<{ name: string }[]>`
        select schema_name as name from diorama.schemas where state in ('reserved', 'used')`;
      return rows.map(({ name }) => name);
    };
    const before = await taken();
    const answer = await program.post(`/env/${environmentId}/fork`, {
      count: 3,
      snapshotId: body.snapshotId,
    });

    expectRefusal(answer, 500, "internal_error");
    const [row] = await database.sql`
      select count(*)::int as forks from diorama.environments where parent_environment_id = ${environmentId}
    `;
    expect(row?.["forks"]).toBe(0);
    await eventually(async () => {
      expect((await taken()).filter((name) => !before.includes(name))).toEqual([]);
    });
  });

  test("initEnv creates several environments at the same time, all or none", async () => {
    const fields = {
      templateService: "chat",
      templateName: "chat_default",
      impersonateUserId: "U01AGENTONE",
    };
    const { status, body } = await program.post("/initEnv", { ...fields, count: 5 });

    expect(status).toBe(201);
    const { environments, ...first } = body;
    expect(environments).toHaveLength(5);
    expect(environments[0]).toEqual(first);
    expect(new Set(environments.map((each: Environment) => each.schemaName)).size).toBe(5);
    for (const each of environments)
      expect(
        await program.chat(each, "chat.postMessage", { channel: "C01GENERAL", text: "hi" }),
      ).toMatchObject({
        ok: true,
      });
  });
});

describe("64 forks at the same time from two servers that are killed", () => {
  let database: TestDatabase;
  beforeAll(async () => {
    const [cluster] = await startClusters();
    database = await createDatabase(cluster!);
  });
  afterAll(() => dropDatabase(database));

  test("share no schema, lose none, and each equals its parent", async () => {
    const settings = {
      ENVIRONMENT_POOL_TARGETS: "chat_default:8",
      MAINTENANCE_CYCLE_INTERVAL: "1",
    };
    let servers = await Promise.all([1, 2].map(() => startProcess(database, settings)));
    const { create, rows, control, work } = on(servers[0]!, database);
    const parent = await create("chat");
    for (let n = 0; n < 6; n++) await work(parent, n, n);
    const { snapshotId } = await control(parent, "snapshots");
    const state = await rows(parent);
    const fork = (server: TestProgram, count: number) =>
      server
        .post(`/env/${parent.environmentId}/fork`, { count, snapshotId, ttlSeconds: 3_600 })
        .catch(() => undefined);

    const asked = servers.flatMap((server) => [fork(server, 16), fork(server, 16)]);
    await eventually(async () => {
      const [row] = await database.sql`
        select count(*)::int as count from diorama.schemas where state = 'reserved'`;
      expect(row?.["count"]).toBeGreaterThan(0);
    });
    for (const server of servers) server.kill();
    await Promise.all([...asked, ...servers.map(({ exited }) => exited)]);
    servers = await Promise.all([1, 2].map(() => startProcess(database, settings)));
    const answers = await Promise.all(servers.map((server) => fork(server, 32)));
    for (const answer of answers) expectStatus(answer!, 200);

    const made = await database.sql<{ schemaName: string; parent: string | null }[]>`
      select schema_name as "schemaName", parent_environment_id as parent from diorama.environments where deleted_at is null
    `;
    expect(new Set(made.map(({ schemaName }) => schemaName)).size).toBe(made.length);
    const forks = made.filter((each) => each.parent !== null);
    expect(forks.length).toBeGreaterThanOrEqual(64);
    for (const each of forks) expect(await rows(each)).toEqual(state);
    await database.sql`update diorama.schemas set changed_at = now() - interval '1 hour' where state <> 'claimed'`;
    await eventually(async () => {
      const [row] = await database.sql`
        select count(*)::int as count from diorama.schemas where state in ('reserved', 'used')`;
      expect(row?.["count"]).toBe(0);
      const [lost] = await database.sql`
        select count(*)::int as count from pg_namespace
        where nspname ~ '^env_' and nspname not in (select schema_name from diorama.schemas)`;
      expect(lost?.["count"]).toBe(0);
    }, 60);
    for (const server of servers) server.kill();
    await Promise.all(servers.map(({ exited }) => exited));
  });
});
