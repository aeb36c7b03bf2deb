/** Attempts of deliveries that fail, and those of webhooks, of which calls can list the last ones. */
import type { Fragment, Sql } from "~/db/connect";
import type { AppRef, Attempted } from "~/platform/events/deliveries-store";
import { type DeliveryFailure, FAILURES_MAX, NOT_ACKNOWLEDGED } from "~/replicas/events";

/** How an app's deliveries are repeated. */
type Retries = {
  /** How long an attempt waits for its acknowledgement. */
  readonly acknowledgeMs: number;
  /** Delays of the attempts after the first. */
  readonly retryMs: readonly number[];
};

/** An attempt that an app has not acknowledged. */
export type Failed = Attempted & {
  readonly reason: string;
  /** It wants no other attempt. */
  readonly isLast: boolean;
  /** Nothing was sent, as the address of the app is not allowed. */
  readonly isBlocked?: boolean;
  /** The status of the answer, if there was one, and the beginning of its body. */
  readonly status?: number;
  readonly answer?: string;
};

/**
 * Ends the last attempts of deliveries, which `given` names: a failed one is due again, unless it was the last or is the
 * only one.
 */
const end = async (
  sql: Sql,
  { environmentId, app }: AppRef,
  { now, retryMs }: { readonly now: number; readonly retryMs: readonly number[] },
  given: Fragment,
) =>
  await sql`
    with given (number, attempt, reason, is_last, is_blocked, status, answer) as (${given}), ended as (
      update diorama.deliveries d set
        attempts = jsonb_set(attempts, array['-1', 'failed'], to_jsonb(reason)),
        state = case when is_blocked then 'blocked'
          when is_last or is_single or jsonb_array_length(attempts) > ${retryMs.length} then 'failed' else 'pending' end,
        due_at = case (${[...retryMs]}::int8[])[jsonb_array_length(attempts)]
          when 0 then 0 else ${now} + coalesce((${[...retryMs]}::int8[])[jsonb_array_length(attempts)], 0) end
      from given
      where environment_id = ${environmentId} and app_id = ${app} and d.number = given.number
        and state = 'sent' and jsonb_array_length(attempts) = attempt + 1
      returning d.number, attempt, status, coalesce(answer, reason) as answer
    ), kept as (
      insert into diorama.webhook_failures (environment_id, app_id, number, attempt, at, url, status, answer)
      select ${environmentId}, ${app}, number, attempt, ${now}, request_url, status, answer
      from ended, diorama.event_apps
      where environment_id = ${environmentId} and app_id = ${app} and webhook is not null and request_url is not null
      order by number
    )
    delete from diorama.webhook_failures
    where environment_id = ${environmentId} and app_id = ${app} and id <= (
      select id from diorama.webhook_failures
      where environment_id = ${environmentId} and app_id = ${app} order by id desc offset ${FAILURES_MAX} limit 1
    )
  `;

/** Ends the attempts that were not acknowledged in time. */
export const endLate = async (
  sql: Sql,
  ref: AppRef,
  now: number,
  { acknowledgeMs, retryMs }: Retries,
) =>
  await end(
    sql,
    ref,
    { now, retryMs },
    sql`
      select number, jsonb_array_length(attempts) - 1, ${NOT_ACKNOWLEDGED}::text, false, false, null::int4, null::text
      from diorama.deliveries
      where environment_id = ${ref.environmentId} and app_id = ${ref.app} and state = 'sent'
        and sent_at < clock_timestamp() - ${acknowledgeMs} * interval '1 millisecond'
    `,
  );

/** Ends attempts that are known to have failed. */
export const fail = async (
  sql: Sql,
  ref: AppRef,
  now: number,
  { retryMs }: Pick<Retries, "retryMs">,
  failures: readonly Failed[],
) =>
  await end(
    sql,
    ref,
    { now, retryMs },
    sql`
      select number, attempt, reason, "isLast", coalesce("isBlocked", false), status, answer
      from json_to_recordset(${JSON.stringify(failures)}::text::json) as given (
        number int8, attempt int4, reason text, "isLast" bool, "isBlocked" bool, status int4, answer text
      )
    `,
  );

/** The last failures of webhooks of an environment, the newest first. */
export const listFailures = async (sql: Sql, environmentId: string, webhooks: readonly string[]) =>
  await sql<(DeliveryFailure & { readonly app: string })[]>`
    select app_id as app, number::float8 as number, attempt, at::float8 as at, url, status, answer
    from unnest(${[...webhooks]}::text[]) given (app) cross join lateral (
      select id, app_id, number, attempt, at, url, status, answer from diorama.webhook_failures
      where environment_id = ${environmentId} and app_id = given.app order by id desc limit ${FAILURES_MAX}
    ) f
    order by id desc
  `;
