/** The laws of clones: a clone equals its template, does not depend on it, and equals it again after recycling. */
import { beforeAll, beforeEach, describe, expect, test } from "bun:test";
import fc from "fast-check";
import { type Blueprint, readBlueprint, readBlueprintIn, withoutRows } from "~/db/blueprint";
import { inTransaction, type Pool, type Tx } from "~/db/connect";
import { NOTING, refreshClone, touchedTables } from "~/db/recycling";
import { type Built, buildClone, dropSchema, fillClone, newSchemaName } from "~/db/schemas";
import { openTransaction, useDatabase } from "../support/database";

const database = useDatabase({ empty: true });
let sql: Pool;
let blueprint: Blueprint;

/** One of everything that a template may contain. */
const TEMPLATE = `
  create schema tpl_rich;
  set search_path to tpl_rich;
  create sequence counter start 100 increment 5;
  create table "Odd Name" ("Key" text collate "C" primary key, "camelCase" int not null default 7 check ("camelCase" > 0));
  create table parents (id serial primary key, name varchar(20) not null unique, extra jsonb default '{}');
  create table children (
    id int generated always as identity primary key,
    parent_id int, twin_id int,
    price numeric(10,2) default 1.5, total numeric generated always as (price * 2) stored,
    at timestamptz, tags text[], code text default nextval('counter')::text
  );
  create table links (a int, b int, note text, primary key (b, a));
  create table notes (id int primary key, note text);
  create index links_note on links (lower(note)) where note is not null;
  insert into "Odd Name" values ('x', 1), ('Y', 2);
  insert into parents (name) select 'p' || i from generate_series(1, 5) i;
  insert into children (parent_id, at, tags) select 1 + i % 5, '2026-01-01', array['a', null, 'b"c'] from generate_series(1, 20) i;
  insert into links select i, i * 2, case when i % 2 = 0 then repeat('long ', 1000) end from generate_series(1, 50) i;
  set search_path to ''
`;

beforeAll(async () => {
  sql = database.sql;
  await sql.unsafe(TEMPLATE);
  blueprint = await readBlueprint(sql, "tpl_rich");
});

async function clone(from: Blueprint = blueprint): Promise<{ schema: string; built: Built }> {
  const schema = newSchemaName();
  return { schema, built: await inTransaction(sql, (tx) => buildClone(tx, from, schema)) };
}

/** A clone that was built without rows, and filled by a later transaction. */
async function filled(): Promise<{ schema: string; built: Built }> {
  const { schema, built } = await clone(withoutRows(blueprint));
  const freshXid = await inTransaction(sql, (tx) => fillClone(tx, blueprint, schema));
  return { schema, built: { ...built, freshXid } };
}

/** All catalog entries of a schema as text, without its name. */
async function fingerprint(schema: string): Promise<string> {
  const rows = await sql`
    select 'column ' || c.relname || ' ' || concat_ws(' ', a.attnum, a.attname, format_type(a.atttypid, a.atttypmod),
      a.attnotnull, a.attidentity, a.attgenerated, a.attcollation, pg_get_expr(d.adbin, d.adrelid), c.relreplident) as line
    from pg_attribute a join pg_class c on c.oid = a.attrelid
    left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
    where c.relnamespace = ${schema}::regnamespace and c.relkind = 'r' and a.attnum > 0
    union all select 'constraint ' || conname || ' ' || pg_get_constraintdef(oid) from pg_constraint where connamespace = ${schema}::regnamespace
    union all select 'index ' || pg_get_indexdef(indexrelid) from pg_index join pg_class i on i.oid = indexrelid where i.relnamespace = ${schema}::regnamespace
    union all select 'sequence ' || concat_ws(' ', c.relname, seqtypid::regtype, seqstart, seqincrement, seqmin, seqmax, seqcycle,
      (select t.relname || '.' || refobjsubid from pg_depend p join pg_class t on t.oid = p.refobjid
        where p.objid = c.oid and p.deptype in ('a', 'i') and p.refclassid = 'pg_class'::regclass))
      from pg_sequence join pg_class c on c.oid = seqrelid where c.relnamespace = ${schema}::regnamespace
    order by 1
  `;
  return rows
    .map(({ line }) => line)
    .join("\n")
    .replaceAll(schema, "S")
    .replaceAll(" f\n", "\n")
    .replaceAll(" d\n", "\n");
}

