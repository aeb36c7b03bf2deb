/** A schema serves many environments: no call of one may reach the next, on any server, however late. */
import { afterAll, beforeEach, describe, expect, spyOn, test } from "bun:test";
import { inTransaction } from "~/db/connect";
import { EnvironmentEnded } from "~/db/opening";
import { tryLockSchema } from "~/db/schema-locks";
import { dropSchema } from "~/db/schemas";
import { createSessionPool, type SessionPool } from "~/db/session-pool";
import { openEnvironment } from "~/platform/environments/opening";
import { eventually, useDatabase } from "../support/database";
import { useProgram } from "../support/program";

const database = useDatabase();
/** Without further maintenance, which would end environments that the tests insert without a schema. */
const program = useProgram(database, { MAINTENANCE_CYCLE_INTERVAL: "3600" });

/** Two servers. The test's own calls use neither. */
const servers: SessionPool[] = [];
const server = (which: 0 | 1): SessionPool => servers[which] as SessionPool;
let life: { environmentId: string; schemaName: string; tables: { name: string }[] };

beforeEach(async () => {
  servers[0] ??= createSessionPool(database.url, 4, openEnvironment);
  servers[1] ??= createSessionPool(database.url, 4, openEnvironment);
  life = await newLife();
});
afterAll(() => Promise.all(servers.map((each) => each.end())));

/** An environment, with an extra table to write to. */
async function newLife() {
  const environment = await program.environment();
  const { environmentId, schemaName } = environment;
  await database.sql.unsafe(`create table "${schemaName}".notes (life text not null)`);
  return { environmentId, schemaName, tables: [{ name: "notes" }] };
}

/** The environment ends and the next one gets its schema, without notifying any server. */
async function nextLife(of: typeof life) {
  const next = await newLife();
  await dropSchema(database.sql, next.schemaName);
  await database.sql`update diorama.environments set deleted_at = now() where environment_id = ${of.environmentId}`;
  await database.sql`
    update diorama.environments set schema_name = ${of.schemaName} where environment_id = ${next.environmentId}
  `;
  return { ...next, schemaName: of.schemaName };
}

/** The environment of `life` with the name of a schema that prefers the same of three sessions as `other`. */
async function besides(other: typeof life) {
  const place = (schema: string) => Bun.hash.crc32(schema) % 2; // half of three sessions, and two at least
  let { schemaName } = life;
  for (let n = 0; place(schemaName) !== place(other.schemaName); n++)
    schemaName = `${life.schemaName}_${n}`;
  await database.sql`
    update diorama.environments set schema_name = ${schemaName} where environment_id = ${life.environmentId}
  `;
  return { ...life, schemaName };
}

const write = (sessionPool: SessionPool, where: typeof life) =>
  sessionPool.use(
    where,
    ({ sql, t }) => sql`insert into ${t["notes"]!} values (${where.environmentId})`,
  );
const schemaIdle = (schema: string) => tryLockSchema(database.sql, schema);
const livesIn = async (schema: string) =>
  (await database.sql.unsafe(`select distinct life from "${schema}".notes order by life`)).map(
    (row) => row["life"],
  );

describe("a schema", () => {
  test("is not idle while any server leases it, and is once all have released it", async () => {
    await write(server(0), life);
    await write(server(1), life);

    await server(0).release(life.environmentId);
    expect(await schemaIdle(life.schemaName)).toBe(false);

    await server(1).release(life.environmentId);
    expect(await schemaIdle(life.schemaName)).toBe(true);
  });

  test("serves its next environment on the same server, and no longer the previous one", async () => {
    await write(server(0), life);
    const next = await nextLife(life);

    await write(server(0), next);

    await expect(write(server(0), life)).rejects.toBeInstanceOf(EnvironmentEnded);
    await write(server(0), next);
    await server(0).release(next.environmentId);
    expect(await schemaIdle(life.schemaName)).toBe(true);
  });

  test("stays with its environment, whatever arrives late from the previous one", async () => {
    const next = await nextLife(life);
    await server(0).use(next, async ({ sql, t }) => {
      await server(0).release(life.environmentId);
      await expect(write(server(0), life)).rejects.toBeInstanceOf(EnvironmentEnded);
      await sql`insert into ${t["notes"]!} values (${next.environmentId})`;
    });
    expect(await livesIn(next.schemaName)).toEqual([next.environmentId]);
  });

  test("is denied to an environment that has ended, on every server", async () => {
    const next = await nextLife(life);
    for (const sessionPool of servers)
      await expect(write(sessionPool, life)).rejects.toBeInstanceOf(EnvironmentEnded);

    await write(server(1), next);
    expect(await livesIn(life.schemaName)).toEqual([next.environmentId]);
  });
});

