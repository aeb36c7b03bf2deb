import type { TrackerSession } from "~/replicas/tracker/store/tables";

/** The number of attachments by source, in one team or in all. */
export async function countSources(
  { sql, t }: TrackerSession,
  teamId: string | null,
): Promise<Readonly<Record<string, number>>> {
  const rows = await sql<{ source: string; count: number }[]>`
    select coalesce(a."sourceType", 'unknown') as source, count(*)::int as count
    from ${t.attachments} a
    where ${teamId}::text is null
      or (select i."teamId"::text from ${t.issues} i where i.id = a."issueId") = ${teamId}
    group by 1 order by 1
  `;
  return Object.fromEntries(rows.map(({ source, count }) => [source, count]));
}
