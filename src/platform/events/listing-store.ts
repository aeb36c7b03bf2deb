/** Reads events for lists: those of environments, and those of runs, which outlive them. */
import type { Cause } from "~/db/cause";
import type { Fragment, Sql } from "~/db/connect";

/** An event without those who receive it. */
export type BareEvent = {
  readonly number: number;
  readonly service: string;
  readonly type: string;
  readonly payload: object | null;
  readonly cause: Cause | null;
};

/** An event of an environment, as lists have it. */
export type ListedEvent = BareEvent & {
  readonly missed: { readonly [app: string]: string };
  readonly deliveries:
    | readonly {
        readonly app: string;
        readonly state: "pending" | "sent" | "delivered" | "failed" | "blocked";
        readonly attempts: readonly {
          readonly at: number;
          readonly ms?: number;
          readonly failed?: string;
          readonly answer?: { readonly [field: string]: unknown };
        }[];
      }[]
    | null;
};

/** Of events from a number on. */
export type EventPage = {
  readonly after: number;
  readonly limit: number;
  /** Characters of their payloads, of which the first may have more. */
  readonly lengthMax: number;
};

/** Some of the next events, and how many there were before the limit of their length, no more than the page may have. */
export type EventsFound = readonly (ListedEvent & { readonly among: number })[];

/** `source` selects the columns of the events after the page's number. */
const pageFrom = async (sql: Sql, source: Fragment, { limit, lengthMax }: EventPage) =>
  await sql<EventsFound>`
    select number::float8 as number, service, type, payload, cause, missed, deliveries, among::int as among
    from (
      select number, service, type, payload, cause, missed, deliveries, count(*) over () as among,
        row_number() over (order by number) as place,
        sum(coalesce(length(payload::text), 0)) over (order by number) as length
      from (${source} order by number limit ${limit}) next
    ) e
    where place = 1 or length <= ${lengthMax} order by number
  `;

/**
 * The deliveries of an event `e`; null: nobody receives it. App by app, as their index begins with it: without that, each
 * event would read all deliveries of its environment.
 */
export const deliveriesOf = (sql: Sql): Fragment => sql`
  (
    select json_agg(json_build_object('app', d.app_id, 'state', d.state, 'attempts', d.attempts) order by d.app_id)
    from unnest(array(
      select app_id from diorama.event_apps a where a.environment_id = e.environment_id
    )) as app cross join lateral (
      select app_id, state, attempts from diorama.deliveries
      where environment_id = e.environment_id and app_id = app and number = e.number
      offset 0
    ) d
  )
`;

/** The events `e` of the environment of a run `r` that are the run's. */
export const isOfRun = (sql: Sql): Fragment => sql`
  e.environment_id = r.environment_id and e.change >= r.changes_from and e.change <= coalesce(r.changes_to, e.change)
  and case when e.run_id is null then e.change > r.changes_from else e.run_id = r.run_id end
`;

export const listEvents = async (sql: Sql, environmentId: string, page: EventPage) =>
  await pageFrom(
    sql,
    sql`
      select number, service, type, payload, cause, missed, ${deliveriesOf(sql)} as deliveries from diorama.events e
      where environment_id = ${environmentId} and number > ${page.after}
    `,
    page,
  );

/** The events of a run that goes on. */
export const listRunEvents = async (sql: Sql, runId: string, page: EventPage) =>
  await pageFrom(
    sql,
    sql`
      select e.number, e.service, e.type, e.payload, e.cause, e.missed, ${deliveriesOf(sql)} as deliveries
      from diorama.runs r join diorama.events e on ${isOfRun(sql)}
      where r.run_id = ${runId} and e.number > ${page.after}
    `,
    page,
  );

/** The events that are kept with a run that has ended. */
export const listKeptEvents = async (sql: Sql, runId: string, page: EventPage) =>
  await pageFrom(
    sql,
    sql`
      select number, service, type, payload, cause, missed, deliveries from diorama.run_events
      where run_id = ${runId} and number > ${page.after}
    `,
    page,
  );

/** The events of one type from a number on, with as much as `lengthMax` allows. */
export const listEventsOfType = async (
  sql: Sql,
  environmentId: string,
  page: {
    readonly type: string;
    readonly after: number;
    readonly limit: number;
    readonly lengthMax: number;
  },
): Promise<BareEvent[]> =>
  await sql<BareEvent[]>`
    select number::float8 as number, service, type, payload, cause
    from (
      select number, service, type, payload, cause, row_number() over (order by number) as place,
        sum(coalesce(length(payload::text), 0)) over (order by number) as length
      from (
        select number, service, type, payload, cause from diorama.events
        where environment_id = ${environmentId} and number > ${page.after} and type = ${page.type}
        order by number limit ${page.limit}
      ) next
    ) e
    where place = 1 or length <= ${page.lengthMax} order by number
  `;
