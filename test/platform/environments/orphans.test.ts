/** Schemas that nothing refers to, and environments whose schema is missing. */
import { describe, expect, test } from "bun:test";
import { FIRST_PAGE, listOrphans } from "~/platform/environments/schemas-store";
import { useDatabase } from "../../support/database";
import { useProgram } from "../../support/program";

const nameOf = (n: number) => `env_${String(n).padStart(32, "0")}`;

describe("a page of names", () => {
  const database = useDatabase();

  test("has its orphans and its missing schemas; all pages together have all of them", async () => {
    const { sql } = database;
    for (const n of [1, 2, 3, 4, 5]) await sql.unsafe(`create schema ${nameOf(n)}`);
    for (const n of [2, 4, 6, 7])
      await sql`
        insert into diorama.schemas (schema_name, template_schema, state, fresh_xid, fingerprint)
        values (${nameOf(n)}, 'tpl_none', 'claimed', 3, '')
      `;

    const found = { schemas: [] as string[], entries: [] as string[] };
    let after = FIRST_PAGE;
    for (let pages = 0; pages < 40; pages++) {
      const page = await listOrphans(sql, after, 2);
      found.schemas.push(...page.schemas);
      found.entries.push(...page.entries);
      after = page.next;
    }

    expect([...new Set(found.schemas)].toSorted()).toEqual([1, 3, 5].map(nameOf));
    expect([...new Set(found.entries)].toSorted()).toEqual([6, 7].map(nameOf));
  });
});

describe("maintenance", () => {
  const database = useDatabase();
  const program = useProgram(database);

  test("an environment whose schema was dropped by hand ends with the next cycle, and its entry goes", async () => {
    const { environmentId, schemaName } = await program.environment();
    await database.sql.unsafe(`drop schema ${schemaName} cascade`);

    await program.program.maintenance.cycle();

    expect((await program.get(`/env/${environmentId}`)).body).toMatchObject({ status: "deleted" });
    const [left] = await database.sql`
      select count(*)::int as count from diorama.schemas where schema_name = ${schemaName}
    `;
    expect(left?.["count"]).toBe(0);
  });
});
