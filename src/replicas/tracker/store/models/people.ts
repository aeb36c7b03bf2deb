/** The workspace, its users and its teams. */
import type { Expression, Model, Relation } from "~/graphql/model";
import { children, model, record, through } from "~/replicas/tracker/store/models/define";
import { nothing, teamInUse } from "~/replicas/tracker/store/models/expressions";
import { inVisibleTeam } from "~/replicas/tracker/store/models/visibility";

const everything: Relation = (_row, _related, { sql }) => sql`true`;

export const organization = model("Organization", {
  many: {
    labels: ["IssueLabel", everything],
    projectLabels: ["ProjectLabel", everything],
    projectStatuses: ["ProjectStatus", everything],
    teams: ["Team", everything],
    templates: ["Template", everything],
    users: ["User", everything],
  },
  computed: {
    createdIssueCount: (_row, { sql, table }) =>
      sql`(select count(*)::int from ${table("issues")})`,
    customerCount: (_row, { sql, table }) =>
      sql`(select count(*)::int from ${table("records")} where type = 'Customer' and "archivedAt" is null)`,
    userCount: (_row, { sql, table }) =>
      sql`(select count(*)::int from ${table("users")} where active)`,
  },
});

export const user = model("User", {
  many: {
    assignedIssues: children("Issue", "assigneeId"),
    createdIssues: children("Issue", "creatorId"),
    delegatedIssues: children("Issue", "delegateId"),
    drafts: children("Draft", "userId"),
    teamMemberships: children("TeamMembership", "userId"),
    teams: through("Team", "team_memberships", "userId", "teamId"),
  },
  computed: {
    createdIssueCount: (row, { sql, table }) =>
      sql`(select count(*)::int from ${table("issues")} i where i."creatorId" = ${row("id")})`,
  },
  filters: {
    invited: (_row, { sql }) => sql`false`,
    isInvited: (_row, { sql }) => sql`false`,
    isMe: (row, { sql, actor }) => sql`(${row("id")} = ${actor}::uuid)`,
  },
  unlisted: {
    unless: "includeDisabled",
    condition: (row, { sql }) => sql`(not ${row("active")})`,
  },
});

/** The ids of a team and its descendants. */
const withSubTeams: Expression = (row, { sql, table }) => sql`(
  with recursive tree as (
    select ${row("id")} as id union
    select s.id from ${table("teams")} s join tree on s."parentId" = tree.id
  ) select id from tree
)`;

const ancestors: Relation = (row, related, { sql, table }) => sql`${related("id")} in (
  with recursive up as (
    select ${row("parentId")} as id union
    select a."parentId" from ${table("teams")} a join up on a.id = up.id
  ) select id from up
)`;

const stateOfType =
  (type: string): Expression =>
  (row, { sql, table }) =>
    sql`(
    select s.id from ${table("workflow_states")} s
    where s."teamId" = ${row("id")} and s.type = ${type} and s."archivedAt" is null
    order by s.position, s.id limit 1
  )`;

const viewerMembershipId: Expression = (row, { sql, table, actor }) => sql`(
  select m.id from ${table("team_memberships")} m
  where m."teamId" = ${row("id")} and m."userId" = ${actor}::uuid
)`;

