/** A new environment gets a schema whose statements are planned: its first call only runs them. */
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { inTransaction, type Sql, type Tx } from "~/db/connect";
import { tryLockSchema } from "~/db/schema-locks";
import { type Blueprint, readBlueprint } from "~/db/schemas";
import { createSessionPool, type EnvironmentRef, type SessionPool } from "~/db/session-pool";
import { createLog } from "~/log";
import { type Ahead, createAhead } from "~/platform/environments/ahead";
import { openEnvironment } from "~/platform/environments/opening";
import * as schemas from "~/platform/environments/schemas-store";
import * as store from "~/platform/environments/store";
import { eventually, useDatabase } from "../../support/database";
import { useProgram } from "../../support/program";

const READY = 3;
const database = useDatabase();
const program = useProgram(database, { ENVIRONMENT_POOL_TARGETS: `chat_default:${READY}` });

let template: string;
let blueprint: Blueprint;
let sessionPool: SessionPool;
let ahead: Ahead;

beforeAll(async () => {
  const [row] = await database.sql`
    select schema_name from diorama.templates where name = 'chat_default'
  `;
  template = row?.["schema_name"];
  blueprint = await readBlueprint(database.sql, template);
});
beforeEach(async () => {
  await sessionPool?.end();
  sessionPool = createSessionPool(database.url, 2, openEnvironment);
  ahead = createAhead({
    pool: database.sql,
    sessionPool,
    templates: { blueprint: async () => blueprint },
    log: createLog({ level: "error" }),
  });
  await eventually(async () =>
    expect((await schemas.countReady(database.sql)).get(template)).toBe(READY),
  );
});
afterAll(() => sessionPool.end());

async function environment(): Promise<EnvironmentRef> {
  const { environmentId, schemaName } = await program.environment();
  return { environmentId, schemaName, tables: blueprint.tables };
}

/** Two statements: one reads, one writes. */
const call = (ref: EnvironmentRef, then?: (sql: Sql) => Promise<void>) =>
  sessionPool.use(ref, async ({ sql, t }) => {
    await sql`select name from ${t["channels"]!} where id = ${"C01GENERAL"}`;
    await sql`update ${t["users"]!} set real_name = 'has run'`;
    await then?.(sql);
  });

type Prepared = { readonly text: string; readonly planned: number };

/** The statements on this schema that a session has prepared, and how often their plans were used. */
async function prepared(sql: Sql, schema: string): Promise<Prepared[]> {
  const rows = await sql<Prepared[]>`
    select statement as text, generic_plans::int as planned from pg_prepared_statements
    where position(${schema} in statement) > 0 order by statement
  `;
  return [...rows];
}

/** The calls that teach the statements. */
async function learn() {
  for (let n = 0; n < 2; n++) await call(await environment());
}

const look = async (goesOn = () => true) => {
  ahead.of(template);
  await ahead.look(goesOn); // a schema may have been built since the last one
  await ahead.look(goesOn);
  return ahead.of(template);
};

const planAll = () =>
  eventually(async () => {
    expect(await look()).toHaveLength(READY);
  });

test("the first call in a schema planned ahead parses and plans nothing, and nothing ran before it", async () => {
  await learn();
  await planAll();
  const planned = ahead.of(template);
  const ref = await environment();
  expect(planned).toContain(ref.schemaName);

  const ran = await database.sql.unsafe(
    `select from "${ref.schemaName}".users where real_name = 'has run'`,
  );
  expect(ran).toHaveLength(0);
  let before: Prepared[] = [];
  await sessionPool.use(ref, async ({ sql }) => {
    before = await prepared(sql, ref.schemaName);
  });
  expect(before).toHaveLength(2);
  await call(ref, async (sql) => {
    const after = before.map(({ text, planned }) => ({ text, planned: planned + 1 }));
    expect(await prepared(sql, ref.schemaName)).toEqual(after);
  });
});

test("a new environment gets a planned schema, and any other if those are taken", async () => {
  const [first, second, third] = await schemas.listReady(database.sql, template, [], READY);
  const [row] = await database.sql`select user_id, key_id from diorama.environments limit 1`;
  const claim = (tx: Tx, preferred: string[]) =>
    store.claim(
      tx,
      template,
      {
        environmentId: crypto.randomUUID().replaceAll("-", ""),
        userId: row?.["user_id"],
        keyId: row?.["key_id"],
        service: "chat",
        templateName: "chat_default",
        actingUserId: "U01AGENTONE",
        tokenHash: Buffer.from(crypto.randomUUID()),
        ttlSeconds: 60,
        allowImpersonation: false,
        timing: { clock: null, firstClock: null, seed: null, calls: 0 },
      },
      preferred,
    );
  await inTransaction(database.sql, async (tx) => {
    await tx`savepoint before`;
    for (const schema of [third!, second!])
      expect((await claim(tx, [schema]))?.schemaName).toBe(schema);
    expect((await claim(tx, [third!, second!]))?.schemaName).toBe(first!);
    expect(await claim(tx, [third!])).toBeUndefined();
    await tx`rollback to savepoint before`;
  });
});

test("a schema is neither given away nor recycled while it is being planned, and not planned while it is taken", async () => {
  await learn();
  const [schemaName = ""] = await schemas.listReady(database.sql, template, [], 1);
  const ref = { schemaName, tables: blueprint.tables };
  const keep = (tx: Tx) => schemas.keepReady(tx, schemaName);
  const states: unknown[] = [];

  const session = await sessionPool.plan(
    ref,
    async (tx) => {
      const isKept = await keep(tx);
      const others = await inTransaction(database.sql, async (other) => {
        const found = await other`
          select schema_name from diorama.schemas where state = 'ready' for update skip locked
        `;
        return found.map((row) => row["schema_name"]);
      });
      states.push(others.includes(schemaName));
      return isKept;
    },
    () => true,
  );
  expect(session?.lost).toBe(false);
  expect(states).toEqual([false]);
  expect(await tryLockSchema(database.sql, schemaName)).toBe(true);

  await inTransaction(database.sql, async (tx) => {
    await tx`select from diorama.schemas where schema_name = ${schemaName} for update`;
    expect(await sessionPool.plan(ref, keep, () => true)).toBeUndefined();
  });
});

test("stops when a call arrives, and goes on later", async () => {
  await learn();
  let asked = 0;
  expect(await look(() => asked++ < 4)).toEqual([]);
  await planAll();
});

test("a lost session takes its plans with it, and they are made again", async () => {
  await learn();
  await planAll();

  await database.sql`
    select pg_terminate_backend(pid, 1000) from pg_stat_activity
    where application_name like 'diorama session %' and datname = current_database()
  `;
  await eventually(() => expect(ahead.of(template)).toEqual([]));
  await planAll();
});

test("a statement that fails elsewhere is forgotten", async () => {
  for (let n = 0; n < 2; n++) {
    const ref = await environment();
    await database.sql.unsafe(`create table "${ref.schemaName}".own (id int)`);
    await call(ref);
    await sessionPool.use(ref, ({ sql }) => sql`select * from ${sql(`${ref.schemaName}.own`)}`);
  }
  ahead.of(template);
  await ahead.look(() => true);
  await expect(ahead.look(() => true)).rejects.toThrow("does not exist");
  await planAll();
});
