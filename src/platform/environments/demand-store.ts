import type { Sql } from "~/db/connect";

/** How environments of one template arrived in the last hour. */
export type Demand = {
  /** The most that arrived within ten seconds. */
  readonly burst: number;
  /** The rate of the last minute. */
  readonly perSecond: number;
};

/** Reads the demand on all servers, by the template's name. */
export async function readDemand(sql: Sql): Promise<Map<string, Demand>> {
  const rows = await sql<(Demand & { name: string })[]>`
    select template_name as name, max(arrived)::int as burst,
      coalesce(sum(arrived) filter (where since > now() - interval '1 minute'), 0)::float8 / 60 as per_second
    from (
      select template_name, date_bin('10 seconds', created_at, 'epoch') as since, count(*) as arrived
      from diorama.environments where created_at > now() - interval '1 hour'
      group by template_name, since
    ) a
    group by template_name
  `;
  return new Map(rows.map(({ name, ...demand }) => [name, demand]));
}
