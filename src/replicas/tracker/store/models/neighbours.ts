/** Neighbouring products of the tracker: they keep what they are told. */
import type { Expression, Model, Relation } from "~/graphql/model";
import { children, record } from "~/replicas/tracker/store/models/define";
import { by, countOf, existsOf, recordsOf } from "~/replicas/tracker/store/models/expressions";
import { inVisibleIssue, inVisibleTeam } from "~/replicas/tracker/store/models/visibility";

/** Records of another type whose array `key` holds this row's id, or the other way round. */
const inArray =
  (key: string, side: "mine" | "theirs"): Relation =>
  (row, related, { sql }) =>
    side === "mine"
      ? sql`${row(key)} @> to_jsonb(${related("id")}::text)`
      : sql`${related(key)} @> to_jsonb(${row("id")}::text)`;

/** Texts of an array in `data`. */
const texts = (key: string): Expression => {
  return (row, { sql }) =>
    sql`array(select jsonb_array_elements_text(coalesce(${row(key)}, '[]')))`;
};

const issuesOfRelease: Relation = (row, related, { sql, table }) => sql`exists (
  select from ${table("records")} l where l.type = 'IssueToRelease'
    and (l.data->>'releaseId')::uuid = ${row("id")} and (l.data->>'issueId')::uuid = ${related("id")}
)`;

const latest =
  (order: "asc" | "desc", what: string): Expression =>
  (row, { sql, table }) =>
    sql`(
    select r.id from ${table("records")} r where r.type = ${what}
      and ${row("releaseIds")} @> to_jsonb(r.id::text)
    order by r."createdAt" ${order === "asc" ? sql`asc` : sql`desc`}, r.id limit 1
  )`;

const value =
  (what: string, key: string, column: string): Expression =>
  (row, { sql, table }) =>
    sql`(select r.data->>${column}::text from ${table("records")} r where r.type = ${what} and r.id = ${row(key)})`;

const CUSTOMERS: readonly Model[] = [
  record(
    "Customer",
    {
      domains: "jsonb",
      externalIds: "jsonb",
      ownerId: "uuid",
      revenue: "float8",
      size: "float8",
      statusId: "uuid",
      tierId: "uuid",
    },
    {
      one: { status: "CustomerStatus", tier: "CustomerTier" },
      many: { needs: children("CustomerNeed", "customerId") },
      computed: { approximateNeedCount: countOf(recordsOf("CustomerNeed", "customerId")) },
      filters: { domains: texts("domains"), externalIds: texts("externalIds") },
      sorts: {
        approximateNeedCount: by(countOf(recordsOf("CustomerNeed", "customerId"))),
        owner: by(
          (row, { sql, table }) =>
            sql`(select u.name from ${table("users")} u where u.id = ${row("ownerId")})`,
        ),
        status: by(value("CustomerStatus", "statusId", "name")),
        tier: by(value("CustomerTier", "tierId", "name")),
      },
    },
  ),
  record("CustomerNeed", {
    attachmentId: "uuid",
    body: "text",
    bodyData: "text",
    commentId: "uuid",
    creatorId: "uuid",
    customerId: "uuid",
    issueId: "uuid",
    originalIssueId: "uuid",
    priority: "float8",
    projectId: "uuid",
  }),
  record("CustomerStatus", { position: "float8" }),
  record("CustomerTier", { position: "float8" }),
];

