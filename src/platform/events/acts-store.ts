/** Acts of people, as events of an environment. */
import type { Cause } from "~/db/cause";
import type { Sql } from "~/db/connect";
import { unflushed } from "~/db/unflushed";
import type { AppRef, Attempted } from "~/platform/events/deliveries-store";
import type { AnsweredEvent } from "~/replicas/acts";

/** Uses of an address that are counted. */
const USES_MAX = 100;

/** An act that its app has just acknowledged. */
type ClaimedAct = { readonly service: string; readonly payload: object; readonly user: string };

/**
 * Notes the answer of an app to an act, as a part of the attempt. Undefined if the attempt has ended, or is answered
 * already.
 */
export async function claimAnswer(
  sql: Sql,
  { environmentId, app, number, attempt }: AppRef & Attempted,
  answer: string,
): Promise<ClaimedAct | undefined> {
  const [claimed] = await sql<ClaimedAct[]>`
    update diorama.deliveries d set attempts = jsonb_set(attempts, array[${attempt}::text, 'answer'], ${answer}::text::jsonb)
    from diorama.events e, diorama.event_apps a
    where d.environment_id = ${environmentId} and d.app_id = ${app} and d.number = ${number} and d.is_single
      and d.state = 'sent' and jsonb_array_length(attempts) = ${attempt + 1} and attempts->${attempt}::int->'answer' is null
      and e.environment_id = d.environment_id and e.number = d.number and e.payload is not null
      and a.environment_id = d.environment_id and a.app_id = d.app_id
    returning e.service, e.payload, a.user_id as "user"
  `;
  return claimed;
}

/** Counts a use of the address with which the app of an act answers it. Undefined: there is no such act, or app. */
export async function countAnswer(
  sql: Sql,
  environmentId: string,
  number: number,
): Promise<AnsweredEvent | undefined> {
  const [answered] = await sql<(Omit<AnsweredEvent, "micros"> & { cause: Cause | null })[]>`
    with quick as materialized (select ${unflushed(sql)})
    update diorama.events e set answers = least(answers + 1, ${USES_MAX})
    from quick, diorama.deliveries d join diorama.event_apps a using (environment_id, app_id)
    where e.environment_id = ${environmentId} and e.number = ${number}
      and d.environment_id = ${environmentId} and d.number = e.number and d.is_single
    returning e.payload, e.cause, a.user_id as "user", e.answers as uses
  `;
  const { cause, ...event } = answered ?? {};
  return cause && answered ? { ...(event as typeof answered), micros: cause.micros } : undefined;
}
