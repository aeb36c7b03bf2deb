/** Rows that depend on another row. */
import type { TrackerSession } from "~/replicas/tracker/store/tables";

/** Deletes the favorites of, and subscriptions to, the row with this id. */
export async function deleteFollowers(
  { sql, t }: TrackerSession,
  key: "customViewId" | "projectLabelId" | "initiativeLabelId" | "customerId",
  id: string,
): Promise<void> {
  await sql`delete from ${t.favorites} where ${sql(key)} = ${id}`;
  if (key === "customViewId" || key === "customerId")
    await sql`delete from ${t.notification_subscriptions} where ${sql(key)} = ${id}`;
}

export async function hasSubscribers(
  { sql, t }: TrackerSession,
  customViewId: string,
): Promise<boolean> {
  const [row] = await sql`
    select from ${t.notification_subscriptions} where "customViewId" = ${customViewId} and active limit 1
  `;
  return row !== undefined;
}

/** Deletes records of a type that hold this id under a key; returns their number. */
export async function deleteRecordsOf(
  { sql, t }: TrackerSession,
  type: string,
  key: string,
  id: string,
): Promise<number> {
  const rows =
    await sql`delete from ${t.records} where type = ${type} and data->>${key}::text = ${id}`;
  return rows.count;
}

/** The id of the record of a type that has these values. */
export async function findRecord(
  { sql, t }: TrackerSession,
  type: string,
  values: Readonly<Record<string, unknown>>,
): Promise<string | undefined> {
  const [row] = await sql<{ id: string }[]>`
    select id from ${t.records} where type = ${type} and data @> ${sql.json(values as never)}
    order by "createdAt", id limit 1
  `;
  return row?.id;
}
