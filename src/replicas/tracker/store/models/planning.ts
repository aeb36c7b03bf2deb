/** Projects and cycles. */
import type { Expression, Model, Relation } from "~/graphql/model";
import {
  children,
  listed,
  model,
  record,
  through,
  throughMany,
} from "~/replicas/tracker/store/models/define";
import {
  by,
  byColumn,
  byPriority,
  countOf,
  favoriteId,
  labelIds,
  lastAppliedAt,
  nothing,
  reactionData,
  recordsOf,
  relatedValue,
  teamInUse,
  textOf,
} from "~/replicas/tracker/store/models/expressions";
import { historiesOf, progressOf, scopeOf } from "~/replicas/tracker/store/models/progress";
import {
  inVisibleProject,
  inVisibleTeam,
  together,
} from "~/replicas/tracker/store/models/visibility";

/** A value of the latest report that is not archived. */
export const lastReport =
  (reports: string, key: string, column: string): Expression =>
  (row, { sql, table }) =>
    sql`(
    select ${sql(`u.${column}`)} from ${table(reports)} u
    where ${sql(`u.${key}`)} = ${row("id")} and u."archivedAt" is null
    order by u."createdAt" desc, u.id limit 1
  )`;

const projectRelation =
  (condition: "depends" | "isDependedOn"): Expression =>
  (row, { sql, table }) =>
    sql`exists (
    select from ${table("project_relations")} r
    where r.type = 'dependency' and ${condition === "depends" ? sql`r."relatedProjectId"` : sql`r."projectId"`} = ${row("id")}
  )`;

/** Starts before one of its dependencies is finished. */
const violatedRelation: Expression = (row, { sql, table }) => sql`exists (
  select from ${table("project_relations")} r
  join ${table("projects")} a on a.id = r."projectId" join ${table("projects")} b on b.id = r."relatedProjectId"
  where r.type = 'dependency' and ${row("id")} in (a.id, b.id) and a."targetDate" > b."startDate"
)`;

const ofMilestones =
  ({ finished }: { readonly finished: boolean }): Relation =>
  (row, related, scope) => {
    const { sql } = scope;
    const progress = progressOf("projectMilestoneId")(related, scope);
    return sql`(${related("projectId")} = ${row("id")} and ${finished ? sql`${progress} = 1` : sql`${progress} < 1`})`;
  };

const nextMilestoneId: Expression = (row, scope) => {
  const { sql, table } = scope;
  const milestone = (column: string) => sql(`m.${column}`);
  return sql`(
    select m.id from ${table("project_milestones")} m
    where m."projectId" = ${row("id")} and m."archivedAt" is null
      and ${progressOf("projectMilestoneId")(milestone, scope)} < 1
    order by m."targetDate", m."sortOrder", m.id limit 1
  )`;
};

const roadmaps: Relation = (row, related, { sql, table }) => sql`exists (
  select from ${table("records")} l where l.type = 'RoadmapToProject'
    and (l.data->>'projectId')::uuid = ${row("id")} and (l.data->>'roadmapId')::uuid = ${related("id")}
)`;

const needs = recordsOf("CustomerNeed", "projectId");
const status = ["ProjectStatus", "statusId"] as const;
const lead = relatedValue("users", "leadId", "displayName");
const health = lastReport("project_updates", "projectId", "health");

