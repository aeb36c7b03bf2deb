/** A connection that has read the changes of many schemas is replaced: no run misses a change. */
import { describe, expect, test } from "bun:test";
import { record, startCapture } from "../support/capture";
import { startClusters } from "../support/clusters";
import { eventually, useDatabase } from "../support/database";

const KEYS = { things: ["id"] };
const SCHEMAS = 12;

const ways = (await startClusters()).flatMap((cluster) =>
  cluster.plugins.map((plugin) => ({ cluster, plugin, name: `${plugin} on ${cluster.name}` })),
);

describe.each(ways)("with $name", ({ cluster, plugin }) => {
  const database = useDatabase({ cluster });

  test("a run that is open when it is replaced has its changes before and after", async () => {
    const { sql } = database;
    const { pool, capture, stop } = await startCapture(database, plugin, {
      schemasMax: SCHEMAS - 1,
    });
    const newSchema = async () => {
      const schema = `env_${crypto.randomUUID().slice(0, 8)}`;
      await sql.unsafe(
        `create schema "${schema}"; create table "${schema}".things (id int primary key, text text);
       alter table "${schema}".things replica identity full`,
      );
      return schema;
    };
    const write = (schema: string, id: number) =>
      sql.unsafe(`insert into "${schema}".things values (${id}, '')`);
    /** Random, so that Postgres cannot compress it: 640 kB in the log, much more than everything else writes. */
    const writeMuch = (schema: string) =>
      sql.unsafe(`
        insert into "${schema}".things
        select 1, string_agg(md5(random()::text), '') from generate_series(1, 20000)
      `);
    const begin = async (schema: string) => ({
      schema,
      ...(await record(pool, capture, schema, KEYS)),
    });
    const connection = async () => {
      const [row] = await sql<{ pid: number }[]>`
      select pid from pg_stat_replication where application_name = 'diorama capture'
    `;
      if (!row) throw new Error("nothing is streaming");
      return row.pid;
    };
    try {
      const early = await begin(await newSchema());
      const first = await connection();
      for (let n = 1; n < SCHEMAS; n++) {
        const each = await begin(await newSchema());
        await writeMuch(each.schema);
        await each.end();
      }
      await write(early.schema, 1);
      const late = await begin(await newSchema());
      await write(late.schema, 1);
      await Bun.sleep(1_500);
      // The next connection would have to read for this run what this one has read so far.
      expect(await connection()).toBe(first);
      expect((await early.end()).diff?.inserts).toHaveLength(1);
      await eventually(async () => expect(await connection()).not.toBe(first));
      await write(late.schema, 2);
      expect((await late.end()).diff?.inserts).toMatchObject([{ id: 1 }, { id: 2 }]);
    } finally {
      await stop();
    }
  });
});
