/** Side effects of a change to an issue: history, subscribers and notifications. */

import type { Fragment } from "~/db/connect";
import { together } from "~/db/session";
import { newId } from "~/replicas/tracker/ids";
import { mailNotifications } from "~/replicas/tracker/notification-mails";
import type { NewValues } from "~/replicas/tracker/store/entities";
import { returningMailed } from "~/replicas/tracker/store/notification-mails";
import { requireColumns, type TrackerSession } from "~/replicas/tracker/store/tables";
import { uuidFor } from "~/replicas/tracker/store/uuids";
import { maySeeIssue } from "~/replicas/tracker/store/visibility";

export type Label = { readonly issueId: string; readonly labelId: string };
type Subscriber = { readonly issueId: string; readonly userId: string };
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

export type Acting = {
  /** Null: the service itself. */
  readonly actor: string | null;
  readonly now: Date;
  /** Every user of the effects may see the issues. */
  readonly isOpen?: boolean;
};

/**
 * Writes the effects: a small statement for each kind that occurs, all sent together. The actor is not notified; a user
 * who may not see an issue neither follows it nor is notified. Notifications come first: who follows an issue because
 * of this change is not notified as a follower.
 */
export async function writeEffects(
  session: TrackerSession,
  effects: Partial<Effects>,
  acting: Acting,
): Promise<void> {
  const { labelled = [], unlabelled = [], subscribed = [], unsubscribed = [] } = effects;
  const { history = [], notices = [] } = effects;
  await together([
    notices.length > 0 && notify(session, notices, acting),
    labelled.length > 0 && label(session, labelled, acting),
    unlabelled.length > 0 && unlabel(session, unlabelled),
    subscribed.length > 0 && subscribe(session, subscribed, acting),
    unsubscribed.length > 0 && unsubscribe(session, unsubscribed),
    history.length > 0 && remember(session, history, acting),
  ]);
}

const issueIdsOf = (rows: readonly { readonly issueId: string }[]) =>
  rows.map(({ issueId }) => issueId);
const labelIdsOf = (rows: readonly Label[]) => rows.map(({ labelId }) => labelId);
const userIdsOf = (rows: readonly Subscriber[]) => rows.map(({ userId }) => userId);

const label = ({ sql, t }: TrackerSession, rows: readonly Label[], { now }: Acting) => sql`
  insert into ${t.issue_label_assignments} ("issueId", "labelId", "createdAt")
  select *, ${now} from unnest(${issueIdsOf(rows)}::uuid[], ${labelIdsOf(rows)}::uuid[])
  on conflict do nothing
`;

const unlabel = ({ sql, t }: TrackerSession, rows: readonly Label[]) => sql`
  delete from ${t.issue_label_assignments} a
  using unnest(${issueIdsOf(rows)}::uuid[], ${labelIdsOf(rows)}::uuid[]) as pair("issueId", "labelId")
  where a."issueId" = pair."issueId" and a."labelId" = pair."labelId"
`;

const subscribe = (session: TrackerSession, rows: readonly Subscriber[], { isOpen }: Acting) => {
  const { sql, t } = session;
  const visible = isOpen
    ? sql``
    : sql`where ${maySeeIssue(session, sql`pair."issueId"`, sql`pair."userId"`)}`;
  return sql`
    insert into ${t.issue_subscribers} ("issueId", "userId")
    select distinct * from unnest(${issueIdsOf(rows)}::uuid[], ${userIdsOf(rows)}::uuid[]) as pair("issueId", "userId")
    ${visible} order by 1, 2 on conflict do nothing
  `;
};

const unsubscribe = ({ sql, t }: TrackerSession, rows: readonly Subscriber[]) => sql`
  delete from ${t.issue_subscribers} s
  using unnest(${issueIdsOf(rows)}::uuid[], ${userIdsOf(rows)}::uuid[]) as pair("issueId", "userId")
  where s."issueId" = pair."issueId" and s."userId" = pair."userId"
`;

function remember(session: TrackerSession, changes: Effects["history"], { actor, now }: Acting) {
  const { sql, t } = session;
  const row = { createdAt: now, updatedAt: now, actorId: actor };
  const history = changes.map((changed) => ({ id: newId(session), ...row, ...changed }));
  for (const changed of history) requireColumns("issue_history", changed);
  return sql`
    insert into ${t.issue_history}
    select * from jsonb_populate_recordset(null::${t.issue_history}, ${sql.json(history as never)})
  `;
}

/** Notices without a recipient are not sent. */
async function notify(
  session: TrackerSession,
  notices: readonly Notice[],
  { actor, now, isOpen }: Acting,
): Promise<void> {
  const { sql, t } = session;
  const direct = notices.flatMap(({ userIds = [], ...notice }) =>
    userIds
      .filter((userId) => userId !== actor || notice.type === "issueReminder")
      .map((userId) => ({ ...notice, userId })),
  );
  const followed = notices.filter(({ subscribersBut }) => subscribersBut !== undefined);
  const json = (
    rows: readonly unknown[],
  ) => sql`jsonb_to_recordset(${sql.json(rows as never)}) as n(
    type text, "issueId" uuid, "userId" uuid, "subscribersBut" uuid[], "commentId" uuid, "parentCommentId" uuid,
    "reactionEmoji" text, "snoozedUntilAt" timestamptz
  )`;
  const columns = sql`n.type, n."issueId", n."commentId", n."parentCommentId", n."reactionEmoji", n."snoozedUntilAt"`;
  const sources: Fragment[] = [];
  if (direct.length > 0) sources.push(sql`select n."userId", ${columns} from ${json(direct)}`);
  // `offset 0`: a lookup by issue, however many followers the planner expects.
  if (followed.length > 0)
    sources.push(sql`
      select s."userId", ${columns} from ${json(followed)} cross join lateral (
        select "userId" from ${t.issue_subscribers} where "issueId" = n."issueId" offset 0
      ) s where s."userId" <> all(n."subscribersBut") and s."userId" is distinct from ${actor}`);
  if (sources.length === 0) return;
  const recipients = sources.reduce((all, one) => sql`${all} union all ${one}`);
  const rows = await sql<{ id: string; userId: string }[]>`
    insert into ${t.notifications} (
      id, "createdAt", "updatedAt", type, "userId", "actorId", "issueId", "commentId", "parentCommentId",
      "reactionEmoji", "snoozedUntilAt"
    )
    select distinct on (n."userId", n."issueId", n.type)
      ${uuidFor(session, sql`concat(n."userId", n."issueId", n.type)`)}, ${now}::timestamptz, ${now}::timestamptz,
      n.type, n."userId", ${actor}::uuid, n."issueId", n."commentId", n."parentCommentId", n."reactionEmoji", n."snoozedUntilAt"
    from (${recipients}) n
    where exists (select from ${t.users} u where u.id = n."userId" and u.active offset 0)
      ${isOpen ? sql`` : sql`and ${maySeeIssue(session, sql`n."issueId"`, sql`n."userId"`)}`}
    ${returningMailed(session)}
  `;
  await mailNotifications(session, rows);
}
