import { beforeAll, expect, test } from "bun:test";
import { inTransaction } from "~/db/connect";
import { tablesOf } from "~/db/session";
import { insertRows } from "~/replicas/kit/seed";
import { useDatabase } from "../../support/database";

const database = useDatabase({ empty: true });
const SCHEMA = "kit_seed";

beforeAll(async () => {
  await database.sql.unsafe(`
    create schema ${SCHEMA};
    create table ${SCHEMA}.notes (
      id int primary key, title text not null default 'Untitled', tags text[] not null default '{}',
      data jsonb, at timestamptz, bytes bytea
    );
  `);
});

async function insert(rows: readonly object[]) {
  const t = tablesOf(database.sql, SCHEMA, [{ name: "notes" }]);
  await inTransaction(database.sql, (tx) => insertRows(tx, t, "notes", rows));
  return await database.sql`select * from ${t["notes"]!} order by id`;
}

test("rows get the defaults of columns that they lack, and values of each type", async () => {
  const rows = await insert([
    { id: 1 },
    { id: 2, title: "Two", tags: ["a", "b"], data: { deep: [1] }, at: "2026-01-05T09:00:00Z" },
    { title: "Three", id: 3, bytes: "\\x00ff" },
    { id: 4, data: null },
  ]);

  const empty = { title: "Untitled", tags: [], data: null, at: null, bytes: null };
  expect([...rows]).toEqual([
    { id: 1, ...empty },
    {
      ...{ id: 2, ...empty, title: "Two", tags: ["a", "b"], data: { deep: [1] } },
      at: new Date("2026-01-05T09:00:00Z"),
    },
    { id: 3, ...empty, title: "Three", bytes: Buffer.from([0, 255]) },
    { id: 4, ...empty },
  ]);
});

test("a column that the table lacks is a mistake, not a loss", async () => {
  await expect(insert([{ id: 5, titel: "Five" }])).rejects.toThrow("titel");
});

test("no rows are no statement", async () => {
  expect(await insert([])).toHaveLength(4);
});
