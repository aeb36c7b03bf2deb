/** The past of issues: changes, activities and states. */
import type { Model } from "~/graphql/model";
import { listed, model } from "~/replicas/tracker/store/models/define";
import { inVisibleIssue } from "~/replicas/tracker/store/models/visibility";

/** Each activity on an issue, and its actor. */
const activity = model("Activity", {
  columns: {
    id: "uuid",
    issueId: "uuid",
    createdAt: "timestamptz",
    updatedAt: "timestamptz",
    userId: "uuid",
  },
  source: ({ sql, table }) => sql`(
    select id, "issueId", "createdAt", "updatedAt", "actorId" as "userId" from ${table("issue_history")}
    union all
    select id, "issueId", "createdAt", "updatedAt", "userId" from ${table("comments")} where "issueId" is not null
  )`,
});

/** How long an issue was in each state: from its history, which records when it left each. */
const stateSpan = model("IssueStateSpan", {
  withRow: ["state"],
  columns: {
    id: "uuid",
    issueId: "uuid",
    stateId: "uuid",
    createdAt: "timestamptz",
    updatedAt: "timestamptz",
    startedAt: "timestamptz",
    endedAt: "timestamptz",
  },
  source: ({ sql, table }) => sql`(
    select coalesce(c.id, i.id) as id, i.id as "issueId",
      coalesce(c."toStateId", first."fromStateId", i."stateId") as "stateId",
      coalesce(c."createdAt", i."createdAt") as "startedAt", coalesce(c."createdAt", i."createdAt") as "createdAt",
      coalesce(c."createdAt", i."createdAt") as "updatedAt",
      lead(c."createdAt", 1) over (partition by i.id order by c."createdAt" nulls first, c.id) as "endedAt"
    from ${table("issues")} i
    cross join lateral (
      select null::uuid as id, null::timestamptz(3) as "createdAt", null::uuid as "toStateId"
      union all
      select h.id, h."createdAt", h."toStateId" from ${table("issue_history")} h
      where h."issueId" = i.id and h."toStateId" is not null
    ) c
    left join lateral (
      select h."fromStateId" from ${table("issue_history")} h
      where c.id is null and h."issueId" = i.id and h."toStateId" is not null
      order by h."createdAt", h.id limit 1
    ) first on true
  )`,
});

export const ISSUE_HISTORY: readonly Model[] = [
  activity,
  stateSpan,
  model("IssueHistory", {
    many: {
      actors: ["User", (row, related, { sql }) => sql`${related("id")} = ${row("actorId")}`],
      addedLabels: listed("IssueLabel", "addedLabelIds"),
      addedToReleases: listed("Release", "addedToReleaseIds"),
      removedFromReleases: listed("Release", "removedFromReleaseIds"),
      removedLabels: listed("IssueLabel", "removedLabelIds"),
    },
    visible: inVisibleIssue(),
    withRow: ["fromState", "toState"],
  }),
];
