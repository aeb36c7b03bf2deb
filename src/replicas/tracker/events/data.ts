/** The `data` of events: the columns of an entity, and its relations as children. As the client's types have them. */
import type { EventRow } from "~/replicas/events";
import { PRIORITIES } from "~/replicas/tracker/api/conventions";
import { isoTime, present, RECORD_TYPE, type Wire } from "~/replicas/tracker/events/change";
import { asChild, CHILDREN } from "~/replicas/tracker/events/children";
import { idLists, idsOf, listsOf, reactionData, reactions } from "~/replicas/tracker/events/lists";
import { ownerOfContent, pageOf } from "~/replicas/tracker/events/pages";
import type { EntityType } from "~/replicas/tracker/events/types";
import type { Shape, View } from "~/replicas/tracker/events/view";
import { richText } from "~/replicas/tracker/rich-text";
import type { TableName } from "~/replicas/tracker/store/tables";

const words = (text: string): readonly string[] => text.split(" ");

const OWN = "id createdAt updatedAt archivedAt";
const LABEL = `${OWN} color creatorId description isGroup name parentId`;
const HISTORIES = words(
  "completedIssueCountHistory completedScopeHistory inProgressScopeHistory issueCountHistory scopeHistory",
);

const children = (entity: string, ids: readonly unknown[], view: View): Wire[] =>
  ids.flatMap((id) => {
    const row = view.row(entity, id);
    return row ? [asChild(entity, row, view)] : [];
  });

/** The releases of an issue, or the issues of a release. */
const released = (column: string, id: unknown, target: string, { list }: View) =>
  list("records", column, id)
    .filter((row) => row[RECORD_TYPE] === "IssueToRelease")
    .map((row) => row[target]);

const asText = (value: unknown) => (value == null ? null : JSON.stringify(value));
const time = (value: unknown) => (value == null ? undefined : isoTime(value));

/** Values that are not stored, as texts and numbers. */
const healthOf = ({ health, healthUpdatedAt, lastUpdateId }: EventRow): Wire =>
  present({ health, healthUpdatedAt: time(healthUpdatedAt), lastUpdateId });

const issue: Shape = {
  columns: words(
    `${OWN} addedToCycleAt addedToProjectAt addedToTeamAt assigneeId autoArchivedAt autoClosedAt canceledAt completedAt creatorId cycleId delegateId description dueDate estimate identifier lastAppliedTemplateId number parentId previousIdentifiers priority prioritySortOrder projectId projectMilestoneId slaBreachesAt slaHighRiskAt slaMediumRiskAt slaStartedAt slaType snoozedUntilAt sortOrder sourceCommentId startedAt startedTriageAt stateId subIssueSortOrder teamId title trashed triagedAt`,
  ),
  ones: words("assignee creator cycle delegate project projectMilestone state team"),
  reads: ["parent"],
  lists: [
    ...listsOf("Issue"),
    { table: "issue_subscribers", column: "issueId" },
    { table: "records", column: "issueId", type: "IssueToRelease" },
    reactions("issueId"),
  ],
  more(row, view) {
    const { id, description, priority, botActor } = row;
    const labelIds = idsOf(view, "issue_label_assignments", id);
    const releases = released("issueId", id, "releaseId", view);
    return {
      url: pageOf("Issue", row, view),
      priorityLabel: PRIORITIES[Number(priority)] ?? PRIORITIES[0],
      labelIds,
      labels: children("IssueLabel", labelIds, view),
      subscriberIds: view
        .list("issue_subscribers", "issueId", id)
        .map(({ userId }) => userId)
        .toSorted(),
      reactionData: reactionData(view, "issueId", id),
      releases: children("Release", releases, view),
      botActor: asText(botActor),
      ...(typeof description === "string" && { descriptionData: richText(description) }),
    };
  },
};

const comment: Shape = {
  columns: words(
    `${OWN} body documentContentId editedAt initiativeId initiativeUpdateId issueId parentId projectId projectUpdateId quotedText resolvedAt resolvingCommentId resolvingUserId userId`,
  ),
  ones: words("initiativeUpdate issue parent projectUpdate user"),
  reads: ["project", "initiative"],
  lists: [
    reactions("commentId"),
    { table: "documents", column: "documentContentId", key: "documentContentId" },
    { table: "projects", column: "documentContentId", key: "documentContentId" },
  ],
  more({ id, botActor, documentContentId }, view) {
    const { document, project } = ownerOfContent(documentContentId, view);
    const content = present({
      document: document && asChild("Document", document, view),
      project: project && asChild("Project", project, view),
    });
    return {
      reactionData: reactionData(view, "commentId", id),
      botActor: asText(botActor),
      ...(documentContentId != null && { documentContent: content }),
    };
  },
};

const project: Shape = {
  columns: words(
    `${OWN} canceledAt color completedAt content convertedFromIssueId creatorId description documentContentId icon identifier lastAppliedTemplateId leadId name previousIdentifiers priority prioritySortOrder projectUpdateRemindersPausedUntilAt slugId sortOrder startDate startDateResolution startedAt statusId targetDate targetDateResolution trashed`,
  ),
  ones: ["lead", "status"],
  lists: [
    ...listsOf("Project"),
    { table: "initiative_to_projects", column: "projectId" },
    { table: "project_milestones", column: "projectId" },
  ],
  values: [...HISTORIES, "health", "healthUpdatedAt", "lastUpdateId"],
  more(row, view) {
    const { id } = row;
    const values = view.values(id);
    const milestones = view.list("project_milestones", "projectId", id);
    const initiatives = view.list("initiative_to_projects", "projectId", id);
    return {
      url: pageOf("Project", row, view),
      ...idLists("Project", id, view),
      ...healthOf(values),
      ...Object.fromEntries(HISTORIES.map((name) => [name, values[name] ?? []])),
      milestones: milestones.map((each) => asChild("ProjectMilestone", each, view)),
      initiatives: children(
        "Initiative",
        initiatives.map(({ initiativeId }) => initiativeId),
        view,
      ),
    };
  },
};

