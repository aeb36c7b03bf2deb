/** A mutation request is one transaction: a failure undoes all of it, and the response says so. */
import { beforeAll, describe, expect, test } from "bun:test";
import { coverage } from "~/replicas/tracker/coverage";
import { useSharedDatabase } from "../../support/database";
import { everyRow } from "../../support/rows";
import { MARIA, useTracker } from "../../support/tracker";

const database = useSharedDatabase();
const tracker = useTracker(database, "tracker_expanded");

/** Ids of rows to change, by name. */
const ids: Record<string, string> = {};
const one = async (query: string) => {
  const [row] = await database.sql.unsafe(query.replaceAll("$.", `"${tracker.schema}".`));
  if (!row) throw new Error(`nothing to change: ${query}`);
  return row["id"] as string;
};

beforeAll(async () => {
  const of = (table: string, where = "true") =>
    one(`select id from $.${table} where ${where} order by "createdAt", id limit 1`);
  ids["team"] = await of("teams");
  ids["other"] = await of("teams", `id <> '${ids["team"]}'`);
  ids["issue"] = await of("issues", `"teamId" = '${ids["team"]}' and "archivedAt" is null`);
  ids["issue2"] = await of(
    "issues",
    `"teamId" = '${ids["team"]}' and "archivedAt" is null and id <> '${ids["issue"]}'`,
  );
  ids["project"] = await of(
    "projects",
    `exists (select from $.project_teams p where p."projectId" = projects.id and p."teamId" = '${ids["team"]}')`,
  );
  ids["project2"] = await of("projects", `id <> '${ids["project"]}'`);
  ids["user"] = await of(
    "users",
    `active and not exists (select from $.team_memberships m where m."userId" = users.id and m."teamId" = '${ids["team"]}')`,
  );
  ids["member"] = await of("users", `active and id <> '${MARIA}'`);
  ids["membership"] = await of("team_memberships", `"userId" <> '${MARIA}'`);
  const { sql } = database;
  await sql.unsafe(
    `update "${tracker.schema}".issues set "archivedAt" = null where id = '${ids["issue"]}'`,
  );
  ids["label"] = await of(
    "issue_labels",
    `not "isGroup" and "teamId" is null and "parentId" is null`,
  );
  ids["state"] = await of("workflow_states", `"teamId" = '${ids["team"]}' and type = 'started'`);
  const make = async (field: string, input: object, key: string) => {
    const type = `${field.charAt(0).toUpperCase()}${field.slice(1)}Input`;
    const data = await tracker.data(
      `mutation($input: ${type}!) { ${field}(input: $input) { ${key} { id } } }`,
      { input },
      MARIA,
    );
    return data[field][key].id as string;
  };
  const { issue, issue2, project, project2, team } = ids as Record<string, string>;
  const span = { startsAt: "2030-01-07", endsAt: "2030-01-21" };
  ids["cycle"] = await make("cycleCreate", { teamId: team, ...span }, "cycle");
  ids["comment"] = await make("commentCreate", { issueId: issue, body: "A thread" }, "comment");
  ids["resolved"] = await make("commentCreate", { issueId: issue, body: "Another" }, "comment");
  await tracker.data(
    `mutation { commentResolve(id: "${ids["resolved"]}") { success } }`,
    {},
    MARIA,
  );
  ids["document"] = await make(
    "documentCreate",
    { title: "A plan", projectId: project },
    "document",
  );
  ids["trashed"] = await make("documentCreate", { title: "Gone", projectId: project }, "document");
  await tracker.data(`mutation { documentDelete(id: "${ids["trashed"]}") { success } }`, {}, MARIA);
  ids["attachment"] = await make(
    "attachmentCreate",
    { issueId: issue, title: "x", url: "https://a.test" },
    "attachment",
  );
  ids["newState"] = await make(
    "workflowStateCreate",
    { teamId: team, name: "Spare", type: "started", color: "#fff" },
    "workflowState",
  );
  ids["status"] = await make(
    "projectStatusCreate",
    { name: "Spare", type: "started", color: "#fff", position: 9, indefinite: false },
    "status",
  );
  ids["update"] = await make(
    "projectUpdateCreate",
    { projectId: project, body: "Well" },
    "projectUpdate",
  );
  ids["milestone"] = await make(
    "projectMilestoneCreate",
    { projectId: project, name: "Half" },
    "projectMilestone",
  );
  ids["projectLabel"] = await make(
    "projectLabelCreate",
    { name: "Atomic", color: "#fff" },
    "projectLabel",
  );
  ids["onProject"] = await make(
    "projectLabelCreate",
    { name: "Molecular", color: "#fff" },
    "projectLabel",
  );
  await tracker.data(
    `mutation { projectAddLabel(id: "${project}", labelId: "${ids["onProject"]}") { success } }`,
    {},
    MARIA,
  );
  ids["retired"] = await make("issueLabelCreate", { name: "Retired" }, "issueLabel");
  await tracker.data(
    `mutation { issueLabelRetire(id: "${ids["retired"]}") { success } }`,
    {},
    MARIA,
  );
  ids["retiredProjectLabel"] = await make(
    "projectLabelCreate",
    { name: "Old", color: "#fff" },
    "projectLabel",
  );
  await tracker.data(
    `mutation { projectLabelRetire(id: "${ids["retiredProjectLabel"]}") { success } }`,
    {},
    MARIA,
  );
  ids["onIssue"] = await make("issueLabelCreate", { name: "On it" }, "issueLabel");
  await tracker.data(
    `mutation { issueAddLabel(id: "${issue}", labelId: "${ids["onIssue"]}") { success } }`,
    {},
    MARIA,
  );
  ids["relation"] = await make(
    "issueRelationCreate",
    { issueId: issue, relatedIssueId: issue2, type: "similar" },
    "issueRelation",
  );
  ids["projectRelation"] = await make(
    "projectRelationCreate",
    {
      type: "dependency",
      projectId: project,
      relatedProjectId: project2,
      anchorType: "end",
      relatedAnchorType: "start",
    },
    "projectRelation",
  ).catch(() => of("project_relations"));
  ids["reaction"] = await make("reactionCreate", { issueId: issue, emoji: "tada" }, "reaction");
  ids["newProject"] = await make("projectCreate", { name: "Another", teamIds: [team] }, "project");
  ids["usedStatus"] = await of("project_statuses", `id in (select "statusId" from $.projects)`);
  ids["archivedIssue"] = await make("issueCreate", { teamId: team, title: "Old" }, "issue");
  await tracker.data(
    `mutation { issueArchive(id: "${ids["archivedIssue"]}") { success } }`,
    {},
    MARIA,
  );
  await tracker.data(`mutation { issueSubscribe(id: "${issue2}") { success } }`, {}, MARIA);
});