/** Rows of every table and the state of every sequence. */
async function content(schema: string): Promise<Record<string, string>> {
  const tables = await sql<{ name: string }[]>`
    select relname as name from pg_class where relnamespace = ${schema}::regnamespace and relkind = 'r' order by 1
  `;
  const all: Record<string, string> = {};
  for (const { name } of tables) {
    const [row] = await sql.unsafe(
      `select md5(coalesce(string_agg(r::text, '|' order by r::text), '')) as md5 from "${schema}"."${name}" r`,
    );
    all[name] = row?.["md5"];
  }
  const sequences = await sql<{ name: string }[]>`
    select relname as name from pg_class where relnamespace = ${schema}::regnamespace and relkind = 'S' order by 1
  `;
  for (const { name } of sequences) {
    const [row] = await sql.unsafe(
      `select last_value || ' ' || is_called as state from "${schema}"."${name}"`,
    );
    all[name] = row?.["state"];
  }
  return all;
}

describe("a clone", () => {
  test("has the template's catalog entries", async () => {
    const { schema } = await clone();
    expect(await fingerprint(schema)).toBe(await fingerprint("tpl_rich"));
  });

  test("has full replica identity on every table", async () => {
    const { schema } = await clone();
    const rows = await sql`
      select distinct relreplident::text as identity from pg_class where relnamespace = ${schema}::regnamespace and relkind = 'r'
    `;
    expect([...rows]).toEqual([{ identity: "f" }]);
  });

  test("has the template's rows and sequences", async () => {
    const { schema } = await clone();
    expect(await content(schema)).toEqual(await content("tpl_rich"));
  });

  test("depends on nothing of another schema", async () => {
    const { schema } = await clone();
    const edges = await sql`
      select pg_describe_object(d.classid, d.objid, 0) as what from pg_depend d
      join pg_class c on c.oid = d.objid and d.classid = 'pg_class'::regclass
      join pg_class r on r.oid = d.refobjid and d.refclassid = 'pg_class'::regclass
      where c.relnamespace = ${schema}::regnamespace and r.relnamespace <> c.relnamespace and r.relnamespace <> 'pg_catalog'::regnamespace
    `;
    expect([...edges]).toEqual([]);
  });

  test("survives the drop of its template, and leaves nothing behind when it is dropped", async () => {
    await sql.unsafe(TEMPLATE.replaceAll("tpl_rich", "tpl_gone"));
    const { schema } = await clone(await readBlueprint(sql, "tpl_gone"));
    const before = await fingerprint(schema);
    await dropSchema(sql, "tpl_gone");

    expect(await fingerprint(schema)).toBe(before);
    await sql.unsafe(`insert into "${schema}".parents (name) values ('new')`);

    await dropSchema(sql, schema);
    const [left] =
      await sql`select count(*)::int as count from pg_class c join pg_namespace n on n.oid = relnamespace where nspname = ${schema}`;
    expect(left?.["count"]).toBe(0);
  });

  test("gives the same ids as another clone", async () => {
    const clones = await Promise.all([clone(), clone()]);
    const made = await Promise.all(
      clones.map(({ schema }) =>
        sql
          .unsafe(
            `set search_path to "${schema}"; insert into children (parent_id) values (1) returning id, code`,
          )
          .then(() =>
            sql.unsafe(`select max(id) as id, max(code::int) as code from "${schema}".children`),
          ),
      ),
    );
    expect(made[0]?.[0]).toEqual(made[1]![0]!);
  });

  test("of a template that was made from a clone is the same", async () => {
    const { schema } = await clone();
    const { schema: again } = await clone(await readBlueprint(sql, schema));
    expect([await fingerprint(again), await content(again)]).toEqual([
      await fingerprint("tpl_rich"),
      await content("tpl_rich"),
    ]);
  });
});