export const team = model("Team", {
  one: {
    activeCycle: "Cycle",
    markedAsDuplicateWorkflowState: ["WorkflowState", "duplicateStateId"],
    membership: ["TeamMembership", "viewerMembershipId"],
    restrictedBy: "Team",
    triageIssueState: "WorkflowState",
    triageResponsibility: "TriageResponsibility",
    viewerMembership: "TeamMembership",
  },
  many: {
    ancestors: ["Team", ancestors],
    children: children("Team", "parentId"),
    cycles: children("Cycle", "teamId"),
    gitAutomationStates: children("GitAutomationState", "teamId"),
    issues: children("Issue", "teamId"),
    issuesWithSubTeams: [
      "Issue",
      (row, related, scope) => scope.sql`${related("teamId")} in ${withSubTeams(row, scope)}`,
    ],
    labels: children("IssueLabel", "teamId"),
    members: through("User", "team_memberships", "teamId", "userId"),
    memberships: children("TeamMembership", "teamId"),
    owners: [
      "User",
      (row, related, { sql, table }) => sql`exists (
        select from ${table("team_memberships")} m
        where m."teamId" = ${row("id")} and m."userId" = ${related("id")} and m.owner
      )`,
    ],
    projects: through("Project", "project_teams", "teamId", "projectId"),
    projectsWithSubTeams: [
      "Project",
      (row, related, scope) => scope.sql`exists (
        select from ${scope.table("project_teams")} p
        where p."projectId" = ${related("id")} and p."teamId" in ${withSubTeams(row, scope)}
      )`,
    ],
    releasePipelines: [
      "ReleasePipeline",
      (row, related, { sql }) => sql`${related("teamIds")} @> to_jsonb(${row("id")}::text)`,
    ],
    states: children("WorkflowState", "teamId"),
    templates: children("Template", "teamId"),
    users: through("User", "team_memberships", "teamId", "userId"),
    webhooks: children("Webhook", "teamId"),
  },
  computed: {
    activeCycleId: (row, { sql, table, now }) => sql`(
      select c.id from ${table("cycles")} c
      where c."teamId" = ${row("id")} and c."startsAt" <= ${now} and c."endsAt" > ${now}
        and c."completedAt" is null and c."archivedAt" is null
      order by c."startsAt", c.id limit 1
    )`,
    duplicateStateId: stateOfType("duplicate"),
    issueCount: (row, { sql, table }) => sql`(
      select count(*)::int from ${table("issues")} i
      where i."teamId" = ${row("id")} and i."archivedAt" is null
    )`,
    issueCountWithArchived: (row, { sql, table }) =>
      sql`(select count(*)::int from ${table("issues")} i where i."teamId" = ${row("id")})`,
    ledInitiativeCount: (row, { sql, table }) => sql`(
      select count(*)::int from ${table("initiatives")} i
      where i."leadTeamId" = ${row("id")} and i."archivedAt" is null
    )`,
    restrictedById: nothing("uuid"),
    triageIssueStateId: stateOfType("triage"),
    triageResponsibilityId: (row, { sql, table }) => sql`(
      select r.id from ${table("records")} r
      where r.type = 'TriageResponsibility' and (r.data->>'teamId')::uuid = ${row("id")}
        and r."archivedAt" is null
      order by r."createdAt", r.id limit 1
    )`,
    viewerCanJoin: (row, scope) =>
      scope.sql`(${row("visibility")} = 'public' and ${row("allMembersCanJoin")} and ${viewerMembershipId(row, scope)} is null)`,
    viewerCanLeave: (row, scope) => scope.sql`(${viewerMembershipId(row, scope)} is not null)`,
    viewerMembershipId,
  },
  filters: { private: (row, { sql }) => sql`(${row("visibility")} = 'private')` },
  visible: inVisibleTeam("id"),
});

export const teamMembership = model("TeamMembership", {
  inUse: teamInUse,
  visible: inVisibleTeam(),
});

export const workflowState = model("WorkflowState", {
  many: { issues: children("Issue", "stateId") },
  inUse: teamInUse,
  visible: inVisibleTeam(),
  withRow: ["team"],
});

const auditFilter =
  (key: string): Expression =>
  (row, { sql }) =>
    sql`(${row("metadata")}->>${key}::text)`;

export const PEOPLE: readonly Model[] = [
  organization,
  user,
  team,
  teamMembership,
  workflowState,
  record("UserSettings", { userId: "uuid" }),
  record("OrganizationInvite", { inviteeId: "uuid", inviterId: "uuid" }),
  record("ExternalUser", {}),
  record("ApiKey", {}),
  record(
    "AuditEntry",
    { actorId: "uuid", metadata: "jsonb" },
    {
      filters: {
        entityId: auditFilter("entityId"),
        entityIdentifier: auditFilter("entityIdentifier"),
        entityType: auditFilter("entityType"),
      },
    },
  ),
];
