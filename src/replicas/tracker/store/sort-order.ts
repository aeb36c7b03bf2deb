import type { Model } from "~/graphql/model";
import type { TrackerSession } from "~/replicas/tracker/store/tables";

/** A `sortOrder` before, or after, that of every other row of the model. */
export async function findEdge(
  { sql, t }: TrackerSession,
  { table, name, shared }: Model,
  place: "top" | "bottom",
): Promise<number> {
  const from = t[table as keyof typeof t];
  const order = shared ? sql`(data->>'sortOrder')::float8` : sql`"sortOrder"`;
  const among = shared ? sql`where type = ${name}` : sql``;
  const edge = place === "top" ? sql`min(${order}) - 1` : sql`max(${order}) + 1`;
  const [row] = await sql`select coalesce(${edge}, 0)::float8 as edge from ${from} ${among}`;
  return row?.["edge"];
}

const NUMBERED = { Project: "projects", Initiative: "initiatives" } as const;

/** The number after the highest current or former identifier with this prefix. The caller serializes calls. */
export async function findNextNumber(
  { sql, t }: TrackerSession,
  type: keyof typeof NUMBERED,
  prefix: string,
): Promise<number> {
  const [row] = await sql`
    select coalesce(max(substr(known, ${prefix.length + 1}::int)::int), 0) + 1 as next
    from ${t[NUMBERED[type]]} r, unnest(r."previousIdentifiers" || r.identifier) known
    where known ~ ${`^${prefix}[0-9]{1,9}$`}
  `;
  return row?.["next"];
}