const initiative: Shape = {
  columns: words(
    `${OWN} canceledAt color completedAt creatorId description frequencyResolution icon identifier leadTeamId name ownerId previousIdentifiers priority slugId sortOrder startedAt status targetDate targetDateResolution trashed updateReminderFrequency updateReminderFrequencyInWeeks updateRemindersHour`,
  ),
  ones: ["creator", "owner"],
  lists: [
    ...listsOf("Initiative"),
    { table: "initiative_to_projects", column: "initiativeId" },
    { table: "initiative_relations", column: "initiativeId" },
    { table: "initiative_relations", column: "relatedInitiativeId" },
  ],
  values: ["health", "healthUpdatedAt", "lastUpdateId"],
  more(row, view) {
    const { id, description } = row;
    const listed = (table: TableName, column: string, of: string) =>
      view.list(table, column, id).map((each) => each[of]);
    const above = listed("initiative_relations", "relatedInitiativeId", "initiativeId");
    const below = listed("initiative_relations", "initiativeId", "relatedInitiativeId");
    const projects = listed("initiative_to_projects", "initiativeId", "projectId");
    const parents = children("Initiative", above, view);
    return {
      description: description ?? "",
      organizationId: view.workspace.id,
      url: pageOf("Initiative", row, view),
      ...idLists("Initiative", id, view),
      ...healthOf(view.values(id)),
      ...(parents[0] && { parentInitiative: parents[0] }),
      parentInitiatives: parents,
      subInitiatives: children("Initiative", below, view),
      projects: children("Project", projects, view),
    };
  },
};

/** A report on a project or an initiative. */
const report = (entity: EntityType, subject: string, column: string): Shape => ({
  columns: words(`${OWN} body bodyData health slugId userId ${subject}Id`),
  ones: [subject, "user"],
  lists: [reactions(column)],
  more: (row, view) => ({
    editedAt: row["editedAt"],
    reactionData: reactionData(view, column, row["id"]),
    url: pageOf(entity, row, view),
  }),
});

export const DATA: { readonly [E in EntityType]: Shape } = {
  Attachment: { ...(CHILDREN["Attachment"] as Shape), reads: ["issue"] },
  Comment: comment,
  Customer: {
    columns: words(
      `${OWN} domains externalIds logoUrl mainSourceId name ownerId revenue size slackChannelId slugId statusId tierId`,
    ),
    ones: ["status", "tier"],
    values: ["approximateNeedCount"],
    more: (row, view) => ({
      approximateNeedCount: view.values(row["id"])["approximateNeedCount"] ?? 0,
      url: pageOf("Customer", row, view),
    }),
  },
  CustomerNeed: {
    columns: words(
      `${OWN} attachmentId body commentId creatorId customerId issueId originalIssueId priority projectId`,
    ),
    ones: words("attachment customer issue project"),
  },
  Cycle: {
    columns: words(`${OWN} completedAt description endsAt name number startsAt teamId`),
    reads: ["team"],
    values: HISTORIES,
    more: ({ id, uncompletedIssueIdsUponClose }, view) => ({
      ...Object.fromEntries(HISTORIES.map((name) => [name, view.values(id)[name] ?? []])),
      uncompletedIssuesUponCloseIds: uncompletedIssueIdsUponClose,
    }),
  },
  Document: {
    columns: words(
      `${OWN} color content creatorId hiddenAt icon initiativeId lastAppliedTemplateId projectId resourceFolderId slugId sortOrder subscriberIds title trashed updatedById`,
    ),
    reads: ["issue", "project"],
  },
  Initiative: initiative,
  InitiativeLabel: { columns: words(LABEL) },
  InitiativeUpdate: report("InitiativeUpdate", "initiative", "initiativeUpdateId"),
  Issue: issue,
  IssueLabel: { columns: words(`${LABEL} teamId`) },
  Project: project,
  ProjectLabel: { columns: words(`${LABEL} teamId`) },
  ProjectUpdate: report("ProjectUpdate", "project", "projectUpdateId"),
  Reaction: {
    columns: words(`${OWN} commentId emoji initiativeUpdateId issueId projectUpdateId userId`),
    ones: words("comment issue projectUpdate user"),
    reads: ["initiativeUpdate"],
  },
  Release: {
    columns: words(
      `${OWN} canceledAt commitSha completedAt creatorId description name pipelineId slugId stageId startDate startedAt targetDate trashed version`,
    ),
    ones: ["pipeline", "stage"],
    lists: [{ table: "records", column: "releaseId", type: "IssueToRelease" }],
    more: (row, view) => ({
      url: pageOf("Release", row, view),
      issues: children("Issue", released("releaseId", row["id"], "issueId", view), view),
    }),
  },
  ReleaseNote: {
    columns: words(`${OWN} content creatorId pipelineId slugId title`),
    ones: ["pipeline"],
    values: ["lastReleaseId"],
    more: (row, view) => ({
      url: pageOf("ReleaseNote", row, view),
      releaseIds: row["releaseIds"] ?? [],
      ...present({ lastReleaseId: view.values(row["id"])["lastReleaseId"] }),
    }),
  },
  User: {
    columns: words(
      `${OWN} active admin app avatarUrl description disableReason displayName email guest name owner timezone`,
    ),
    more: (row, view) => ({ url: pageOf("User", row, view) }),
  },
};
