import type { Sql } from "~/db/connect";
import type { Used } from "~/db/recycling";
import type { Timing } from "~/platform/environments/clock-model";
import {
  journaledCalls,
  type ListedEnvironment,
  lastRun,
  stateExpression,
} from "~/platform/environments/store";

export type EnvironmentDetailRow = Omit<ListedEnvironment, "place"> & {
  /** Null if the schema is not registered any more. */
  readonly templateSchema: string | null;
  /** The template that it comes from, if it was cloned from a large state. */
  readonly baseSchema: string | null;
  readonly allowImpersonation: boolean;
  readonly parentEnvironmentId: string | null;
  readonly atCall: number | null;
  readonly ageSeconds: number;
  readonly secondsLeft: number;
  readonly timing: Pick<Timing, "clock" | "calls">;
  readonly calls: number;
};

/** Finds an environment of this user, in any state. */
export async function find(
  sql: Sql,
  environmentId: string,
  userId: string,
): Promise<EnvironmentDetailRow | undefined> {
  const [row] = await sql<EnvironmentDetailRow[]>`
    select e.environment_id, e.service, e.template_name, e.schema_name, e.expires_at, e.created_at,
      e.acting_user_id, e.members, e.allow_impersonation, e.parent_environment_id, e.at_call, s.template_schema,
      (
        select h.base_schema from diorama.hidden_templates h where h.schema_name = s.template_schema
      ) as base_schema,
      json_build_object('clock', e.clock, 'calls', e.calls) as timing,
      ${stateExpression(sql)} as state,
      extract(epoch from least(now(), e.expires_at, e.deleted_at) - e.created_at)::float8 as age_seconds,
      case when e.deleted_at is null then greatest(extract(epoch from e.expires_at - now()), 0) else 0 end::float8
        as seconds_left,
      ${journaledCalls(sql, sql`e.environment_id`)} as calls,
      ${lastRun(sql)} as run
    from diorama.environments e left join diorama.schemas s using (schema_name)
    where e.environment_id = ${environmentId} and e.user_id = ${userId}
  `;
  return row;
}

/** Returns the schema of a live environment; undefined if it has ended. */
export async function findUsed(
  sql: Sql,
  environmentId: string,
): Promise<(Used & { readonly templateSchema: string }) | undefined> {
  const [used] = await sql<(Used & { readonly templateSchema: string })[]>`
    select s.schema_name as schema, s.fresh_xid::text as fresh_xid, s.fingerprint, s.template_schema
    from diorama.environments e join diorama.schemas s using (schema_name)
    where e.environment_id = ${environmentId} and e.deleted_at is null and e.expires_at > now()
  `;
  return used;
}

/**
 * Lets a live environment of this user live for `seconds` from now, if it does not live longer anyway. Returns how long
 * it may, by its age; undefined if there is no such live environment. Nothing changes if that is less than `seconds`.
 */
export async function extend(
  sql: Sql,
  environmentId: string,
  userId: string,
  { seconds, secondsMax }: { seconds: number; secondsMax: number },
): Promise<number | undefined> {
  const [row] = await sql<{ most: number }[]>`
    with live as materialized (
      select environment_id, expires_at,
        extract(epoch from created_at - now())::float8 + ${secondsMax}::float8 as most
      from diorama.environments
      where environment_id = ${environmentId} and user_id = ${userId}
        and deleted_at is null and expires_at > now()
      for no key update
    ), extended as (
      update diorama.environments e
      set expires_at = greatest(e.expires_at, now() + ${seconds}::float8 * interval '1 second')
      from live where e.environment_id = live.environment_id and most >= ${seconds}::float8
    )
    select most from live
  `;
  return row?.most;
}
