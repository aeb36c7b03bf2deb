/** Apps with addresses: which of them have something to post, and whether their addresses have answered the challenge. */
import type { Sql } from "~/db/connect";
import type { Timing } from "~/platform/environments/clock-model";
import { timingOf } from "~/platform/environments/clock-store";
import type { AppRef } from "~/platform/events/deliveries-store";

/** An app with an address that no other server posts to. */
export type Addressed = AppRef & {
  readonly userId: string;
  readonly requestUrl: string;
  readonly timing: Timing;
  /** When its first delivery is due, by the environment's clock; 0: immediately, null: there is none. */
  readonly dueAt: number | null;
  /** Its address is not asked again yet. */
  readonly isAsked: boolean;
  /** An attempt has no outcome. */
  readonly isSent: boolean;
  /** Changes have no events yet. */
  readonly isBehind: boolean;
};

/** Lists those that may have something to do, of all environments or of some, within `limit`. */
export const listAddressed = async (
  sql: Sql,
  server: string,
  { environments, limit }: { readonly environments?: readonly string[]; readonly limit: number },
): Promise<Addressed[]> =>
  await sql<Addressed[]>`
    select a.environment_id, a.app_id as app, e.user_id, a.request_url, ${timingOf(sql, sql`e`)} as timing,
      coalesce(a.asked_at > clock_timestamp(), false) as is_asked, open.due_at::float8 as due_at, open.is_sent,
      l.change < least(o.changes, 100000) as is_behind
    from diorama.event_apps a join diorama.environments e using (environment_id)
      join diorama.event_logs l using (environment_id) join diorama.outboxes o using (environment_id)
      cross join lateral (
        select (
            select min(due_at) from diorama.deliveries d
            where d.environment_id = a.environment_id and d.app_id = a.app_id and state = 'pending'
          ) as due_at,
          exists (
            select from diorama.deliveries d
            where d.environment_id = a.environment_id and d.app_id = a.app_id and state = 'sent'
          ) as is_sent
      ) open
    where a.request_url is not null and e.deleted_at is null and e.expires_at > now()
      and (a.leased_until is null or a.leased_until < clock_timestamp() or a.leased_by = ${server})
      and (open.due_at is not null or open.is_sent or l.change < least(o.changes, 100000))
      ${environments ? sql`and a.environment_id = any(${[...environments]}::text[])` : sql``}
    order by a.environment_id, a.app_id limit ${limit}
  `;

/** An app with an address, as its requests need it. */
export type Address = {
  readonly service: string;
  readonly requestUrl: string;
  readonly baseUrl: string | null;
  readonly isVerified: boolean;
};

/** Undefined if the app has no address, or is gone. */
export async function findAddress(sql: Sql, { environmentId, app }: AppRef) {
  const [address] = await sql<Address[]>`
    select service, request_url, base_url, coalesce(verified_url = request_url, false) as is_verified
    from diorama.event_apps
    where environment_id = ${environmentId} and app_id = ${app} and request_url is not null
  `;
  return address;
}

/** Notes how an address has answered the challenge. With a problem, it is asked again after a time. */
export const noteChallenge = async (
  sql: Sql,
  { environmentId, app }: AppRef,
  {
    requestUrl,
    problem,
    againMs,
  }: { readonly requestUrl: string; readonly problem: string | null; readonly againMs: number },
) =>
  await sql`
    update diorama.event_apps set problem = ${problem},
      verified_url = case when ${problem}::text is null then request_url end,
      asked_at = case when ${problem}::text is not null then clock_timestamp() + ${againMs} * interval '1 millisecond' end
    where environment_id = ${environmentId} and app_id = ${app} and request_url = ${requestUrl}
  `;
