/** The people of a template, as any of whom an agent can act. */
import type { Template } from "~/clients/typescript/schema";
import { type Ask, nameOf, type Row, readRows } from "~/console/rows";
import { prefixOf, WORLD } from "~/console/services/member";

/** Their rows. In a world, each person is a row of the first service that knows the name. */
export async function readPeople(
  ask: Ask,
  { name, service, services }: Pick<Template, "name" | "service" | "services">,
): Promise<readonly Row[]> {
  const prefixes = service === WORLD ? services.map(prefixOf) : [""];
  const tables = prefixes.map((prefix) => `${prefix}users`);
  const rows = await readRows(ask, name, tables);
  const people = new Map<string, Row>();
  for (const row of tables.flatMap((table) => rows[table] ?? [])) {
    const known = service === WORLD ? nameOf(row) : String(row["id"]);
    if (!people.has(known)) people.set(known, row);
  }
  return [...people.values()];
}
