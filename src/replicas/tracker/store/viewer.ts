/** The viewer and everything that each request needs first: one statement. */
import type { TrackerSession } from "~/replicas/tracker/store/tables";

export type ViewerContext = {
  readonly viewer: {
    readonly id: string;
    readonly name: string;
    readonly displayName: string;
    readonly active: boolean;
    readonly admin: boolean;
    readonly owner: boolean;
    readonly guest: boolean;
  };
  readonly workspace: {
    readonly id: string;
    readonly urlKey: string;
    readonly gitBranchFormat: string | null;
  };
  /** Private teams that the viewer is not in. */
  readonly hiddenTeamIds: readonly string[];
};

/** Undefined when there is no such user. Sent at once, before anything that is sent after this call. */
export async function findViewer(
  { sql, t }: TrackerSession,
  userId: string,
): Promise<ViewerContext | undefined> {
  const [row] = await sql`
    select
      u.id, u.name, u."displayName", u.active, u.admin, u.owner, u.guest,
      o.id as "workspaceId", o."urlKey", o."gitBranchFormat",
      array(
        select t.id from ${t.teams} t where t.visibility = 'private'
          and not exists (select from ${t.team_memberships} m where m."teamId" = t.id and m."userId" = u.id)
      ) as "hiddenTeamIds"
    from ${t.users} u cross join ${t.organizations} o where u.id = ${userId}
  `.execute();
  if (!row) return undefined;
  const { workspaceId, urlKey, gitBranchFormat, hiddenTeamIds, ...viewer } = row;
  return {
    viewer: viewer as ViewerContext["viewer"],
    workspace: { id: workspaceId, urlKey, gitBranchFormat },
    hiddenTeamIds,
  };
}