describe("a clone without rows", () => {
  test("is empty", async () => {
    const { schema } = await clone(withoutRows(blueprint));
    for (const { name } of blueprint.tables)
      expect([...(await sql.unsafe(`select * from "${schema}"."${name}"`))]).toEqual([]);
  });

  test("is like any other when it is filled", async () => {
    const { schema, built } = await filled();
    expect([await fingerprint(schema), await content(schema)]).toEqual([
      await fingerprint("tpl_rich"),
      await content("tpl_rich"),
    ]);

    await sql.unsafe(
      `delete from "${schema}".links where a < 3; update "${schema}".parents set name = 'new' where id = 1`,
    );
    await inTransaction(sql, (tx) => refreshClone(tx, blueprint, { schema, ...built }));
    expect(await content(schema)).toEqual(await content("tpl_rich"));
  });

  test("is read, built and recycled without reading a catalog whole, which has all schemas", async () => {
    const scans = (tx: Tx) => tx<{ relname: string; count: number }[]>`
      select relname, seq_scan::int as count from pg_stat_xact_sys_tables
      where schemaname = 'pg_catalog' and seq_scan > 0 order by relname
    `;
    const [before, after] = await inTransaction(sql, async (tx) => {
      await tx`set local enable_seqscan to off`; // Of small catalogs, too.
      const first = await scans(tx);
      const read = await readBlueprintIn(tx, "tpl_rich");
      const schema = newSchemaName();
      const used = { schema, ...(await buildClone(tx, read, schema)) };
      await tx`set local search_path to ''`;
      await refreshClone(tx, read, used);
      return [[...first], [...(await scans(tx))]];
    });

    expect(after).toEqual(before);
  });

  test("fits templates that differ in their rows only", async () => {
    const like = async (statements: string) => {
      await sql.unsafe(
        `drop schema if exists tpl_like cascade; ${TEMPLATE.replaceAll("tpl_rich", "tpl_like")}; ${statements}`,
      );
      return (await readBlueprint(sql, "tpl_like")).shape;
    };
    expect(await like("insert into tpl_like.notes values (1, 'x')")).toBe(blueprint.shape);
    expect(await like("create index on tpl_like.notes (note)")).not.toBe(blueprint.shape);
    expect(await like("alter table tpl_like.notes add tag text")).not.toBe(blueprint.shape);
  });
});

describe("a template cannot be cloned", () => {
  test.each([
    ["with a view", "create view v as select 1 as one"],
    ["with a function", "create function f() returns int language sql as 'select 1'"],
    ["with an enum", "create type mood as enum ('good')"],
    ["with a composite type", "create type pair as (a int, b int)"],
    ["with a table without a key", "create table keyless (a int)"],
    ["with an id that may be null", "create table keyless (id int, a int not null)"],
    ["with a deferrable key", "create table late (a int primary key deferrable)"],
    [
      "with a foreign key",
      "create table one (a int primary key); create table two (a int primary key references one)",
    ],
    [
      "with a trigger",
      "create table t (a int primary key); create trigger x before update on t for each row execute function suppress_redundant_updates_trigger()",
    ],
  ])("%s", async (_case, ddl) => {
    await sql.unsafe(
      `drop schema if exists tpl_bad cascade; create schema tpl_bad; set search_path to tpl_bad; ${ddl}; set search_path to ''`,
    );
    await expect(readBlueprint(sql, "tpl_bad")).rejects.toThrow("cannot be cloned");
  });
});

