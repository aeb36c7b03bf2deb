/** The events of runs, which outlive those of their environments. */
import type { Cause } from "~/db/cause";
import type { Sql } from "~/db/connect";
import type { RunDelivery } from "~/evaluation/deliveries";
import { deliveriesOf, isOfRun } from "~/platform/events/listing-store";

export type RunOfEvents = {
  readonly userId: string;
  readonly environmentId: string;
  readonly isOver: boolean;
  /** The environment had apps when the run began. */
  readonly hasEvents: boolean;
  /** `limited`: it made more than are kept; `lost`: some are missing for another reason; null: they are not kept yet. */
  readonly kept: "whole" | "limited" | "lost" | null;
};

export async function findRun(sql: Sql, runId: string): Promise<RunOfEvents | undefined> {
  const [run] = await sql<RunOfEvents[]>`
    select user_id, environment_id, status <> 'running' as is_over, changes_from is not null as has_events,
      events_kept as kept
    from diorama.runs where run_id = ${runId}
  `;
  return run;
}

/** Lists some runs that have ended a while ago, and whose events are not kept yet: any, as some cannot be kept for now. */
export async function listUnkept(sql: Sql, seconds: number, limit: number): Promise<string[]> {
  const rows = await sql<{ runId: string }[]>`
    select run_id from diorama.runs
    where changes_from is not null and events_kept is null and status <> 'running'
      and ended_at < now() - ${seconds} * interval '1 second'
    order by random() limit ${limit}
  `;
  return rows.map(({ runId }) => runId);
}

/** Events that a run keeps, and bytes of their payloads as Postgres stores them. */
const KEPT = { count: 50_000, bytes: 64 * 1024 * 1024 };

/**
 * Keeps the events of a run that has ended, as they are now, unless they are kept. Those that were derived by a server of
 * an earlier version belong to no run: with one of them behind the beginning of the run, its own are not known.
 */
export const keep = async (sql: Sql, runId: string) =>
  await sql`
    with r as materialized (
      select run_id, environment_id, changes_from, changes_to from diorama.runs
      where run_id = ${runId} and changes_from is not null and events_kept is null and status <> 'running'
      for update
    ), own as materialized (
      select e.environment_id, e.number, e.service, e.type, e.payload, e.cause, e.missed,
        row_number() over (order by e.number) <= ${KEPT.count}
          and sum(coalesce(pg_column_size(e.payload), 0)) over (order by e.number) <= ${KEPT.bytes} as fits
      from r join diorama.events e on ${isOfRun(sql)}
    ), kept as (
      insert into diorama.run_events (run_id, number, service, type, payload, cause, missed, deliveries)
      select ${runId}, number, service, type, payload, cause, missed, ${deliveriesOf(sql)} from own e where fits
      returning type, missed, deliveries
    ), counted as (
      select type, state, count(*) as count from (
        select type, given->>'state' as state from kept, json_array_elements(deliveries) as given
        union all
        select type, 'missed' from kept, json_object_keys(missed)
      ) each_app group by type, state
    )
    update diorama.runs set events_kept = coalesce((
      select case
        when r.changes_from > 100000 or l.full_at <= r.changes_from then 'lost' -- by what came before the run
        when r.changes_to > 100000 or l.full_at <= r.changes_to or exists (select from own where not fits) then 'limited'
        when l.lost_at > r.changes_from or l.change < r.changes_to or exists (
          select from diorama.events e where e.environment_id = r.environment_id and e.change is null and e.number > coalesce((
            select e.number from diorama.events e where e.environment_id = r.environment_id and e.change <= r.changes_from
            order by e.change desc, e.number desc limit 1
          ), 0)
        ) then 'lost'
        else 'whole' end
      from diorama.event_logs l where l.environment_id = r.environment_id
    ), 'lost'), deliveries = (
      select coalesce(json_agg(json_build_object('type', type, 'state', state, 'count', count) order by type, state), '[]')
      from counted
    )
    from r where runs.run_id = r.run_id
  `;

/** Gives up runs that have ended long ago, and whose events could not be kept. */
export const giveUp = async (sql: Sql, seconds: number) =>
  await sql`
    update diorama.runs set events_kept = 'lost'
    where changes_from is not null and events_kept is null and status <> 'running'
      and ended_at < now() - ${seconds} * interval '1 second'
  `;

/** Deliveries that a spec asks for, and how many, with payloads of how many characters, are read at most. */
type Asked = {
  /** Patterns of `like`, of which the type matches one. */
  readonly patterns: readonly string[];
  readonly hasPayloads: boolean;
  readonly limit: number;
  readonly lengthMax: number;
};

/** `among`: how many there are. */
type FoundDelivery = Omit<RunDelivery, "cause"> & {
  readonly cause: Cause | null;
  readonly among: number;
};

/** Reads the deliveries of the kept events of a run, one for each event and app, also of apps that do not receive it. */
export const listDeliveries = async (
  sql: Sql,
  runId: string,
  { patterns, hasPayloads, limit, lengthMax }: Asked,
) =>
  await sql<FoundDelivery[]>`
    with chosen as (
      select number, service, type, cause, missed, deliveries, case when ${hasPayloads} then payload end as payload
      from diorama.run_events where run_id = ${runId} and type like any(${[...patterns]}::text[])
    ), each_app as (
      select number, service, type, cause, payload, given->>'app' as app, given->>'state' as state,
        json_array_length(given->'attempts') as attempts, given->'attempts'->-1->>'failed' as reason, (
          select (attempt->>'ms')::float8 from json_array_elements(given->'attempts') attempt
          where attempt->>'ms' is not null limit 1
        ) as ack_ms
      from chosen, json_array_elements(deliveries) as given
      union all
      select number, service, type, cause, payload, app, 'missed', 0, reason, null
      from chosen, json_each_text(missed) as given (app, reason)
    )
    select number::float8 as n, service, type, app, state, attempts, ack_ms, reason, cause, payload, among::int as among
    from (
      select number, service, type, app, state, attempts, ack_ms, reason, cause, payload, count(*) over () as among,
        sum(coalesce(length(payload::text), 0)) over (order by number, app) as length
      from each_app
    ) sized
    where length <= ${lengthMax} order by number, app limit ${limit}
  `;
