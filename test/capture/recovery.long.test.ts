/** Losing the stream, the slot or the log: a run is complete, or it fails by name. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { standbyStatus } from "~/capture/protocol";
import { publish } from "~/capture/slot";
import { inTransaction, type Pool } from "~/db/connect";
import type { Keys } from "../../scripts/oracle";
import { record, startCapture } from "../support/capture";
import { startClusters } from "../support/clusters";
import {
  createDatabase,
  dropDatabase,
  eventually,
  openTransaction,
  type TestDatabase,
} from "../support/database";

const KEYS: Keys = { things: ["id"] };
const LOST = (reason: string, cause = "capture_lost") => ({
  status: "failed",
  failures: [`${cause}: ${reason}`],
  diff: null,
});

const ways = (await startClusters()).flatMap((cluster) =>
  cluster.plugins.map((plugin) => ({ cluster, plugin, name: `${plugin} on ${cluster.name}` })),
);

describe.each(ways)("with $name", ({ cluster, plugin }) => {
  let database: TestDatabase;
  let server: Awaited<ReturnType<typeof startCapture>>;
  let sql: Pool;
  let next = 0;

  beforeAll(async () => {
    database = await createDatabase(cluster);
    sql = database.sql;
    server = await startCapture(database, plugin);
  });
  afterAll(async () => {
    await server.stop();
    await dropDatabase(database);
  });

  const schema = () => `env_${next}`;
  const createThings = async () => {
    await sql.unsafe(
      `create schema ${schema()}; create table ${schema()}.things (id int primary key, note text); alter table ${schema()}.things replica identity full`,
    );
    if (plugin === "pgoutput") await inTransaction(sql, (tx) => publish(tx, schema())); // as every schema is when it is built
  };
  beforeEach(async () => {
    next++;
    await createThings();
  });
  const start = () => record(server.pool, server.capture, schema(), KEYS);
  const write = (id: number) => sql.unsafe(`insert into ${schema()}.things values (${id}, 'n')`);
  const killStream = () => sql`
    select pg_terminate_backend(active_pid) from pg_replication_slots where active and database = current_database()
  `;
  const ids = (diff: { inserts: { [column: string]: unknown }[] } | null) =>
    diff?.inserts.map(({ id }) => id);

  test("a walsender killed between writes loses nothing", async () => {
    const run = await start();
    for (let id = 1; id <= 20; id++) {
      await write(id);
      if (id % 5 === 0) await killStream();
    }

    const { status, diff } = await run.end();

    expect(status).toBe("completed");
    expect(ids(diff)).toEqual(Array.from({ length: 20 }, (_, index) => index + 1));
  });

  test("a run whose start commits right after an acknowledged transaction is read again after a loss", async () => {
    await sql`create table if not exists public.noise (n int)`;
    for (let round = 0; round < 15; round++) {
      await sql.unsafe(`truncate ${schema()}.things`);
      const noise = Array.from({ length: 6 }, () =>
        sql`insert into public.noise values (1)`.execute(),
      );
      const [run] = await Promise.all([start(), ...noise]);
      await killStream();
      await write(round);

      const { status, failures, diff } = await run.end();

      expect({ status, failures, ids: ids(diff) }).toEqual({
        status: "completed",
        failures: [],
        ids: [round],
      });
    }
  });

  test("a long transaction counts where it commits, not where it begins", async () => {
    expect(sql.options.max).toBeGreaterThan(1); // the transaction has a separate session
    await (await start()).end(); // while a transaction is open, no slot is made
    const open = (id: number) =>
      openTransaction(sql, `insert into ${schema()}.things values (${id}, 'n')`);

    const commitBefore = await open(1);
    const run = await start();
    await commitBefore();
    const commitAfter = await open(2);
    const first = await run.end();
    await commitAfter();
    const second = await (await start()).end();

    expect(ids(first.diff)).toEqual([1]);
    expect(ids(second.diff)).toEqual([]);
  });

  test("truncate fails the run by name", async () => {
    const run = await start();
    await write(1);
    await sql.unsafe(`truncate ${schema()}.things`);
    expect(await run.end()).toEqual(LOST("truncate"));
  });

  test("a table dropped or created fails the run by name", async () => {
    const dropped = await start();
    await sql.unsafe(`drop table ${schema()}.things`);
    expect(await dropped.end()).toEqual(LOST("a table was dropped or created"));

    const created = await start();
    await sql.unsafe(`create table ${schema()}.more (id int primary key)`);
    expect(await created.end()).toEqual(LOST("a table was dropped or created"));
  });

  test("a run that changes more than fits in memory fails by name; another one continues", async () => {
    const large = await start();
    await sql.unsafe(
      `insert into ${schema()}.things select i, repeat(md5(i::text), 31250) from generate_series(1, 70) i`,
    );
    next++;
    await createThings();
    const small = await start();
    await write(1);

    expect(await large.end()).toEqual(LOST("more than 32 MB of changed rows", "agent_limit"));
    expect(ids((await small.end()).diff)).toEqual([1]);
  });

  test("a result that Postgres rejects fails its run by name; another one continues", async () => {
    const refused = await start();
    await write(1);
    next++;
    await createThings();
    const other = await start();
    await write(2);
    await sql.unsafe(
      `create function public.refuse() returns trigger language plpgsql as $$ begin raise 'no'; end $$;
       create trigger refuse before update on diorama.runs for each row
         when (new.run_id = '${refused.run}' and new.diff is not null) execute function public.refuse()`,
    );
    try {
      expect(await refused.end()).toEqual(LOST("its result could not be stored"));
      expect(ids((await other.end()).diff)).toEqual([2]);
    } finally {
      await sql`drop function public.refuse() cascade`;
    }
  });

  test("a result for which there is no disk space is stored when there is", async () => {
    const full = await start();
    await write(1);
    await sql.unsafe(
      `create sequence public.attempts;
       create function public.refuse() returns trigger language plpgsql as $$ begin
         perform nextval('public.attempts'); raise 'no space left on device' using errcode = 'disk_full'; end $$;
       create trigger refuse before update on diorama.runs for each row
         when (new.run_id = '${full.run}' and new.status <> 'ending') execute function public.refuse()`,
    );

    const ended = full.end();

    try {
      await eventually(async () => {
        const [row] = await sql`select last_value::int as attempts from public.attempts`;
        expect(row?.["attempts"]).toBeGreaterThan(5);
      });
      expect((await full.read()).status).toBe("ending");
    } finally {
      await sql`drop function public.refuse() cascade`;
      await sql`drop sequence public.attempts`;
    }
    expect(ids((await ended).diff)).toEqual([1]);
  });

  describe("a transaction that Postgres cannot decode", () => {
    /** A value whose enum label was deleted cannot be printed. */
    const poison = async (name: string) => {
      await sql.unsafe(
        `create type ${name}_mood as enum ('sad'); alter table ${name} add mood ${name}_mood; update ${name} set mood = 'sad'`,
      );
      return async () => {
        await sql.unsafe(`delete from pg_enum where enumtypid = '${name}_mood'::regtype`);
        await sql.unsafe(`update ${name} set id = id + 1000`);
      };
    };

    /** A run in a separate schema, and a function that writes to it. */
    const newRun = async () => {
      next++;
      await createThings();
      const name = schema();
      return {
        run: await start(),
        write: (id: number) => sql.unsafe(`insert into ${name}.things (id) values (${id})`),
      };
    };

    test("fails the runs it may belong to, and no later one; the stream continues", async () => {
      const hit = schema();
      await write(1);
      const writePoison = await poison(`${hit}.things`);
      const belongs = await start();
      const other = await newRun();
      await other.write(1);
      await writePoison();
      await other.write(2);

      await eventually(async () =>
        expect(await belongs.read()).toEqual(LOST("undecodable transaction")),
      );
      const later = await newRun();
      await later.write(3);
      expect(ids((await later.run.end()).diff)).toEqual([3]);
      const { failures, diff } = await other.run.end();
      // Pgoutput can leave nothing out, and skips the whole transaction.
      if (plugin === "pgoutput") expect(failures).toEqual(LOST("undecodable transaction").failures);
      else expect(ids(diff)).toEqual([1, 2]);
    });

    test("does not affect its schema's runs once it has been passed", async () => {
      const hit = schema();
      await write(1);
      const writePoison = await poison(`${hit}.things`);
      const belongs = await start();
      await writePoison();
      await eventually(async () => expect((await belongs.read()).status).toBe("failed"));
      await sql.unsafe(`alter table ${hit}.things drop column mood`);

      await eventually(async () => {
        await sql.unsafe(`delete from ${hit}.things`);
        const again = await record(server.pool, server.capture, hit, KEYS);
        await sql.unsafe(`insert into ${hit}.things values (7)`);
        expect(ids((await again.end()).diff)).toEqual([7]);
      });
    });

    test("of no run fails none", async () => {
      await sql.unsafe(`create schema tpl_${next}; create table tpl_${next}.foreign (id int primary key);
        alter table tpl_${next}.foreign replica identity full; insert into tpl_${next}.foreign values (1)`);
      const writeForeign = await poison(`tpl_${next}.foreign`);
      const run = await start();
      await write(1);
      await writeForeign();
      await write(2);

      expect(ids((await run.end()).diff)).toEqual([1, 2]);
    });
  });

  describe("DDL that may hide changes fails the run by name:", () => {
    const INCOMPLETE = "the old row of a change is not complete in the log";
    const NOT_WHOLE = "a table is unlogged or its replica identity is not full";
    const ALTERED = "a table was altered";
    const FLIPPED = `alter table things replica identity default;
      update things set note = 'c' where id = 1; alter table things replica identity full`;
    const WIDENED = "alter table things add column size int";
    const cases: [what: string, ddl: string, reason: string][] = [
      ["a replica identity", "alter table things replica identity default", NOT_WHOLE],
      ["a replica identity, for one write", FLIPPED, plugin === "pgoutput" ? INCOMPLETE : ALTERED],
      [
        "a replica identity, for one write, before a column is added",
        `${FLIPPED}; ${WIDENED}`,
        plugin === "pgoutput" ? INCOMPLETE : ALTERED,
      ],
      [
        "a replica identity by index, for one write",
        `alter table things replica identity using index things_pkey;
         update things set note = 'c' where id = 1; alter table things replica identity full`,
        plugin === "pgoutput" ? INCOMPLETE : ALTERED,
      ],
      ["another name of a table", "alter table things rename to stuff", ALTERED],
      ["a rewrite", "alter table things alter note type text using note || '!'", ALTERED],
      ["a column with a default", `${WIDENED} default 5`, ALTERED],
      [
        "a generated column",
        "alter table things add column size int generated always as (id * 2) stored",
        ALTERED,
      ],
      [
        "a dropped column",
        "alter table things drop column note; update things set id = 3 where id = 1",
        ALTERED,
      ],
      [
        "another name of a column",
        "alter table things rename column note to remark; insert into things values (3, 'c')",
        ALTERED,
      ],
    ];
    // With a publication, Postgres rejects these.
    if (plugin === "wal2json")
      cases.push(
        [
          "no replica identity, for one write, before a column is added",
          `alter table things replica identity nothing; update things set note = 'c' where id = 1;
           alter table things replica identity full; ${WIDENED}`,
          INCOMPLETE,
        ],
        ["an unlogged table", "alter table things set unlogged", NOT_WHOLE],
        [
          "a table that was unlogged for one write",
          `alter table things set unlogged; update things set note = 'c'; alter table things set logged; ${WIDENED}`,
          ALTERED,
        ],
      );
    else
      cases.push([
        "a table that left the publication for one write",
        `alter publication diorama drop table things; update things set note = 'c' where id = 1;
         alter publication diorama add table things; ${WIDENED}`,
        ALTERED,
      ]);

    test.each(cases)("%s", async (_what, ddl, reason) => {
      await write(1);
      const run = await start();
      await sql.unsafe(`insert into ${schema()}.things values (2, 'b')`);
      const session = await sql.reserve();
      for (const statement of [`set search_path to ${schema()}`, ...ddl.split(";")])
        await session.unsafe(statement);
      await session`set search_path to ''`;
      session.release();
      expect(await run.end()).toEqual(LOST(reason));
    });

    test("a run that begins with it", async () => {
      await sql.unsafe(`alter table ${schema()}.things replica identity default`);
      expect(await (await start()).end()).toEqual(LOST(NOT_WHOLE));
    });
  });

  test("maintenance of a table by Postgres is not DDL", async () => {
    await write(1);
    const run = await start();
    await write(2);
    await sql.unsafe(`vacuum analyze ${schema()}.things`);
    await sql.unsafe(`create index on ${schema()}.things (note)`);
    expect(ids((await run.end()).diff)).toEqual([2]);
  });

  test("an added column shows in the diff", async () => {
    await write(1);
    const run = await start();
    await sql.unsafe(`alter table ${schema()}.things add column size int`);
    await sql.unsafe(
      `update ${schema()}.things set size = 5; insert into ${schema()}.things values (2, 'n', 6)`,
    );

    const { diff } = await run.end();

    expect(diff?.updates).toMatchObject([{ key: { id: 1 }, after: { size: 5 } }]);
    expect(diff?.inserts).toMatchObject([{ id: 2, size: 6 }]);
  });

  test("a slot that was dropped fails the running runs by name, and new runs work", async () => {
    const run = await start();
    await write(1);
    await eventually(async () => {
      await killStream();
      await sql`
        select pg_drop_replication_slot(slot_name) from pg_replication_slots where database = current_database()
      `;
    });

    await eventually(async () => expect(await run.read()).toEqual(LOST("slot dropped")));
    const after = await start();
    await write(2);
    expect(ids((await after.end()).diff)).toEqual([2]);
  });

  test("a run over the WAL budget fails; another one continues", async () => {
    const frugal = await startCapture(database, plugin, { walBudgetBytes: 8 * 2 ** 20 });
    await server.stop(); // the frugal one leads
    try {
      await sql`create table if not exists public.bulk (body text)`;
      const oldest = await record(frugal.pool, frugal.capture, schema(), KEYS);
      await sql`insert into public.bulk select string_agg(md5(i::text), '') from generate_series(1, 400000) i`;
      await eventually(async () => expect(await oldest.read()).toEqual(LOST("wal budget")));

      const next = await record(frugal.pool, frugal.capture, schema(), KEYS);
      await write(7);
      expect(ids((await next.end()).diff)).toEqual([7]);
    } finally {
      await frugal.stop();
      server = await startCapture(database, plugin);
    }
  });

  test("without runs the stream ends, drops its slot, and the next run finds it again", async () => {
    const brief = await startCapture(database, plugin, { idleSeconds: 1 });
    await server.stop();
    try {
      await (await record(brief.pool, brief.capture, schema(), KEYS)).end();
      await eventually(async () => {
        const slots =
          await sql`select slot_name from pg_replication_slots where database = current_database()`;
        expect(slots).toHaveLength(0);
      });
      expect(await brief.capture.status()).toEqual({ state: "idle" });

      const again = await record(brief.pool, brief.capture, schema(), KEYS);
      await write(3);
      expect(ids((await again.end()).diff)).toEqual([3]);
    } finally {
      await brief.stop();
      server = await startCapture(database, plugin);
    }
  });

  test("a run that starts on one server ends on another after the first has stopped", async () => {
    const other = await startCapture(database, plugin);
    const run = await start();
    await write(1);
    await server.stop();
    await write(2);

    const { status, diff } = await run.end(other);

    expect({ status, ids: ids(diff) }).toEqual({ status: "completed", ids: [1, 2] });
    server = other;
  });
});

test("a status reports positions exactly as received, never one further", () => {
  const status = standbyStatus(0x1_0000_0002n, 0x1_0000_0001n);
  expect([status.length, status.toString("latin1", 0, 1)]).toEqual([34, "r"]);
  expect([
    status.readBigUInt64BE(1),
    status.readBigUInt64BE(9),
    status.readBigUInt64BE(17),
  ]).toEqual([0x1_0000_0002n, 0x1_0000_0001n, 0x1_0000_0001n]);
});
