/** Acts of people, as events of an environment. */
import type { Cause } from "~/db/cause";
import type { Sql } from "~/db/connect";
import { unflushed } from "~/db/unflushed";
import type { AnsweredEvent } from "~/replicas/acts";

/** Uses of an address that are counted. */
const USES_MAX = 100;

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
