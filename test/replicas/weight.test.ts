/** The cost of an environment: its relations. A new table or index needs room here, or a reason in the commit. */
import { expect, test } from "bun:test";
import { REPLICAS } from "~/replicas/index";
import { useDatabase } from "../support/database";

const database = useDatabase({ empty: true });

/** Tables, indexes and sequences; the TOAST tables with their indexes. */
const MOST: Readonly<Record<string, { relations: number; toast: number }>> = {
  chat: { relations: 45, toast: 36 },
  tracker: { relations: 77, toast: 54 },
  mail: { relations: 15, toast: 12 },
  calendar: { relations: 25, toast: 14 },
};

test.each([...REPLICAS])("an environment of %s has few relations", async (service, replica) => {
  await database.sql.unsafe(
    `create schema ${service}; set search_path to ${service}; ${replica.tables}; set search_path to ''`,
  );

  const [row] = await database.sql`
    select count(*) filter (where relkind in ('r', 'i', 'S'))::int as relations,
      2 * count(*) filter (where reltoastrelid <> 0)::int as toast
    from pg_class where relnamespace = ${service}::regnamespace
  `;

  expect(row?.["relations"]).toBeLessThanOrEqual(MOST[service]?.relations ?? 0);
  expect(row?.["toast"]).toBeLessThanOrEqual(MOST[service]?.toast ?? 0);
});