describe("a used clone", () => {
  let used: { schema: string; built: Built };
  beforeEach(async () => {
    used = await clone();
  });
  const refresh = () =>
    inTransaction(sql, (tx) => refreshClone(tx, blueprint, { schema: used.schema, ...used.built }));
  const run = (statements: string) =>
    sql.unsafe(`set search_path to "${used.schema}"; ${statements}; set search_path to ''`);

  const touched = (built: Built) =>
    inTransaction(sql, (tx) => touchedTables(tx, blueprint, { schema: used.schema, ...built }));

  test("has no newer rows before something is written, nor when it is fresh again", async () => {
    expect(await touched(used.built)).toEqual([]);

    await run("update parents set extra = '{}' where id = 2; delete from children");
    const names = (await touched(used.built)).map(({ name }) => name);
    expect(names.toSorted()).toEqual(["children", "parents"]);
    const built = await refresh();

    expect(built && (await touched(built))).toEqual([]);
  });

  const operation = fc.constantFrom(
    "insert into parents (name) values (gen_random_uuid()::text::varchar(20))",
    "update parents set extra = '{\"a\":1}' where id = 2",
    "delete from parents where id = 3",
    "update links set note = 'other' where a = 4",
    "delete from links where a > 40",
    "delete from children",
    "update children set at = now()",
    "insert into children (parent_id) select id from parents limit 1",
    "select nextval('counter')",
    'update "Odd Name" set "Key" = "Key" || \'!\'',
    "truncate links",
    "insert into notes select coalesce(max(id), 0) + 1, 'written' from notes",
    "delete from notes",
    "truncate notes",
    "update links set note = note",
    "delete from links where a = 5; insert into links values (5, 10, null)",
  );

  test("equals its template again after any changes, row for row, sequences included, repeatedly", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(operation, { maxLength: 8 }), async (operations) => {
        for (const statement of operations) await run(statement);

        const refreshed = await refresh();

        expect(refreshed).toBeDefined();
        used.built = refreshed!;
        expect(await content(used.schema)).toEqual(await content("tpl_rich"));
        expect(await fingerprint(used.schema)).toBe(await fingerprint("tpl_rich"));
      }),
      { numRuns: 40 },
    );
  });

  test.each([
    ["a new table", "create table extra (a int primary key)"],
    ["a new column", "alter table links add column more int"],
    ["a renamed column", "alter table links rename note to text"],
    ["another type of a column", "alter table notes alter note type varchar(10)"],
    ["a column that may be null", "alter table parents alter name drop not null"],
    ["a dropped column", "alter table links drop note"],
    ["a dropped table", "drop table links"],
    ["a dropped empty table", "drop table notes"],
    ["another replica identity", "alter table links replica identity default"],
    ["a dropped index", "drop index links_note"],
    [
      "the trigger of a run that compares snapshots",
      "create trigger diorama_order before update on links for each row execute function suppress_redundant_updates_trigger()",
    ],
    [
      "a trigger left behind",
      "create trigger x before update on links for each row execute function suppress_redundant_updates_trigger()",
    ],
  ])("that was altered by %s is not handed out again", async (_case, ddl) => {
    await run(ddl);
    expect(await refresh()).toBeUndefined();
  });

  test("whose changes were noted notes none when it is fresh again", async () => {
    await run(`
      create function public.ignore() returns trigger language plpgsql as 'begin return null; end';
      create constraint trigger ${NOTING.apps} after insert or update or delete on links
        deferrable initially deferred for each row execute function public.ignore();
      create trigger ${NOTING.counterparts} after delete on "Odd Name" for each row execute function public.ignore()
    `);
    await run("delete from links where a = 4");

    expect(await refresh()).toEqual({ ...used.built, freshXid: expect.any(String) });
    expect(await content(used.schema)).toEqual(await content("tpl_rich"));
    expect(await fingerprint(used.schema)).toBe(await fingerprint("tpl_rich"));
  });

  test("with a row that seems to be the template's and differs from it is not handed out again", async () => {
    await run("update links set note = 'tampered' where a = 4");
    const [now] = await sql`select pg_current_xact_id()::text as xid`;
    used.built = { ...used.built, freshXid: now?.["xid"] };
    await run("insert into links values (100, 1, null)");

    expect(await refresh()).toBeUndefined();
  });

  test("is refreshed only after a write in progress", async () => {
    const commit = await openTransaction(sql, `update "${used.schema}".links set note = 'late'`);
    const refreshing = refresh();
    await Bun.sleep(50);
    await commit();

    expect(await refreshing).toBeDefined();
    expect(await content(used.schema)).toEqual(await content("tpl_rich"));
  });
});
