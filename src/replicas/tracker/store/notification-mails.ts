/** The contents of mails about notifications. */
import type { Fragment } from "~/db/connect";
import type { RowObject } from "~/graphql/page";
import type { Preferences } from "~/replicas/tracker/notification-types";
import type { TrackerSession } from "~/replicas/tracker/store/tables";

export type NotificationMail = {
  readonly type: string;
  readonly email: string;
  readonly name: string;
  /** Null: the service itself. */
  readonly actor: string | null;
  readonly preferences: Preferences;
  readonly urlKey: string;
  readonly subjectType: "Issue" | "Project" | "Initiative";
  readonly subject: RowObject;
  /** The beginning of the comment or the update that is the reason. */
  readonly body: string | null;
};

/** In characters: each recipient has a copy. */
const BODY_MAX = 10_000;

type Ids = { readonly id: string; readonly settingsId: string };

/** Ends an insert of notifications: returns those that may be mailed, and none where nobody accepts mail. */
export const returningMailed = ({ sql, hasMailboxes }: TrackerSession): Fragment =>
  hasMailboxes ? sql`returning id, "userId"` : sql``;

/** Of notifications that are in the inbox already, for users who have settings. */
export async function listNotificationMails(
  { sql, t }: TrackerSession,
  notifications: readonly Ids[],
): Promise<NotificationMail[]> {
  const ids = notifications.map(({ id }) => id);
  const settingsIds = notifications.map(({ settingsId }) => settingsId);
  return await sql<NotificationMail[]>`
    select n.type, u.email, u.name, a.name as actor, s.data as preferences, o."urlKey",
      case when i.id is not null then 'Issue' when p.id is not null then 'Project' else 'Initiative' end as "subjectType",
      json_build_object(
        'id', coalesce(i.id, p.id, v.id), 'number', i.number, 'identifier', i.identifier, 'title', i.title,
        'name', coalesce(p.name, v.name), 'slugId', coalesce(p."slugId", v."slugId")
      ) as subject,
      left(coalesce(c.body, pu.body, vu.body), ${BODY_MAX}) as body
    from unnest(${ids}::uuid[], ${settingsIds}::uuid[]) as one(id, "settingsId")
    join ${t.records} s on s.id = one."settingsId"
    join ${t.notifications} n on n.id = one.id and n."snoozedUntilAt" is null
    join ${t.users} u on u.id = n."userId"
    cross join ${t.organizations} o
    left join ${t.users} a on a.id = n."actorId"
    left join ${t.issues} i on i.id = n."issueId"
    left join ${t.projects} p on p.id = n."projectId"
    left join ${t.initiatives} v on v.id = n."initiativeId"
    left join ${t.comments} c on c.id = n."commentId"
    left join ${t.project_updates} pu on pu.id = n."projectUpdateId"
    left join ${t.initiative_updates} vu on vu.id = n."initiativeUpdateId"
    order by u.email, n.type, n.id
  `;
}
