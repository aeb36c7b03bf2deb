/** Issues and the entities that depend on them. */
import type { Expression, Model, Order, Relation, SortOptions } from "~/graphql/model";
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
  either,
  existsOf,
  favoriteId,
  hasRelation,
  labelIds,
  lastAppliedAt,
  never,
  nothing,
  reactionData,
  recordsOf,
  relatedValue,
  teamInUse,
  textOf,
} from "~/replicas/tracker/store/models/expressions";
import { ISSUE_HISTORY } from "~/replicas/tracker/store/models/issue-history";
import {
  byRoot,
  byState,
  cycleStart,
  isCurrentCycle,
  labelName,
  labelNameInGroup,
  ofCustomers,
} from "~/replicas/tracker/store/models/issue-orders";
import {
  inVisibleIssue,
  inVisibleProject,
  inVisibleTeam,
  together,
  visibleIssue,
} from "~/replicas/tracker/store/models/visibility";

/** Seconds from one moment to another. */
const secondsBetween =
  (from: string, to: (now: Expression) => Expression): Expression =>
  (row, scope) =>
    scope.sql`extract(epoch from ${to((_row, { sql, now }) => sql`${now}::timestamptz`)(row, scope)} - ${row(from)})::float8`;

const column =
  (name: string): Expression =>
  (row, { sql }) =>
    sql`${row(name)}`;

/** When the issue entered its state. */
const stateEnteredAt: Expression = (row, { sql, table }) => sql`coalesce(
  (select max(h."createdAt") from ${table("issue_history")} h
    where h."issueId" = ${row("id")} and h."toStateId" is not null),
  ${row("createdAt")}
)`;

const agentSessions =
  (...statuses: readonly string[]): Expression =>
  (row, { sql, table }) =>
    sql`exists (
    select from ${table("records")} s
    where s.type = 'AgentSession' and (s.data->>'issueId')::uuid = ${row("id")}
      and s.data->>'status' = any(${statuses as string[]}::text[])
  )`;

const needs = recordsOf("CustomerNeed", "issueId");

const slaStatus: Expression = (row, { sql, now }) => sql`(case
  when ${row("slaBreachesAt")} is null then null
  when ${row("completedAt")} is not null and ${row("completedAt")} <= ${row("slaBreachesAt")} then 'Completed'
  when ${row("completedAt")} is not null then 'Failed'
  when ${row("slaBreachesAt")} <= ${now}::timestamptz then 'Breached'
  when ${row("slaHighRiskAt")} <= ${now}::timestamptz then 'HighRisk'
  when ${row("slaMediumRiskAt")} <= ${now}::timestamptz then 'MediumRisk'
  else 'LowRisk' end)`;

const cyclePeriod: Expression = (row, { sql, table }) => sql`(
  select case when ${row("addedToCycleAt")} < c."startsAt" then 'before'
    when ${row("addedToCycleAt")} > c."endsAt" then 'after' else 'during' end
  from ${table("cycles")} c where c.id = ${row("cycleId")}
)`;

const importantNeeds: Expression = (row, scope) =>
  scope.sql`(select count(*)::int ${needs(row, scope)} and (c.data->>'priority')::float8 > 0)`;

const releases: Relation = (row, related, { sql, table }) => sql`exists (
  select from ${table("records")} l where l.type = 'IssueToRelease'
    and (l.data->>'issueId')::uuid = ${row("id")} and (l.data->>'releaseId')::uuid = ${related("id")}
)`;

