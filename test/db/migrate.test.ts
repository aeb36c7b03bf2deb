/** The previous version keeps working beside the next one, and no call waits for long. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { connect, type Pool } from "~/db/connect";
import { MIGRATIONS, migrate, NEWEST_VERSION } from "~/db/migrate";
import { createKey } from "~/platform/keys/keys";
import { eventually, useDatabase } from "../support/database";
import { expectStatus, startTestProgram } from "../support/program";

const NEXT = NEWEST_VERSION + 1;
/** The migrations of a next version: they only add. */
const next = {
  version: NEXT,
  name: "next",
  text: `
    alter table diorama.environments add column label text not null default '';
    alter table diorama.runs add column label text;
    alter table diorama.templates add column label text;
    alter table diorama.api_keys add column label text;
    create table diorama.labels (label text primary key);
    create index runs_label on diorama.runs (label);
  `,
};

describe("an empty database", () => {
  const database = useDatabase({ empty: true });
  let pools: Pool[];
  beforeAll(() => {
    pools = [1, 2, 3].map(() => connect(database.url, { max: 1, name: "test", camel: true }));
  });
  afterAll(async () => {
    await Promise.all(pools.map((pool) => pool.end()));
  });

  test("gets every migration once from servers that start at the same time", async () => {
    const applied = await Promise.all(pools.map((pool) => migrate(pool)));

    const versions = MIGRATIONS.map(({ version }) => version);
    expect(applied.flat().toSorted((a, b) => a - b)).toEqual(versions);
    expect(await migrate(pools[0]!)).toEqual([]);
  });

  test("keeps nothing of a migration that fails", async () => {
    const broken = { ...next, text: `${next.text}; select 1 / 0` };
    await expect(migrate(pools[0]!, [...MIGRATIONS, broken])).rejects.toThrow("division by zero");

    const [left] = await database.sql`
      select to_regclass('diorama.labels')::text as labels,
        (select max(version)::int from diorama.schema_migrations) as version
    `;
    expect(left).toEqual({ labels: null, version: NEWEST_VERSION });
  });

  test("rejects a program whose migration differs from the applied one", async () => {
    const [first, ...rest] = MIGRATIONS;
    const changed = [{ ...first!, text: `${first!.text} ` }, ...rest];
    await expect(migrate(pools[0]!, changed)).rejects.toThrow("differs from the one");
  });
});

describe("the next version", () => {
  const database = useDatabase();
  let pool: Pool;
  beforeAll(() => {
    pool = connect(database.url, { max: 2, name: "test", camel: true });
  });
  afterAll(async () => {
    await pool.end();
  });

  test("migrates under the load of this one, which fails no call and can be restarted afterwards", async () => {
    const running = await startTestProgram(database);
    const { key } = await createKey(pool, {
      userId: "alice",
      name: "",
      plan: "enterprise",
      expiresInDays: null,
    });
    const headers = { "X-API-Key": key };
    let done = false;
    let lives = 0;
    const life = async () => {
      while (!done) {
        const environment = await running.environment({}, headers);
        const run = await running.post("/startRun", { envId: environment.environmentId }, headers);
        expectStatus(run, 201);
        const said = { channel: "C01GENERAL", text: "hello" };
        expect(
          await running.chat(environment, "chat.postMessage", {
            ...said,
            token: environment.token,
          }),
        ).toMatchObject({
          ok: true,
        });
        const ended = await running.post("/diffRun", { runId: run.body.runId }, headers);
        expectStatus(ended, 200);
        expect(ended.body.diff.inserts).toHaveLength(1);
        expectStatus(
          await running.call("DELETE", `/env/${environment.environmentId}`, undefined, headers),
          200,
        );
        lives++;
      }
    };
    const load = Promise.all([life(), life(), life(), life()]);
    await eventually(() => expect(lives).toBeGreaterThan(4));

    expect(await migrate(pool, [...MIGRATIONS, next])).toEqual([NEXT]);
    const before = lives;
    await eventually(() => expect(lives).toBeGreaterThan(before + 8));
    done = true;
    await load;

    const restarted = await startTestProgram(database);
    expect((await fetch(`${restarted.url}/readyz`)).status).toBe(200);
    await restarted.program.stop();
    await running.program.stop();
  });

  test("yields to a call that waits for it instead of risking a deadlock", async () => {
    const call = connect(database.url, { max: 1, name: "test", patient: true });
    const crossing = {
      version: NEXT + 2,
      name: "crossing",
      text: "alter table diorama.api_keys add y int; alter table diorama.usage add y int",
    };
    let migrating: Promise<number[]> | undefined;
    try {
      const rows = await call.begin(async (tx) => {
        await tx`select count(*) from diorama.usage`;
        migrating = migrate(pool, [...MIGRATIONS, next, crossing]);
        await eventually(async () => {
          const waiting = await database.sql`
            select from pg_locks where relation = 'diorama.usage'::regclass and not granted
          `;
          expect(waiting).toHaveLength(1);
        });
        return await tx`select count(*) from diorama.api_keys`;
      });

      expect(rows).toHaveLength(1);
      expect(await migrating).toEqual([NEXT + 2]);
    } finally {
      await migrating?.catch(() => undefined);
      await call.end();
      await database.sql`delete from diorama.schema_migrations where version = ${NEXT + 2}`;
    }
  });

  test("waits for a table without blocking other calls for long", async () => {
    const reader = connect(database.url, { max: 1, name: "test", patient: true });
    const holding = Promise.withResolvers<void>();
    const held = Promise.withResolvers<void>();
    const transaction = reader.begin(async (tx) => {
      await tx`select count(*) from diorama.api_keys`;
      held.resolve();
      await holding.promise;
    });
    await held.promise;

    const after = {
      version: NEXT + 1,
      name: "after",
      text: "alter table diorama.api_keys add x int",
    };
    const migrating = migrate(pool, [...MIGRATIONS, next, after]);
    let worst = 0;
    const until = performance.now() + 4_000;
    while (performance.now() < until) {
      const asked = performance.now();
      await database.sql`select count(*) from diorama.api_keys`;
      worst = Math.max(worst, performance.now() - asked);
    }
    holding.resolve();
    await transaction;

    expect(await migrating).toEqual([NEXT + 1]);
    expect(worst).toBeGreaterThan(50); // it did wait in the queue
    expect(worst).toBeLessThan(1_000);
    await reader.end();
  });

  test("can report that this program is too old for it", async () => {
    await database.sql`update diorama.schema_migrations set requires = ${NEXT} where version = ${NEXT}`;

    await expect(migrate(pool)).rejects.toThrow(
      `the database has schema version ${NEXT + 1}, which needs a program that knows ${NEXT}; this one knows ${NEWEST_VERSION}`,
    );
  });
});