describe("a call in progress when its environment ends", () => {
  test("keeps what it sent, and sends no more", async () => {
    const call = server(0).use(life, async ({ sql, t }) => {
      await sql`insert into ${t["notes"]!} values ('in time')`;
      await server(0).release(life.environmentId);
      await sql`insert into ${t["notes"]!} values ('too late')`;
    });

    await expect(call).rejects.toBeInstanceOf(EnvironmentEnded);
    expect(await livesIn(life.schemaName)).toEqual(["in time"]);
  });

  test("ends its transaction first: until then the schema is not idle", async () => {
    const { promise: finished, resolve: finish } = Promise.withResolvers<void>();
    const call = server(0).use(life, (session) =>
      session.transaction(async ({ sql, t }) => {
        await sql`insert into ${t["notes"]!} values ('one')`;
        await finished;
        await sql`insert into ${t["notes"]!} values ('two')`;
      }),
    );
    await eventually(async () => expect(await schemaIdle(life.schemaName)).toBe(false));
    await Bun.sleep(50);

    const released = server(0).release(life.environmentId);
    await Bun.sleep(50);
    expect(await schemaIdle(life.schemaName)).toBe(false);
    finish();

    await Promise.all([call, released]);
    expect(await livesIn(life.schemaName)).toEqual(["one", "two"]);
    expect(await schemaIdle(life.schemaName)).toBe(true);
  });

  test("cannot begin a transaction any more", async () => {
    const call = server(0).use(life, async (session) => {
      await server(0).release(life.environmentId);
      await session.transaction(({ sql, t }) => sql`insert into ${t["notes"]!} values ('late')`);
    });

    await expect(call).rejects.toBeInstanceOf(EnvironmentEnded);
    expect(await livesIn(life.schemaName)).toEqual([]);
  });
});

describe("a lost session", () => {
  const kill = () => database.sql`
    select pg_terminate_backend(pid, 1000) from pg_stat_activity where application_name like 'diorama session %'
      and datname = current_database()
  `;

  test("loses its lock and its call's later statements: the database is unavailable, but the environment has not ended", async () => {
    const call = server(0).use(life, async ({ sql, t }) => {
      await sql`insert into ${t["notes"]!} values ('before')`;
      await kill();
      expect(await schemaIdle(life.schemaName)).toBe(true);
      await Bun.sleep(50);
      await sql`insert into ${t["notes"]!} values ('after')`;
    });

    await expect(call).rejects.toMatchObject({ code: "service_unavailable" });
    expect(await livesIn(life.schemaName)).toEqual(["before"]);
    await eventually(() => write(server(0), life));
  });

  test("rejects its queued calls instead of moving them to the next session, if the schema was taken meanwhile", async () => {
    const sessionPool = createSessionPool(database.url, 1, openEnvironment);
    const calls = Promise.allSettled([
      sessionPool.use(life, ({ sql }) => sql`select pg_sleep(1)`),
      ...Array.from({ length: 10 }, () => write(sessionPool, life)),
    ]);
    await Bun.sleep(100);

    await inTransaction(database.sql, async (tx) => {
      await kill();
      expect(await tryLockSchema(tx, life.schemaName)).toBe(true);
      await tx`update diorama.environments set deleted_at = now() where environment_id = ${life.environmentId}`;
      await Bun.sleep(100);
    });

    expect((await calls).map(({ status }) => status)).not.toContain("fulfilled");
    expect(await livesIn(life.schemaName)).toEqual([]);
    await sessionPool.end();
  });
});