const project = model("Project", {
  one: {
    favorite: "Favorite",
    lastUpdate: "ProjectUpdate",
    nextProjectMilestone: "ProjectMilestone",
    status,
  },
  many: {
    accessibleTeams: through("Team", "project_teams", "projectId", "teamId"),
    comments: children("Comment", "projectId"),
    completedProjectMilestones: ["ProjectMilestone", ofMilestones({ finished: true })],
    documents: children("Document", "projectId"),
    externalLinks: children("EntityExternalLink", "projectId"),
    history: children("ProjectHistory", "projectId"),
    initiativeToProjects: children("InitiativeToProject", "projectId"),
    initiatives: through("Initiative", "initiative_to_projects", "projectId", "initiativeId"),
    inverseRelations: children("ProjectRelation", "relatedProjectId"),
    issues: children("Issue", "projectId"),
    labels: through("ProjectLabel", "project_label_assignments", "projectId", "labelId"),
    members: through("User", "project_members", "projectId", "userId"),
    needs: children("CustomerNeed", "projectId"),
    projectMilestones: children("ProjectMilestone", "projectId"),
    projectUpdates: children("ProjectUpdate", "projectId"),
    relations: children("ProjectRelation", "projectId"),
    roadmaps: ["Roadmap", roadmaps],
    teams: through("Team", "project_teams", "projectId", "teamId"),
  },
  computed: {
    favoriteId: favoriteId("projectId"),
    health,
    healthUpdatedAt: lastReport("project_updates", "projectId", "createdAt"),
    labelIds: labelIds("project_label_assignments", "projectId"),
    lastUpdateId: lastReport("project_updates", "projectId", "id"),
    nextProjectMilestoneId: nextMilestoneId,
    progress: progressOf("projectId"),
    resourceCount: (row, { sql, table }) => sql`(
      (select count(*) from ${table("documents")} d where d."projectId" = ${row("id")} and d."archivedAt" is null)
      + (select count(*) from ${table("entity_external_links")} l where l."projectId" = ${row("id")})
    )::int`,
    scope: scopeOf("projectId"),
    state: relatedValue("project_statuses", "statusId", "type"),
    ...historiesOf({
      key: "projectId",
      added: "addedToProjectAt",
      from: (row, { sql }) =>
        sql`coalesce(${row("startedAt")}, ${row("startDate")}::timestamptz, ${row("createdAt")})`,
      to: (row, { sql }) =>
        sql`coalesce(${row("completedAt")}, ${row("canceledAt")}, 'infinity'::timestamptz)`,
      step: "1 week",
    }),
  },
  filters: {
    activityType: nothing("text"),
    customIdentifier: (row, { sql }) => sql`${row("identifier")}`,
    customerCount: countOf(needs),
    customerImportantCount: (row, scope) =>
      scope.sql`(select count(*)::int ${needs(row, scope)} and (c.data->>'priority')::float8 > 0)`,
    hasBlockedByRelations: projectRelation("depends"),
    hasBlockingRelations: projectRelation("isDependedOn"),
    hasDependedOnByRelations: projectRelation("isDependedOn"),
    hasDependsOnRelations: projectRelation("depends"),
    hasRelatedRelations: (row, { sql, table }) => sql`exists (
      select from ${table("project_relations")} r where ${row("id")} in (r."projectId", r."relatedProjectId")
    )`,
    hasViolatedRelations: violatedRelation,
    healthWithAge: health,
    searchableContent: textOf("name", "description", "content"),
  },
  sorts: {
    lead: by(lead),
    manual: byColumn("sortOrder"),
    priority: byPriority,
    status: by(relatedValue("project_statuses", "statusId", "position")),
  },
  visible: inVisibleProject("id"),
});

const cycleIs = {
  active: (row, { sql, now }) =>
    sql`(${row("startsAt")} <= ${now}::timestamptz and ${row("endsAt")} > ${now}::timestamptz and ${row("completedAt")} is null)`,
  future: (row, { sql, now }) => sql`(${row("startsAt")} > ${now}::timestamptz)`,
  past: (row, { sql, now }) =>
    sql`(${row("completedAt")} is not null or ${row("endsAt")} <= ${now}::timestamptz)`,
} satisfies Record<string, Expression>;