export const issue: Model = model("Issue", {
  one: {
    favorite: "Favorite",
    recurringIssueTemplate: "Template",
  },
  many: {
    activity: ["Activity", (row, related, { sql }) => sql`${related("issueId")} = ${row("id")}`],
    agentSessions: children("AgentSession", "issueId"),
    attachments: children("Attachment", "issueId"),
    children: children("Issue", "parentId"),
    comments: children("Comment", "issueId"),
    documents: children("Document", "issueId"),
    formerAttachments: [
      "Attachment",
      (row, related, { sql }) =>
        sql`(${related("originalIssueId")} = ${row("id")} and ${related("issueId")} <> ${row("id")})`,
    ],
    formerNeeds: children("CustomerNeed", "originalIssueId"),
    history: children("IssueHistory", "issueId"),
    incomingSuggestions: children("IssueSuggestion", "suggestedIssueId"),
    inverseRelations: children("IssueRelation", "relatedIssueId"),
    labels: through("IssueLabel", "issue_label_assignments", "issueId", "labelId"),
    needs: children("CustomerNeed", "issueId"),
    reactions: children("Reaction", "issueId"),
    relations: children("IssueRelation", "issueId"),
    releases: ["Release", releases],
    sharedWith: listed("User", "sharedWithUserIds"),
    stateHistory: children("IssueStateSpan", "issueId"),
    subscribers: through("User", "issue_subscribers", "issueId", "userId"),
    suggestions: children("IssueSuggestion", "issueId"),
  },
  computed: {
    customerTicketCount: countOf(needs),
    favoriteId: favoriteId("issueId"),
    labelIds: labelIds("issue_label_assignments", "issueId"),
    reactionData: reactionData("issueId"),
    recurringIssueTemplateId: nothing("uuid"),
  },
  filters: {
    accumulatedStateUpdatedAt: stateEnteredAt,
    addedToCyclePeriod: cyclePeriod,
    ageTime: secondsBetween(
      "createdAt",
      (now) => (row, scope) =>
        scope.sql`coalesce(${row("completedAt")}, ${row("canceledAt")}, ${now(row, scope)})`,
    ),
    customerCount: countOf(needs),
    customerImportantCount: importantNeeds,
    cycleTime: secondsBetween("startedAt", () => column("completedAt")),
    hasActiveAgentSessions: agentSessions("pending", "active", "awaitingInput"),
    hasBlockedByRelations: hasRelation("blocks", "relatedIssueId"),
    hasBlockingRelations: hasRelation("blocks", "issueId"),
    hasDismissedAgentSessions: existsOf(
      (row, scope) =>
        scope.sql`${recordsOf("AgentSession", "issueId")(row, scope)} and c.data->>'dismissedAt' is not null`,
    ),
    hasDuplicateRelations: either(
      hasRelation("duplicate", "issueId"),
      hasRelation("duplicate", "relatedIssueId"),
    ),
    hasErroredAgentSessions: agentSessions("error"),
    hasMergedAgentPullRequests: never,
    hasRelatedRelations: either(
      hasRelation("related", "issueId"),
      hasRelation("related", "relatedIssueId"),
    ),
    hasSharedUsers: (row, { sql }) => sql`(cardinality(${row("sharedWithUserIds")}) > 0)`,
    hasSuggestedAssignees: never,
    hasSuggestedLabels: never,
    hasSuggestedProjects: never,
    hasSuggestedRelatedIssues: never,
    hasSuggestedSimilarIssues: never,
    hasSuggestedTeams: never,
    leadTime: secondsBetween("createdAt", () => column("completedAt")),
    searchableContent: textOf("title", "description"),
    slaStatus,
    sourceMetadata: nothing("jsonb"),
    triageTime: secondsBetween("startedTriageAt", () => column("triagedAt")),
  },
  sorts: {
    accumulatedStateUpdatedAt: by(stateEnteredAt),
    assignee: by(relatedValue("users", "assigneeId", "displayName")),
    customer: by(ofCustomers("name")),
    customerCount: by(countOf(needs)),
    customerImportantCount: by(importantNeeds),
    customerRevenue: by(ofCustomers("revenue")),
    cycle: ({ currentCycleFirst, order }) => [
      ...(currentCycleFirst === true
        ? [{ by: isCurrentCycle, descending: order !== "Descending" }]
        : []),
      { by: cycleStart },
    ],
    delegate: by(relatedValue("users", "delegateId", "displayName")),
    label: by(labelName),
    labelGroup: ({ labelGroupId }) => [{ by: labelNameInGroup(labelGroupId as string) }],
    linkCount: by(
      (row, { sql, table }) =>
        sql`(select count(*) from ${table("attachments")} a where a."issueId" = ${row("id")})`,
    ),
    manual: byColumn("sortOrder"),
    milestone: by(relatedValue("project_milestones", "projectMilestoneId", "name")),
    priority: byPriority,
    project: by(relatedValue("projects", "projectId", "name")),
    release: by(
      (row, { sql, table }) => sql`(
        select min(r.data->>'name') from ${table("records")} l
        join ${table("records")} r on r.id = (l.data->>'releaseId')::uuid
        where l.type = 'IssueToRelease' and (l.data->>'issueId')::uuid = ${row("id")}
      )`,
    ),
    rootIssue: ({ sort }) =>
      byRoot(
        issue,
        Object.entries((sort ?? {}) as Record<string, object | null>).flatMap(([key, options]) =>
          issueOrders(key, { ...options }),
        ),
      ),
    slaStatus: byColumn("slaBreachesAt"),
    team: by(relatedValue("teams", "teamId", "name")),
    workflowState: ({ closedIssuesOrderedByRecency }) =>
      byState(closedIssuesOrderedByRecency === true),
  },
  visible: visibleIssue,
  withRow: ["state", "team"],
});

const issueOrders = (key: string, options: SortOptions): readonly Order[] =>
  issue.sorts.get(key)?.(options) ?? [{ by: column(key) }];

const issueLabel = model("IssueLabel", {
  many: {
    children: children("IssueLabel", "parentId"),
    issues: throughMany("Issue", "issue_label_assignments", "labelId", "issueId"),
  },
  computed: { lastAppliedAt: lastAppliedAt("issue_label_assignments") },
  inUse: teamInUse,
  visible: inVisibleTeam(),
});

const comment = model("Comment", {
  many: {
    agentSessions: children("AgentSession", "commentId"),
    children: children("Comment", "parentId"),
    createdIssues: children("Issue", "sourceCommentId"),
    needs: children("CustomerNeed", "commentId"),
    reactions: children("Reaction", "commentId"),
    spawnedAgentSessions: children("AgentSession", "sourceCommentId"),
  },
  computed: { reactionData: reactionData("commentId") },
  visible: together(inVisibleIssue(), inVisibleProject()),
});

export const ISSUES: readonly Model[] = [
  issue,
  issueLabel,
  comment,
  ...ISSUE_HISTORY,
  model("IssueRelation", {
    visible: together(inVisibleIssue(), inVisibleIssue("relatedIssueId")),
  }),
  model("Reaction", {
    // Every reaction here is one of the standard emoji.
    filters: { customEmojiId: (_row, { sql }) => sql`null::uuid` },
  }),
  model("Attachment", { visible: inVisibleIssue() }),
  record(
    "IssueSuggestion",
    {
      issueId: "uuid",
      suggestedIssueId: "uuid",
      suggestedLabelId: "uuid",
      suggestedProjectId: "uuid",
      suggestedTeamId: "uuid",
      suggestedUserId: "uuid",
    },
    {
      one: {
        suggestedLabel: "IssueLabel",
        suggestedProject: "Project",
        suggestedTeam: "Team",
        suggestedUser: "User",
      },
    },
  ),
];