const RELEASES: readonly Model[] = [
  record(
    "Release",
    {
      canceledAt: "timestamptz",
      completedAt: "timestamptz",
      creatorId: "uuid",
      pipelineId: "uuid",
      stageId: "uuid",
      startDate: "date",
      startedAt: "timestamptz",
      targetDate: "date",
      trashed: "boolean",
    },
    {
      one: { releaseNote: "ReleaseNote" },
      many: {
        documents: children("Document", "releaseId"),
        history: children("ReleaseHistory", "releaseId"),
        issues: ["Issue", issuesOfRelease],
        links: children("EntityExternalLink", "releaseId"),
        releaseNotes: ["ReleaseNote", inArray("releaseIds", "theirs")],
      },
      computed: {
        issueCount: countOf(recordsOf("IssueToRelease", "releaseId")),
        releaseNoteId: (row, { sql, table }) => sql`(
          select n.id from ${table("records")} n where n.type = 'ReleaseNote'
            and n.data->'releaseIds' @> to_jsonb(${row("id")}::text) order by n."createdAt" desc, n.id limit 1
        )`,
      },
      filters: {
        hasReleaseNotes: existsOf(
          (row, { sql, table }) => sql`
            from ${table("records")} n where n.type = 'ReleaseNote'
              and n.data->'releaseIds' @> to_jsonb(${row("id")}::text)
          `,
        ),
      },
      sorts: {
        stage: by(
          (row, { sql, table }) =>
            sql`(select (s.data->>'position')::float8 from ${table("records")} s where s.id = ${row("stageId")})`,
        ),
      },
    },
  ),
  record(
    "ReleasePipeline",
    {
      includePathPatterns: "jsonb",
      isProduction: "boolean",
      releaseNoteTemplateId: "uuid",
      teamIds: "jsonb",
      trashed: "boolean",
    },
    {
      one: { latestReleaseNote: "ReleaseNote" },
      many: {
        releases: children("Release", "pipelineId"),
        stages: children("ReleaseStage", "pipelineId"),
        teams: ["Team", inArray("teamIds", "mine")],
      },
      computed: {
        approximateReleaseCount: countOf(recordsOf("Release", "pipelineId")),
        latestReleaseNoteId: (row, { sql, table }) => sql`(
          select n.id from ${table("records")} n where n.type = 'ReleaseNote'
            and (n.data->>'pipelineId')::uuid = ${row("id")} order by n."createdAt" desc, n.id limit 1
        )`,
      },
    },
  ),
  record(
    "ReleaseStage",
    { frozen: "boolean", pipelineId: "uuid", position: "float8" },
    { many: { releases: children("Release", "stageId") } },
  ),
  record(
    "ReleaseNote",
    { content: "text", documentContentId: "uuid", pipelineId: "uuid", releaseIds: "jsonb" },
    {
      one: {
        firstRelease: "Release",
        lastRelease: "Release",
        release: ["Release", "lastReleaseId"],
      },
      many: { releases: ["Release", inArray("releaseIds", "mine")] },
      computed: {
        firstReleaseId: latest("asc", "Release"),
        lastReleaseId: latest("desc", "Release"),
      },
    },
  ),
  record("IssueToRelease", { issueId: "uuid", releaseId: "uuid" }, { visible: inVisibleIssue() }),
  record("ReleaseHistory", { entries: "jsonb", releaseId: "uuid" }),
];

const AGENTS: readonly Model[] = [
  record(
    "AgentSession",
    {
      appUserId: "uuid",
      commentId: "uuid",
      creatorId: "uuid",
      dismissedById: "uuid",
      externalLinks: "jsonb",
      issueId: "uuid",
      sourceCommentId: "uuid",
    },
    { many: { activities: children("AgentActivity", "agentSessionId") } },
  ),
  record(
    "AgentActivity",
    { agentSessionId: "uuid", content: "jsonb", sourceCommentId: "uuid", userId: "uuid" },
    {
      filters: {
        agentSessionId: (row, { sql }) => sql`${row("agentSessionId")}::text`,
        type: (row, { sql }) => sql`(${row("content")}->>'type')`,
      },
    },
  ),
  record("AgentSkill", {
    creatorId: "uuid",
    lastUpdatedById: "uuid",
    ownerId: "uuid",
    shared: "boolean",
    teamId: "uuid",
  }),
];

export const NEIGHBOURS: readonly Model[] = [
  ...CUSTOMERS,
  ...RELEASES,
  ...AGENTS,
  record("GitAutomationState", { stateId: "uuid", targetBranchId: "uuid", teamId: "uuid" }),
  record(
    "GitAutomationTargetBranch",
    { isRegex: "boolean", teamId: "uuid" },
    { many: { automationStates: children("GitAutomationState", "targetBranchId") } },
  ),
  record("TimeSchedule", { config: "jsonb", entries: "jsonb" }),
  record(
    "TriageResponsibility",
    { currentUserId: "uuid", manualSelection: "jsonb", teamId: "uuid", timeScheduleId: "uuid" },
    { visible: inVisibleTeam() },
  ),
];