/** Many environments without schemas, like `life`. */
async function crowd(life: { environmentId: string }) {
  const others = await database.sql<{ environmentId: string; schemaName: string }[]>`
    insert into diorama.environments (
      environment_id, user_id, key_id, service, template_name, schema_name, acting_user_id, token_hash, expires_at
    )
    select id, user_id, key_id, service, template_name, 'none_' || id, acting_user_id, token_hash, expires_at
    from diorama.environments, generate_series(1, 250) n, md5(environment_id || n) id where environment_id = ${life.environmentId}
    returning environment_id as "environmentId", schema_name as "schemaName"
  `;
  return others.map((other) => ({ ...other, tables: [] }));
}

test("releases the least recently used schemas, so that its locks stay few", async () => {
  const sessionPool = createSessionPool(database.url, 1, openEnvironment);
  const life = await newLife();
  const others = await crowd(life);
  try {
    for (const other of others) await sessionPool.use(other, ({ sql }) => sql`select 1`);
    await write(sessionPool, life);

    const [locks] = await database.sql`
      select count(*)::int as held from pg_locks l join pg_stat_activity a using (pid)
      where l.locktype = 'advisory' and a.application_name = 'diorama session 0' and a.datname = current_database()
    `;
    expect(locks?.["held"]).toBeGreaterThan(100);
    expect(locks?.["held"]).toBeLessThanOrEqual(200);
    expect(await livesIn(life.schemaName)).toEqual([life.environmentId]);
  } finally {
    await sessionPool.end();
  }
});

test("keeps the schemas of all calls in progress, however many", async () => {
  const sessionPool = createSessionPool(database.url, 1, openEnvironment);
  const others = await crowd(await newLife());
  try {
    const entered = Promise.withResolvers<void>();
    let count = 0;
    const calls = others.map((other) =>
      sessionPool.use(other, async ({ sql }) => {
        if (++count === others.length) entered.resolve();
        await entered.promise;
        await sql`select 1`;
      }),
    );

    await Promise.all(calls);
  } finally {
    await sessionPool.end();
  }
});

test("calls use half of the sessions while none is stuck", async () => {
  const sessionPool = createSessionPool(database.url, 4, openEnvironment);
  const lives = await Promise.all(Array.from({ length: 6 }, newLife));
  const sessionOf = async (life: (typeof lives)[number]) => {
    const [row] = await sessionPool.use(
      life,
      ({ sql }) => sql`select current_setting('application_name') as name`,
    );
    return row?.["name"];
  };
  try {
    const names = await Promise.all([...lives, ...lives, ...lives, ...lives].map(sessionOf));

    expect([...new Set(names)].toSorted()).toEqual(["diorama session 0", "diorama session 1"]);
  } finally {
    await sessionPool.end();
  }
});

test("a call stuck behind other environments uses another session, one stuck behind its own stays", async () => {
  const sessionPool = createSessionPool(database.url, 3, openEnvironment);
  const victim = await newLife();
  const other = await besides(victim);
  const slow = () => sessionPool.use(other, ({ sql }) => sql`select pg_sleep(2)`);
  const done: string[] = [];
  try {
    const calls = [slow(), slow()].map((call) => call.then(() => done.push("other")));
    await Bun.sleep(400);
    calls.push(slow().then(() => done.push("other, again")));
    await write(sessionPool, victim).then(() => done.push("victim"));

    await Promise.all(calls);
    expect(done).toEqual(["victim", "other", "other", "other, again"]);
  } finally {
    await sessionPool.end();
  }
});

test("calls do not join a session that is stuck because it has the fewest", async () => {
  const sessionPool = createSessionPool(database.url, 3, openEnvironment);
  const lives = await Promise.all(Array.from({ length: 6 }, newLife));
  try {
    const slow = sessionPool.use(life, ({ sql }) => sql`select pg_sleep(3)`);
    await Bun.sleep(400);
    const others = Array.from({ length: 24 }, (_, call) =>
      write(sessionPool, lives[call % lives.length]!),
    );

    const first = await Promise.race([
      slow.then(() => "slow"),
      Promise.all(others).then(() => "others"),
    ]);

    expect(first).toBe("others");
    await slow;
  } finally {
    await sessionPool.end();
  }
});

