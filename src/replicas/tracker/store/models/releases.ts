/** Releases, their pipelines and notes. */
import type { Expression, Model, Relation } from "~/graphql/model";
import { children, record } from "~/replicas/tracker/store/models/define";
import { by, countOf, existsOf, recordsOf } from "~/replicas/tracker/store/models/expressions";
import { inVisibleIssue } from "~/replicas/tracker/store/models/visibility";

/** Records of another type whose array `key` holds this row's id, or the reverse. */
const inArray =
  (key: string, side: "mine" | "theirs"): Relation =>
  (row, related, { sql }) =>
    side === "mine"
      ? sql`${row(key)} @> to_jsonb(${related("id")}::text)`
      : sql`${related(key)} @> to_jsonb(${row("id")}::text)`;

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

export const RELEASES: readonly Model[] = [
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
