/** How the tracker calls its rows in sentences. */
import { type ColumnWords, onOneLine, quoteText, type RowWords } from "~/replicas/row-words";

const text = (value: unknown) => (typeof value === "string" ? value : "");
const NAME_MAX = 80;

const named = (row: { readonly [column: string]: unknown }) =>
  quoteText(text(row["name"]), NAME_MAX);
const byName = { name: named, named: ["name"] } as const;

/** A column with the id of a row. */
const the = (table: string, label: string, is: string): ColumnWords => ({
  label,
  of: { table },
  is,
});
const itself = (table: string) => the(table, "id", "");
const user = (label: string, is: string) => the("users", label, is);
const team = the("teams", "team", "of the team");
const issue = the("issues", "issue", "of");
const project = the("projects", "project", "in the project");
const body: ColumnWords = { label: "text", isText: true };
const PRIORITIES = { 0: "none", 1: "urgent", 2: "high", 3: "medium", 4: "low" };

export const rowWords: RowWords = {
  users: {
    name: (row) => onOneLine(text(row["displayName"]) || text(row["name"]), NAME_MAX),
    named: ["name", "displayName"],
    columns: { id: itself("users") },
  },
  teams: { ...byName, columns: { id: itself("teams") } },
  workflow_states: {
    one: "workflow state",
    many: "workflow states",
    ...byName,
    columns: {
      id: itself("workflow_states"),
      teamId: team,
      name: { label: "name", is: "named" },
      type: { label: "type", is: "of the type" },
    },
  },
  issues: {
    name: (row) =>
      `${onOneLine(text(row["identifier"]), NAME_MAX)} ${quoteText(text(row["title"]), NAME_MAX)}`,
    named: ["identifier", "title"],
    columns: {
      id: itself("issues"),
      identifier: { label: "identifier", of: { table: "issues", by: "identifier" }, is: "" },
      title: { label: "title", is: "titled" },
      description: { label: "description" },
      teamId: team,
      stateId: the("workflow_states", "state", "in the state"),
      assigneeId: { ...user("assignee", "assigned to"), none: "without an assignee" },
      delegateId: user("delegate", "delegated to"),
      creatorId: user("creator", "by"),
      parentId: { ...the("issues", "parent", "below"), none: "without a parent" },
      projectId: project,
      projectMilestoneId: the("project_milestones", "milestone", "of the milestone"),
      cycleId: the("cycles", "cycle", "in the cycle"),
      priority: { label: "priority", is: "with the priority", values: PRIORITIES },
      dueDate: { label: "due date", is: "due on", none: "without a due date" },
      archivedAt: { label: "time of archiving", none: "that is not archived" },
      trashed: { yes: "that is deleted", no: "that is not deleted", none: "that is not deleted" },
    },
    place: (row) => ({ table: "issues", id: row["id"] }),
  },
  issue_labels: {
    one: "label",
    many: "labels",
    ...byName,
    columns: {
      id: itself("issue_labels"),
      name: { label: "name", is: "named" },
      teamId: team,
      parentId: { ...the("issue_labels", "group", "in the group"), none: "" },
      isGroup: { label: "group", yes: "that is a group", no: "" },
      creatorId: user("creator", "by"),
    },
  },
  issue_label_assignments: {
    one: "label",
    many: "labels",
    tells: (row, say) =>
      `${say("issue_labels", text(row["labelId"]))} on ${say("issues", text(row["issueId"]))}`,
    columns: {
      issueId: { ...issue, is: "on" },
      labelId: the("issue_labels", "label", ""),
    },
    place: (row) => ({ table: "issues", id: row["issueId"] }),
  },
  issue_subscribers: {
    one: "subscription",
    many: "subscriptions",
    tells: (row, say) =>
      `of ${say("users", text(row["userId"]))} to ${say("issues", text(row["issueId"]))}`,
    columns: { issueId: { ...issue, is: "to" }, userId: user("subscriber", "of") },
    place: (row) => ({ table: "issues", id: row["issueId"] }),
  },
  issue_relations: {
    one: "relation",
    many: "relations",
    tells: (row, say) =>
      `of ${say("issues", text(row["issueId"]))} to ${say("issues", text(row["relatedIssueId"]))}: ${onOneLine(text(row["type"]), NAME_MAX)}`,
    columns: {
      issueId: issue,
      relatedIssueId: the("issues", "related issue", "to"),
      type: { label: "type", is: "of the type" },
    },
    place: (row) => ({ table: "issues", id: row["issueId"] }),
  },
  comments: {
    name: (row, say) =>
      `${text(row["userId"]) === "" ? "the" : `${say("users", text(row["userId"]))}’s`} ${quoteText(text(row["body"]), 60)}`,
    named: ["userId", "body"],
    tells: (row, say) => {
      const on = [
        ["issues", text(row["issueId"])],
        ["projects", text(row["projectId"])],
        ["initiatives", text(row["initiativeId"])],
      ].find(([, id]) => id !== "");
      const [table = "", id = ""] = on ?? [];
      return `${on ? `on ${say(table, id)}` : "on another thing"}: ${quoteText(text(row["body"]))}`;
    },
    columns: {
      id: itself("comments"),
      body,
      issueId: { ...issue, is: "on" },
      projectId: { ...project, is: "on the project" },
      userId: user("author", "by"),
      projectUpdateId: the("project_updates", "project update", "on"),
      initiativeId: the("initiatives", "initiative", "on the initiative"),
      resolvedAt: { label: "time of resolving", none: "that is not resolved" },
      resolvingUserId: user("resolver", "resolved by"),
      resolvingCommentId: the("comments", "resolving comment", "resolved with"),
      parentId: {
        ...the("comments", "parent", "as a reply to"),
        none: "that is not a reply",
      },
    },
    place: (row) => ({ table: "issues", id: row["issueId"] }),
  },
  reactions: {
    columns: {
      issueId: { ...issue, is: "on" },
      commentId: the("comments", "comment", "on"),
      userId: user("user", "by"),
      emoji: { label: "emoji", is: "with" },
    },
    place: (row) => ({ table: "issues", id: row["issueId"] }),
  },
  attachments: {
    name: (row) => quoteText(text(row["title"]), NAME_MAX),
    named: ["title"],
    columns: { issueId: { ...issue, is: "of" }, title: { label: "title", is: "titled" } },
    place: (row) => ({ table: "issues", id: row["issueId"] }),
  },
  cycles: {
    name: (row) => (text(row["name"]) === "" ? `Cycle ${row["number"]}` : named(row)),
    named: ["name", "number"],
    columns: { id: itself("cycles"), teamId: team },
  },
  projects: {
    ...byName,
    columns: {
      id: itself("projects"),
      statusId: the("project_statuses", "status", "with the status"),
      leadId: user("lead", "led by"),
    },
    place: (row) => ({ table: "projects", id: row["id"] }),
  },
  project_statuses: { one: "project status", many: "project statuses", ...byName },
  project_milestones: {
    one: "milestone",
    many: "milestones",
    ...byName,
    columns: { id: itself("project_milestones"), projectId: project },
    place: (row) => ({ table: "projects", id: row["projectId"] }),
  },
  project_updates: {
    one: "project update",
    many: "project updates",
    name: (row, say) =>
      `the update ${quoteText(text(row["body"]), 60)} of ${say("projects", text(row["projectId"]))}`,
    named: ["body", "projectId"],
    tells: (row, say) =>
      `of ${say("projects", text(row["projectId"]))}: ${quoteText(text(row["body"]))}`,
    columns: {
      projectId: { ...project, is: "of the project" },
      userId: user("author", "by"),
      body,
    },
    place: (row) => ({ table: "projects", id: row["projectId"] }),
  },
  project_labels: { one: "project label", many: "project labels", ...byName },
  project_members: {
    one: "member of a project",
    many: "members of projects",
    columns: { projectId: project, userId: user("member", "namely") },
    place: (row) => ({ table: "projects", id: row["projectId"] }),
  },
  initiatives: { ...byName, columns: { id: itself("initiatives"), ownerId: user("owner", "of") } },
  documents: {
    name: (row) => quoteText(text(row["title"]), NAME_MAX),
    named: ["title"],
    columns: { projectId: project, title: { label: "title", is: "titled" } },
  },
};