const q = JSON.stringify;
/** Arguments with which each mutation of tier 1 succeeds and changes something. */
const ARGUMENTS: Record<string, () => string> = {
  attachmentCreate: () =>
    `input: { issueId: ${q(ids["issue"])}, title: "Log", url: "https://b.test/log" }`,
  attachmentDelete: () => `id: ${q(ids["attachment"])}`,
  attachmentUpdate: () => `id: ${q(ids["attachment"])}, input: { title: "Other" }`,
  attachmentSyncToSlack: () => `id: ${q(ids["attachment"])}`,
  createProjectUpdateReminder: () => `projectId: ${q(ids["project"])}`,
  documentUnshare: () => `id: ${q(ids["document"])}, userIds: [${q(ids["member"])}]`,
  issueExternalSyncDisable: () => `attachmentId: ${q(ids["attachment"])}`,
  issueUnshare: () => `id: ${q(ids["issue"])}, userId: ${q(ids["member"])}`,
  projectExternalSyncDisable: () => `projectId: ${q(ids["project"])}, syncSource: jira`,
  projectMilestoneMove: () =>
    `id: ${q(ids["milestone"])}, input: { projectId: ${q(ids["project2"])} }`,
  projectReassignStatus: () =>
    `originalProjectStatusId: ${q(ids["usedStatus"])}, newProjectStatusId: ${q(ids["status"])}`,
  projectRelationCreate: () =>
    `input: { type: "dependency", projectId: ${q(ids["project2"])}, relatedProjectId: ${q(ids["newProject"])}, anchorType: "end", relatedAnchorType: "start" }`,
  projectStatusUnarchive: () => `id: ${q(ids["status"])}`,
  projectUnarchive: () => `id: ${q(ids["project"])}`,
  projectUpdateUnarchive: () => `id: ${q(ids["update"])}`,
  teamUnarchive: () => `id: ${q(ids["other"])}`,
  userUnsuspend: () => `id: ${q(ids["member"])}`,
  attachmentLinkURL: () => `issueId: ${q(ids["issue"])}, url: "https://c.test/page"`,
  attachmentLinkDiscord: () =>
    `issueId: ${q(ids["issue"])}, channelId: "1", messageId: "2", url: "https://discord.test/1"`,
  attachmentLinkFront: () => `issueId: ${q(ids["issue"])}, conversationId: "1"`,
  attachmentLinkGitHubIssue: () =>
    `issueId: ${q(ids["issue"])}, url: "https://github.test/a/b/issues/1"`,
  attachmentLinkGitHubPR: () =>
    `issueId: ${q(ids["issue"])}, url: "https://github.test/a/b/pull/1"`,
  attachmentLinkGitLabMR: () =>
    `issueId: ${q(ids["issue"])}, url: "https://gitlab.test/1", number: 1, projectPathWithNamespace: "a/b"`,
  attachmentLinkIntercom: () => `issueId: ${q(ids["issue"])}, conversationId: "1"`,
  attachmentLinkJiraIssue: () => `issueId: ${q(ids["issue"])}, jiraIssueId: "A-1"`,
  attachmentLinkSalesforce: () => `issueId: ${q(ids["issue"])}, url: "https://salesforce.test/1"`,
  attachmentLinkSlack: () => `issueId: ${q(ids["issue"])}, url: "https://slack.test/1"`,
  attachmentLinkZendesk: () => `issueId: ${q(ids["issue"])}, ticketId: "1"`,
  commentCreate: () => `input: { issueId: ${q(ids["issue"])}, body: "Hello" }`,
  commentDelete: () => `id: ${q(ids["comment"])}`,
  commentResolve: () => `id: ${q(ids["comment"])}`,
  commentUnresolve: () => `id: ${q(ids["resolved"])}`,
  commentUpdate: () => `id: ${q(ids["comment"])}, input: { body: "Edited" }`,
  cycleArchive: () => `id: ${q(ids["cycle"])}`,
  cycleCreate: () =>
    `input: { teamId: ${q(ids["team"])}, startsAt: "2031-01-06", endsAt: "2031-01-20" }`,
  cycleShiftAll: () => `input: { id: ${q(ids["cycle"])}, daysToShift: 1 }`,
  cycleStartUpcomingCycleToday: () => `id: ${q(ids["cycle"])}`,
  cycleUpdate: () => `id: ${q(ids["cycle"])}, input: { name: "Renamed" }`,
  documentCreate: () => `input: { title: "New", projectId: ${q(ids["project"])} }`,
  documentDelete: () => `id: ${q(ids["document"])}`,
  documentShare: () => `id: ${q(ids["document"])}, userIds: [${q(ids["member"])}]`,
  documentUnarchive: () => `id: ${q(ids["trashed"])}`,
  documentUpdate: () => `id: ${q(ids["document"])}, input: { content: "Text" }`,
  issueAddLabel: () => `id: ${q(ids["issue2"])}, labelId: ${q(ids["onIssue"])}`,
  issueArchive: () => `id: ${q(ids["issue2"])}`,
  issueBatchCreate: () => `input: { issues: [{ teamId: ${q(ids["team"])}, title: "One" }] }`,
  issueBatchUpdate: () =>
    `ids: [${q(ids["issue"])}, ${q(ids["issue2"])}], input: { title: "Same" }`,
  issueCreate: () => `input: { teamId: ${q(ids["team"])}, title: "New" }`,
  issueDelete: () => `id: ${q(ids["issue2"])}`,
  issueLabelCreate: () => `input: { name: "Brand new" }`,
  issueLabelDelete: () => `id: ${q(ids["label"])}`,
  issueLabelRestore: () => `id: ${q(ids["retired"])}`,
  issueLabelRetire: () => `id: ${q(ids["label"])}`,
  issueLabelUpdate: () => `id: ${q(ids["label"])}, input: { name: "Renamed label" }`,
  issueRelationCreate: () =>
    `input: { issueId: ${q(ids["issue"])}, relatedIssueId: ${q(ids["issue2"])}, type: related }`,
  issueRelationDelete: () => `id: ${q(ids["relation"])}`,
  issueRelationUpdate: () => `id: ${q(ids["relation"])}, input: { type: "blocks" }`,
  issueReminder: () => `id: ${q(ids["issue"])}, reminderAt: "2031-01-01"`,
  issueRemoveLabel: () => `id: ${q(ids["issue"])}, labelId: ${q(ids["onIssue"])}`,
  issueShare: () => `id: ${q(ids["issue"])}, userId: ${q(ids["member"])}`,
  issueSubscribe: () => `id: ${q(ids["issue"])}, userId: ${q(ids["user"])}`,
  issueUnarchive: () => `id: ${q(ids["archivedIssue"])}`,
  issueUnsubscribe: () => `id: ${q(ids["issue2"])}`,
  issueUpdate: () =>
    `id: ${q(ids["issue"])}, input: { title: "Changed", stateId: ${q(ids["state"])} }`,
  organizationUpdate: () => `input: { name: "Renamed" }`,
  projectAddLabel: () => `id: ${q(ids["project"])}, labelId: ${q(ids["projectLabel"])}`,
  projectArchive: () => `id: ${q(ids["project"])}`,
  projectCreate: () => `input: { name: "New", teamIds: [${q(ids["team"])}] }`,
  projectDelete: () => `id: ${q(ids["project"])}`,
  projectLabelCreate: () => `input: { name: "Brand new", color: "#fff" }`,
  projectLabelDelete: () => `id: ${q(ids["projectLabel"])}`,
  projectLabelRestore: () => `id: ${q(ids["retiredProjectLabel"])}`,
  projectLabelRetire: () => `id: ${q(ids["projectLabel"])}`,
  projectLabelUpdate: () => `id: ${q(ids["projectLabel"])}, input: { name: "Renamed" }`,
  projectMilestoneCreate: () => `input: { projectId: ${q(ids["project"])}, name: "End" }`,
  projectMilestoneDelete: () => `id: ${q(ids["milestone"])}`,
  projectMilestoneUpdate: () => `id: ${q(ids["milestone"])}, input: { name: "Renamed" }`,
  projectRelationDelete: () => `id: ${q(ids["projectRelation"])}`,
  projectRelationUpdate: () => `id: ${q(ids["projectRelation"])}, input: { anchorType: "start" }`,
  projectRemoveLabel: () => `id: ${q(ids["project"])}, labelId: ${q(ids["onProject"])}`,
  projectStatusArchive: () => `id: ${q(ids["status"])}`,
  projectStatusCreate: () =>
    `input: { name: "New", type: planned, color: "#fff", position: 7, indefinite: false }`,
  projectStatusUpdate: () => `id: ${q(ids["status"])}, input: { name: "Renamed" }`,
  projectUpdate: () => `id: ${q(ids["project"])}, input: { name: "Renamed" }`,
  projectUpdateArchive: () => `id: ${q(ids["update"])}`,
  projectUpdateCreate: () => `input: { projectId: ${q(ids["project"])}, body: "On time" }`,
  projectUpdateDelete: () => `id: ${q(ids["update"])}`,
  projectUpdateUpdate: () => `id: ${q(ids["update"])}, input: { body: "Edited" }`,
  reactionCreate: () => `input: { issueId: ${q(ids["issue"])}, emoji: "👍" }`,
  reactionDelete: () => `id: ${q(ids["reaction"])}`,
  teamCreate: () => `input: { name: "New team" }`,
  teamCyclesDelete: () => `id: ${q(ids["team"])}`,
  teamDelete: () => `id: ${q(ids["other"])}`,
  teamMembershipCreate: () => `input: { teamId: ${q(ids["team"])}, userId: ${q(ids["user"])} }`,
  teamMembershipDelete: () => `id: ${q(ids["membership"])}`,
  teamMembershipUpdate: () => `id: ${q(ids["membership"])}, input: { sortOrder: 77 }`,
  teamUpdate: () => `id: ${q(ids["team"])}, input: { name: "Renamed" }`,
  userChangeRole: () => `id: ${q(ids["member"])}, role: guest`,
  userSuspend: () => `id: ${q(ids["member"])}`,
  userUpdate: () => `id: ${q(ids["member"])}, input: { title: "Boss" }`,
  workflowStateArchive: () => `id: ${q(ids["newState"])}`,
  workflowStateCreate: () =>
    `input: { teamId: ${q(ids["team"])}, name: "Fresh", type: "started", color: "#fff" }`,
  workflowStateUpdate: () => `id: ${q(ids["newState"])}, input: { name: "Renamed" }`,
};

const MUTATIONS = coverage()
  .filter(({ kind, tier }) => kind === "mutation" && tier === 1)
  .map(({ operation }) => operation);
const FAILURE = `last: issueUpdate(id: "ENG-999999", input: { title: "x" }) { success }`;

describe("a request that fails has no side effects", () => {
  test.each(Object.keys(ARGUMENTS))("of %s", async (name) => {
    const before = await everyRow(database, tracker.schema);
    const call = `first: ${name}(${ARGUMENTS[name]!()}) { success }`;

    const failed = await tracker.ask(`mutation { ${call} ${FAILURE} }`, {}, MARIA);
    expect(failed.data).toBeNull();
    expect(failed.errors).toMatchObject([{ message: "Entity not found: Issue", path: ["last"] }]);
    expect(await everyRow(database, tracker.schema)).toEqual(before);
  });
});

test("every mutation of tier 1 is among them", () => {
  expect(MUTATIONS.filter((name) => !(name in ARGUMENTS))).toEqual([]);
});
