/** Sessions that build schemas: the log's decoder skips what they write. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import {
  createSlot,
  dropSlot,
  type Plugin,
  skippingOptions,
  startReplication,
} from "~/capture/slot";
import { connect, type Pool } from "~/db/connect";
import { createBuilders, ensureOrigins } from "~/db/origins";
import { startClusters } from "../support/clusters";
import { createDatabase, dropDatabase, type TestDatabase } from "../support/database";

const ways = (await startClusters()).flatMap((cluster) =>
  cluster.plugins.map((plugin) => ({ cluster, plugin, name: `${plugin} on ${cluster.name}` })),
);

describe.each(ways)("with $name", ({ cluster, plugin }) => {
  let database: TestDatabase;
  let sql: Pool;

  beforeAll(async () => {
    database = await createDatabase(cluster);
    sql = database.sql;
    await sql.unsafe("create schema env_1; create table env_1.things (id int primary key)");
  });
  afterAll(() => dropDatabase(database));

  /** How many messages the plugin sends about what `work` writes. */
  async function decoded(work: () => Promise<unknown>): Promise<number> {
    const slot = `test_${crypto.randomUUID().slice(0, 8)}`;
    await createSlot(sql, slot, plugin);
    try {
      await sql.unsafe("alter publication diorama add table env_1.things").catch(() => undefined);
      await work();
      const command = startReplication({ name: slot, plugin }, await skippingOptions(sql, plugin));
      // The options of the stream, as the function takes them: name, value, name, value.
      const options = [
        ...(/\((.*)\)$/.exec(command)?.[1] ?? "").matchAll(/"([^"]*)" '([^']*)'/g),
      ].flatMap(([, name = "", value = ""]) => [name, value]);
      const [row] = await sql`
        select count(*)::int as messages
        from pg_logical_slot_peek_binary_changes(${slot}, null, null, variadic ${options})
      `;
      return row?.["messages"];
    } finally {
      await dropSlot(sql, slot, async () => true);
    }
  }

  const insert = (from: number) => async (by: Pick<Pool, "unsafe">) =>
    await by.unsafe(`insert into env_1.things select generate_series(${from}, ${from + 499})`);

  const skips = (plugin: Plugin, version: number) => plugin === "wal2json" || version >= 160_000;

  test("a builder's rows are not decoded if the plugin can skip them, and other sessions' rows are", async () => {
    const [{ version } = { version: 0 }] = await sql<{ version: number }[]>`
      select current_setting('server_version_num')::int as version
    `;
    const builders = createBuilders(connect(database.url, { max: 2, name: "builders" }), true);
    try {
      const foreign = await decoded(() => insert(1)(sql));
      const built = await decoded(() => builders.transaction(insert(501)));

      expect(foreign).toBeGreaterThanOrEqual(500);
      if (skips(plugin, version)) expect(built).toBeLessThan(10);
      else expect(built).toBeGreaterThanOrEqual(500);
    } finally {
      await builders.sql.end();
    }
  });

  test("a builder's first rows have the id of its transaction", async () => {
    const builders = createBuilders(connect(database.url, { max: 1, name: "builders" }), true);
    try {
      const [row] = await builders.transaction(
        (tx) => tx`
          with added as (insert into env_1.things values (0) returning xmin)
          select xmin::text = pg_current_xact_id()::text as same from added
        `,
      );
      expect(row?.["same"]).toBe(true);
    } finally {
      await builders.sql.end();
    }
  });

  test("builders without a free origin work too", async () => {
    const builders = createBuilders(connect(database.url, { max: 8, name: "builders" }), true);
    try {
      const wait = Promise.withResolvers<void>();
      let begun = 0;
      const all = Array.from({ length: 8 }, () =>
        builders.transaction(async (tx) => {
          begun++;
          if (begun === 8) wait.resolve();
          await wait.promise;
          const [row] = await tx`select pg_replication_origin_session_is_setup() as is_set`;
          return row?.["is_set"];
        }),
      );

      const set = await Promise.all(all);

      expect(set.filter((is) => is === true)).toHaveLength((await ensureOrigins(sql)).length);
      expect(set.filter((is) => is === false)).not.toHaveLength(0);
    } finally {
      await builders.sql.end();
    }
  });

  test("a role that may not use origins builds without them", async () => {
    const role = `plain_${crypto.randomUUID().slice(0, 8)}`;
    await sql.unsafe(
      `create role ${role} login replication password 'p'; grant create on database ${new URL(database.url).pathname.slice(1)} to ${role}`,
    );
    const url = new URL(database.url);
    url.username = role;
    url.password = "p";
    const plain = connect(url.toString(), { max: 1, name: "builders" });
    try {
      expect(await ensureOrigins(plain)).toEqual([]);
      expect(
        await createBuilders(plain, true).transaction(async (tx) => (await tx`select 1 as one`)[0]),
      ).toEqual({ one: 1 });
    } finally {
      await plain.end();
      await sql.unsafe(`drop owned by ${role}; drop role ${role}`);
    }
  });
});

test("origins of dropped databases are dropped", async () => {
  const [cluster] = await startClusters();
  if (!cluster) throw new Error("there is no cluster");
  const database = await createDatabase(cluster);
  try {
    await database.sql`select pg_replication_origin_create('diorama_4294967295_1')`;
    await ensureOrigins(database.sql);
    const left =
      await database.sql`select from pg_replication_origin where roname = 'diorama_4294967295_1'`;
    expect(left).toHaveLength(0);
  } finally {
    await dropDatabase(database);
  }
});
