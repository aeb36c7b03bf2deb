/** Side effects of a change to an issue: history, subscribers and notifications. */

import type { Fragment } from "~/db/connect";
import { newId } from "~/replicas/tracker/ids";
import type { NewValues } from "~/replicas/tracker/store/entities";
import { requireColumns, type TrackerSession } from "~/replicas/tracker/store/tables";
import { uuidFor } from "~/replicas/tracker/store/uuids";
import { maySeeIssue } from "~/replicas/tracker/store/visibility";

export type Label = { readonly issueId: string; readonly labelId: string };
export type Subscriber = { readonly issueId: string; readonly userId: string };
export type Notice = {
  readonly type: string;
  readonly issueId: string;
  readonly userIds?: readonly string[];
  /** Also notifies the followers of the issue, except these users. */
  readonly subscribersBut?: readonly string[];
  readonly commentId?: string;
  readonly parentCommentId?: string;
  readonly reactionEmoji?: string;
  readonly snoozedUntilAt?: Date;
};

export type Effects = {
  readonly labelled: readonly Label[];
  readonly unlabelled: readonly Label[];
  readonly subscribed: readonly Subscriber[];
  readonly unsubscribed: readonly Subscriber[];
  /** Rows of issue_history without id, times and actor. */
  readonly history: readonly NewValues<"IssueHistory">[];
  readonly notices: readonly Notice[];
};

export const NO_EFFECTS: Effects = {
  labelled: [],
  unlabelled: [],
  subscribed: [],
  unsubscribed: [],
  history: [],
  notices: [],
};

export type Acting = { readonly actor: string; readonly now: Date };

/**
 * The effects as parts of a statement: `name as (…), …`. The actor is not notified; a user who may not see an issue
 * neither follows it nor is notified. `issues`: the source of the issues, if the same statement inserts them.
 */
export function effectsOf(
  session: TrackerSession,
  effects: Effects,
  { actor, now }: Acting,
  issues?: Fragment,
): Fragment {
  const { sql, t } = session;
  const json = (rows: readonly unknown[]) => sql`${sql.json(rows as never)}::jsonb`;
  const row = { createdAt: now, updatedAt: now, actorId: actor };
  const history = effects.history.map((changed) => ({ id: newId(session), ...row, ...changed }));
  for (const changed of history) requireColumns("issue_history", changed);
  const pairs = (rows: readonly unknown[]) =>
    sql`jsonb_to_recordset(${json(rows)}) as pair("issueId" uuid, "labelId" uuid, "userId" uuid)`;
  return sql`
    labelled as (
      insert into ${t.issue_label_assignments} ("issueId", "labelId", "createdAt")
      select "issueId", "labelId", ${now} from ${pairs(effects.labelled)} on conflict do nothing
    ), unlabelled as (
      delete from ${t.issue_label_assignments} a using ${pairs(effects.unlabelled)}
      where a."issueId" = pair."issueId" and a."labelId" = pair."labelId"
    ), subscribed as (
      insert into ${t.issue_subscribers} ("issueId", "userId")
      select distinct "issueId", "userId" from ${pairs(effects.subscribed)}
      where ${maySeeIssue(session, sql`pair."issueId"`, sql`pair."userId"`, issues)} on conflict do nothing
    ), unsubscribed as (
      delete from ${t.issue_subscribers} s using ${pairs(effects.unsubscribed)}
      where s."issueId" = pair."issueId" and s."userId" = pair."userId"
    ), remembered as (
      insert into ${t.issue_history}
      select * from jsonb_populate_recordset(null::${t.issue_history}, ${json(history)})
    ), notified as (
      insert into ${t.notifications} (
        id, "createdAt", "updatedAt", type, "userId", "actorId", "issueId", "commentId", "parentCommentId",
        "reactionEmoji", "snoozedUntilAt"
      )
      select distinct on (u.id, n."issueId", n.type) ${uuidFor(session, sql`concat(u.id, n."issueId", n.type)`)}, ${now}::timestamptz, ${now}::timestamptz, n.type, u.id, ${actor}::uuid,
        n."issueId", n."commentId", n."parentCommentId", n."reactionEmoji", n."snoozedUntilAt"
      from jsonb_to_recordset(${json(effects.notices)}) as n(
        type text, "issueId" uuid, "userIds" jsonb, "subscribersBut" jsonb, "commentId" uuid, "parentCommentId" uuid,
        "reactionEmoji" text, "snoozedUntilAt" timestamptz
      )
      join ${t.users} u on u.active and (
        n."userIds" @> to_jsonb(u.id) or (
          not n."subscribersBut" @> to_jsonb(u.id) and exists (
            select from ${t.issue_subscribers} s where s."issueId" = n."issueId" and s."userId" = u.id
          )
        )
      )
      where (u.id <> ${actor}::uuid or n.type = 'issueReminder')
        and ${maySeeIssue(session, sql`n."issueId"`, sql`u.id`, issues)}
    )
  `;
}

/** Writes effects in a separate statement. */
export async function writeEffects(
  session: TrackerSession,
  effects: Partial<Effects>,
  acting: Acting,
): Promise<void> {
  if (Object.values(effects).every((rows) => rows.length === 0)) return;
  const { sql } = session;
  await sql`with ${effectsOf(session, { ...NO_EFFECTS, ...effects }, acting)} select`;
}
