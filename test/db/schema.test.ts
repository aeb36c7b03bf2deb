/** The platform's schema after all migrations, as a file that a reviewer can read beside a new migration. */
import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { connect, type Pool } from "~/db/connect";
import { MIGRATIONS, migrate } from "~/db/migrate";
import { startClusters } from "../support/clusters";
import { useDatabase } from "../support/database";

const FILE = join(import.meta.dir, "schema.sql");
const RENEW = "RENEW_SCHEMA=1 bun test test/db/schema.test.ts";

/** Read from the catalog, so that every version of Postgres gives the same text. */
async function readSchema(sql: Pool): Promise<string> {
  const tables = await sql<{ text: string }[]>`
    select format(
      E'create table diorama.%s (\n%s\n);', c.relname,
      string_agg('  ' || part.text, E',\n' order by part.kind, part.place, part.text collate "C")
    ) as text
    from pg_class c
    cross join lateral (
      select 1 as kind, a.attnum as place, concat_ws(' ', a.attname, format_type(a.atttypid, a.atttypmod),
        case when a.attidentity = 'a' then 'generated always as identity' end,
        'default ' || pg_get_expr(d.adbin, d.adrelid), case when a.attnotnull then 'not null' end) as text
      from pg_attribute a left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
      where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
      union all
      select 2, 0, format('constraint %s %s', o.conname, pg_get_constraintdef(o.oid))
      from pg_constraint o where o.conrelid = c.oid and o.contype in ('p', 'u', 'f', 'c')
    ) as part
    where c.relnamespace = 'diorama'::regnamespace and c.relkind = 'r'
    group by c.relname order by c.relname collate "C"
  `;
  const indexes = await sql<{ text: string }[]>`
    select pg_get_indexdef(i.indexrelid) || ';' as text
    from pg_index i join pg_class c on c.oid = i.indexrelid
    where c.relnamespace = 'diorama'::regnamespace
      and not exists (select from pg_constraint o where o.conindid = c.oid and o.contype in ('p', 'u'))
    order by c.relname collate "C"
  `;
  const functions = await sql<{ text: string }[]>`
    select pg_get_functiondef(p.oid) || ';' as text
    from pg_proc p where p.pronamespace = 'diorama'::regnamespace order by p.proname collate "C"
  `;
  const others = await sql<{ text: string }[]>`
    select format('-- %s %s', c.relkind, c.relname) as text from pg_class c
    where c.relnamespace = 'diorama'::regnamespace and c.relkind not in ('r', 'i', 'S')
    union all
    select format('create trigger %s: %s', t.tgname, pg_get_triggerdef(t.oid)) from pg_trigger t
    join pg_class c on c.oid = t.tgrelid where c.relnamespace = 'diorama'::regnamespace and not t.tgisinternal
    order by 1
  `;
  const texts = [...tables, ...indexes, ...functions, ...others].map(({ text }) => text);
  return [`-- The platform's schema. Renew it with: ${RENEW}`, ...texts].join("\n\n").concat("\n");
}

test("every file of a migration is applied", async () => {
  const files = [...new Bun.Glob("src/db/migrations/*.sql").scanSync()].toSorted();

  const texts = await Promise.all(files.map((file) => Bun.file(file).text()));

  expect(MIGRATIONS.map(({ text }) => text)).toEqual(texts);
});

for (const cluster of await startClusters())
  describe(`on the ${cluster.name} Postgres`, () => {
    const database = useDatabase({ cluster, empty: true });

    test("the schema after all migrations is the one in schema.sql", async () => {
      const pool = connect(database.url, { max: 1, name: "test", camel: true });
      await migrate(pool);
      await pool.end();

      const found = await readSchema(database.sql);

      if (process.env["RENEW_SCHEMA"]) await Bun.write(FILE, found);
      const stored = await Bun.file(FILE).text();
      expect(found, `The schema has changed. Review it after: ${RENEW}`).toBe(stored);
    });
  });