/** The cycle of a team that is first among the future ones, or last among the past ones. */
const neighbour =
  (which: "next" | "previous"): Expression =>
  (row, { sql, table, now }) => {
    const moment = sql`${now}::timestamptz`;
    const candidates =
      which === "next"
        ? sql`c."startsAt" > ${moment} order by c."startsAt", c.id`
        : sql`(c."completedAt" is not null or c."endsAt" <= ${moment}) order by c."startsAt" desc, c.id desc`;
    return sql`coalesce(${row("id")} = (
      select c.id from ${table("cycles")} c
      where c."teamId" = ${row("teamId")} and c."archivedAt" is null and ${candidates} limit 1
    ), false)`;
  };

const cycle = model("Cycle", {
  many: {
    documents: children("Document", "cycleId"),
    issues: children("Issue", "cycleId"),
    links: children("EntityExternalLink", "cycleId"),
    uncompletedIssuesUponClose: listed("Issue", "uncompletedIssueIdsUponClose"),
  },
  computed: {
    isActive: cycleIs.active,
    isFuture: cycleIs.future,
    isNext: neighbour("next"),
    isPast: cycleIs.past,
    isPrevious: neighbour("previous"),
    progress: progressOf("cycleId"),
    ...historiesOf({
      key: "cycleId",
      added: "addedToCycleAt",
      from: (row, { sql }) => sql`${row("startsAt")}`,
      to: (row, { sql }) => sql`coalesce(${row("completedAt")}, ${row("endsAt")})`,
      step: "1 day",
    }),
  },
  filters: {
    inheritedFromId: nothing("uuid"),
    // Between the end of one cycle and the start of the next.
    isInCooldown: (row, { sql, table, now }) => sql`(
      ${row("endsAt")} <= ${now}::timestamptz and not exists (
        select from ${table("cycles")} c where c."teamId" = ${row("teamId")}
          and c."startsAt" <= ${now}::timestamptz and c."endsAt" > ${now}::timestamptz
      )
    )`,
  },
  inUse: teamInUse,
  visible: inVisibleTeam(),
});

const milestoneProgress = progressOf("projectMilestoneId");

export const PLANNING: readonly Model[] = [
  project,
  cycle,
  model("ProjectStatus", {
    many: { projects: children("Project", "statusId") },
    inUse: teamInUse,
    visible: inVisibleTeam(),
  }),
  model("ProjectMilestone", {
    many: { issues: children("Issue", "projectMilestoneId") },
    computed: {
      progress: milestoneProgress,
      status: (row, scope) => scope.sql`(case
        when ${milestoneProgress(row, scope)} = 1 then 'done'
        when ${row("targetDate")} < ${scope.now}::timestamptz::date then 'overdue'
        when ${row("id")} = ${nextMilestoneId((column) => (column === "id" ? row("projectId") : row(column)), scope)} then 'next'
        else 'unstarted' end)`,
    },
    visible: inVisibleProject(),
  }),
  model("ProjectUpdate", {
    many: {
      comments: children("Comment", "projectUpdateId"),
      reactions: children("Reaction", "projectUpdateId"),
    },
    computed: {
      commentCount: (row, { sql, table }) =>
        sql`(select count(*)::int from ${table("comments")} c where c."projectUpdateId" = ${row("id")})`,
      isStale: (row, { sql, now }) =>
        sql`(${row("createdAt")} < ${now}::timestamptz - interval '30 days')`,
      reactionData: reactionData("projectUpdateId"),
    },
    visible: inVisibleProject(),
  }),
  model("ProjectLabel", {
    many: {
      children: children("ProjectLabel", "parentId"),
      projects: throughMany("Project", "project_label_assignments", "labelId", "projectId"),
    },
    computed: { lastAppliedAt: lastAppliedAt("project_label_assignments") },
    inUse: teamInUse,
    visible: inVisibleTeam(),
  }),
  model("ProjectRelation", {
    visible: together(inVisibleProject(), inVisibleProject("relatedProjectId")),
  }),
  record("ProjectHistory", { entries: "jsonb", projectId: "uuid" }),
];