test("a session with too many prepared statements is replaced without rejecting a call", async () => {
  const sessionPool = createSessionPool(database.url, 1, openEnvironment, {
    statementsMax: 20_000,
  });
  const call = (text: string) =>
    sessionPool.use(life, async ({ sql }) => {
      const statement = `select pg_backend_pid() as pid, '${text}' || $1 as text`;
      const [row] = await sql.unsafe(statement, ["y"], { prepare: true });
      expect(row?.["text"]).toBe(`${text}y`);
      return row?.["pid"];
    });
  const text = (n: number) => String(n).padStart(1_000, "x");
  try {
    const same = [];
    for (let n = 0; n < 40; n++) same.push(await call(text(0)));
    const different = await Promise.all(Array.from({ length: 40 }, (_, n) => call(text(n))));
    const later = await call(text(0));

    expect(new Set(same).size).toBe(1);
    expect(new Set(different)).not.toContain(later);
  } finally {
    await sessionPool.end();
  }
});

test("a session that has used too many schemas is replaced; the successors of an environment use one", async () => {
  const sessionPool = createSessionPool(database.url, 1, openEnvironment, { schemasMax: 3 });
  const call = async (where: typeof life) =>
    await sessionPool.use(where, async ({ sql }) => {
      const [row] = await sql`select pg_backend_pid() as pid`;
      return row?.["pid"];
    });
  try {
    const pids = [await call(life), await call(await nextLife(life))];
    for (let n = 0; n < 3; n++) pids.push(await call(await newLife()));

    const [first, ...others] = pids;
    expect(others).toEqual([first, first, first, first]);
    expect(await call(life).catch((error) => error)).toBeInstanceOf(EnvironmentEnded);
    expect(await call(await newLife())).not.toBe(first);
  } finally {
    await sessionPool.end();
  }
});

test("a call that gives up waiting does not make its session look free", async () => {
  const sessionPool = createSessionPool(database.url, 3, openEnvironment);
  const other = await newLife();
  const busy = await besides(other);
  const call = (statement: string) => sessionPool.use(busy, ({ sql }) => sql.unsafe(statement));
  const lock = await database.sql.reserve();
  await lock`select pg_advisory_lock(1)`;
  const calls: Promise<unknown>[] = [1, 2].map(() =>
    call("select pg_advisory_xact_lock_shared(1)"),
  );
  const isWaiting = async () => {
    const [row] = await lock`
      select count(*)::int as count from pg_stat_activity
      where application_name like 'diorama session %' and wait_event = 'advisory' and datname = current_database()
    `;
    expect(row?.["count"]).toBe(2);
  };
  const now = performance.now.bind(performance);
  const clock = spyOn(performance, "now");
  try {
    await eventually(isWaiting);
    clock.mockImplementation(() => now() + 1_000);
    const gaveUp = sessionPool.use(busy, async () => {
      throw Object.assign(new Error("canceling statement due to statement timeout"), {
        code: "57014",
      });
    });
    await expect(gaveUp).rejects.toMatchObject({ code: "57014" });

    let isDone = false;
    calls.push(
      write(sessionPool, other).then(() => {
        isDone = true;
      }),
    );
    await eventually(() => expect(isDone).toBe(true));
    await isWaiting();
  } finally {
    clock.mockRestore();
    await lock`select pg_advisory_unlock(1)`;
    await Promise.all(calls);
    lock.release();
    await sessionPool.end();
  }
});

test("an old session is replaced without rejecting a call", async () => {
  const sessionPool = createSessionPool(database.url, 3, openEnvironment, { lifetimeMs: 100 });
  const lives = await Promise.all(Array.from({ length: 6 }, newLife));
  const sessions = new Set<number>();
  const end = performance.now() + 1_500;
  try {
    await Promise.all(
      Array.from({ length: 18 }, async (_, caller) => {
        while (performance.now() < end)
          await sessionPool.use(lives[caller % lives.length]!, async ({ sql }) => {
            const [row] = await sql`select pg_backend_pid() as pid from pg_sleep(0.005)`;
            sessions.add(row?.["pid"]);
          });
      }),
    );

    expect(sessions.size).toBeGreaterThan(9);
    await eventually(async () => {
      const [open] = await database.sql`
        select count(*)::int as count from pg_stat_activity
        where pid = any(${[...sessions]}) and datname = current_database()
      `;
      expect(open?.["count"]).toBeLessThanOrEqual(3);
    });
  } finally {
    await sessionPool.end();
  }
});
