/** Initiatives, roadmaps and documents. */
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
  labelIds,
  lastAppliedAt,
  nothing,
  reactionData,
  relatedValue,
  teamInUse,
  textOf,
} from "~/replicas/tracker/store/models/expressions";
import { lastReport } from "~/replicas/tracker/store/models/planning";
import {
  inVisibleIssue,
  inVisibleProject,
  inVisibleTeam,
  together,
} from "~/replicas/tracker/store/models/visibility";

/** Every ancestor of this initiative. */
const above: Relation = (row, related, { sql, table }) => sql`${related("id")} in (
  with recursive up as (
    select r."initiativeId" as id from ${table("initiative_relations")} r
      where r."relatedInitiativeId" = ${row("id")}
    union
    select r."initiativeId" from ${table("initiative_relations")} r join up on r."relatedInitiativeId" = up.id
  ) select id from up
)`;

/** The projects of this initiative and its descendants. */
const projectsBelow: Relation = (row, related, { sql, table }) => sql`exists (
  with recursive down as (
    select ${row("id")} as id union
    select r."relatedInitiativeId" from ${table("initiative_relations")} r join down on r."initiativeId" = down.id
  )
  select from ${table("initiative_to_projects")} l join down on l."initiativeId" = down.id
  where l."projectId" = ${related("id")}
)`;

const teams: Relation = (row, related, { sql, table }) => sql`exists (
  select from ${table("initiative_to_projects")} l
  join ${table("project_teams")} p on p."projectId" = l."projectId"
  where l."initiativeId" = ${row("id")} and p."teamId" = ${related("id")}
)`;

const parentId: Expression = (row, { sql, table }) => sql`(
  select r."initiativeId" from ${table("initiative_relations")} r
  where r."relatedInitiativeId" = ${row("id")} order by r."createdAt", r.id limit 1
)`;

const health = lastReport("initiative_updates", "initiativeId", "health");
const healthUpdatedAt = lastReport("initiative_updates", "initiativeId", "createdAt");

const initiative = model("Initiative", {
  one: { lastUpdate: "InitiativeUpdate", parentInitiative: "Initiative" },
  many: {
    ancestors: ["Initiative", above],
    documents: children("Document", "initiativeId"),
    history: children("InitiativeHistory", "initiativeId"),
    initiativeUpdates: children("InitiativeUpdate", "initiativeId"),
    labels: through("InitiativeLabel", "initiative_label_assignments", "initiativeId", "labelId"),
    links: children("EntityExternalLink", "initiativeId"),
    parentInitiatives: through(
      "Initiative",
      "initiative_relations",
      "relatedInitiativeId",
      "initiativeId",
    ),
    projects: through("Project", "initiative_to_projects", "initiativeId", "projectId"),
    projectsWithSubInitiatives: ["Project", projectsBelow],
    subInitiatives: through(
      "Initiative",
      "initiative_relations",
      "initiativeId",
      "relatedInitiativeId",
    ),
    teams: ["Team", teams],
  },
  computed: {
    health,
    healthUpdatedAt,
    labelIds: labelIds("initiative_label_assignments", "initiativeId"),
    lastUpdateId: lastReport("initiative_updates", "initiativeId", "id"),
    parentInitiativeId: parentId,
  },
  filters: {
    activityType: nothing("text"),
    customIdentifier: (row, { sql }) => sql`${row("identifier")}`,
    healthWithAge: health,
  },
  sorts: {
    manual: byColumn("sortOrder"),
    owner: by(relatedValue("users", "ownerId", "displayName")),
    priority: byPriority,
  },
});

const document = model("Document", {
  many: {
    comments: children("Comment", "documentContentId", "documentContentId"),
    subscribers: listed("User", "subscriberIds"),
  },
  filters: { searchableContent: textOf("title", "content") },
  inUse: teamInUse,
  visible: together(inVisibleTeam(), inVisibleIssue(), inVisibleProject()),
  sorts: {
    creator: by(relatedValue("users", "creatorId", "displayName")),
    project: by(relatedValue("projects", "projectId", "name")),
  },
});

/** The body of any entity that has one, stored in the entity's row. */
const documentContent = model("DocumentContent", {
  columns: {
    id: "uuid",
    createdAt: "timestamptz",
    updatedAt: "timestamptz",
    archivedAt: "timestamptz",
    content: "text",
    documentId: "uuid",
    initiativeId: "uuid",
    issueId: "uuid",
    projectId: "uuid",
    projectMilestoneId: "uuid",
  },
  source: ({ sql, table }) => {
    const none = sql`null::uuid`;
    return sql`(
      select "documentContentId" as id, "createdAt", "updatedAt", "archivedAt", content,
        id as "documentId", ${none} as "initiativeId", ${none} as "issueId", ${none} as "projectId",
        ${none} as "projectMilestoneId"
      from ${table("documents")}
      union all
      select "documentContentId", "createdAt", "updatedAt", "archivedAt", content, null, id, null, null, null
      from ${table("initiatives")}
      union all
      select "documentContentId", "createdAt", "updatedAt", "archivedAt", description, null, null, id, null, null
      from ${table("issues")}
      union all
      select "documentContentId", "createdAt", "updatedAt", "archivedAt", content, null, null, null, id, null
      from ${table("projects")}
      union all
      select "documentContentId", "createdAt", "updatedAt", "archivedAt", description, null, null, null, null, id
      from ${table("project_milestones")}
      union all
      select (data->>'documentContentId')::uuid, "createdAt", "updatedAt", "archivedAt", data->>'content',
        null, null, null, null, null
      from ${table("records")} where type = 'ReleaseNote'
    )`;
  },
});

const roadmapProjects: Relation = (row, related, { sql, table }) => sql`exists (
  select from ${table("records")} l where l.type = 'RoadmapToProject'
    and (l.data->>'roadmapId')::uuid = ${row("id")} and (l.data->>'projectId')::uuid = ${related("id")}
)`;

export const INITIATIVES: readonly Model[] = [
  initiative,
  document,
  documentContent,
  model("InitiativeUpdate", {
    many: {
      comments: children("Comment", "initiativeUpdateId"),
      reactions: children("Reaction", "initiativeUpdateId"),
    },
    computed: {
      commentCount: (row, { sql, table }) =>
        sql`(select count(*)::int from ${table("comments")} c where c."initiativeUpdateId" = ${row("id")})`,
      isStale: (row, { sql, now }) =>
        sql`(${row("createdAt")} < ${now}::timestamptz - interval '30 days')`,
      reactionData: reactionData("initiativeUpdateId"),
    },
  }),
  model("InitiativeLabel", {
    many: {
      children: children("InitiativeLabel", "parentId"),
      initiatives: throughMany(
        "Initiative",
        "initiative_label_assignments",
        "labelId",
        "initiativeId",
      ),
    },
    computed: { lastAppliedAt: lastAppliedAt("initiative_label_assignments") },
  }),
  model("InitiativeRelation"),
  model("InitiativeToProject", { visible: inVisibleProject() }),
  record("InitiativeHistory", { entries: "jsonb", initiativeId: "uuid" }),
  record(
    "Roadmap",
    { creatorId: "uuid", ownerId: "uuid", sortOrder: "float8" },
    { many: { projects: ["Project", roadmapProjects] } },
  ),
  record(
    "RoadmapToProject",
    { projectId: "uuid", roadmapId: "uuid" },
    { visible: inVisibleProject() },
  ),
];
