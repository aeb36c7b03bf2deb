/** The people of a template, as any of whom an agent can act. */
import type { Template } from "~/clients/typescript/schema";
import { type Ask, nameOf, type Row, readRows } from "~/console/rows";
import { prefixOf, WORLD } from "~/console/services/member";
import { recordsOf } from "~/console/services/records";
import { peopleIn } from "~/console/services/shape";

/** Their rows, each with its id in `id`. In a world, each person is a row of the first service that knows the name. */
export async function readPeople(
  ask: Ask,
  { name, service, services }: Pick<Template, "name" | "service" | "services">,
): Promise<readonly Row[]> {
  const kinds = (service === WORLD ? services : [service]).map((kind) => {
    const { people } = recordsOf(kind);
    return { people, named: (service === WORLD ? prefixOf(kind) : "") + people.table };
  });
  const rows = await readRows(
    ask,
    name,
    kinds.map(({ named }) => named),
  );
  const known = new Map<string, Row>();
  for (const { people, named } of kinds)
    for (const row of peopleIn(people, rows[named])) {
      const key = service === WORLD ? nameOf(row) : String(row["id"]);
      if (!known.has(key)) known.set(key, row);
    }
  return [...known.values()];
}
