/** The suite "Tracker benchmark": solutions and plausible mistakes of each test. */
import { type Comment, type Issue, LinearClient } from "@linear/sdk";
import type { Proofs } from "./prove";
import type { Given, Tools } from "./server";

type Act = (tracker: LinearClient) => Promise<unknown>;

/** Every item of a paged list. */
async function all<Node>(
  first: Promise<{
    nodes: Node[];
    pageInfo: { hasNextPage: boolean };
    fetchNext(): Promise<unknown>;
  }>,
): Promise<Node[]> {
  const pages = await first;
  while (pages.pageInfo.hasNextPage) await pages.fetchNext();
  return pages.nodes;
}

/** The item of a list with that name. */
function named<Node extends { name?: string }>(nodes: Node[], name: string): Node {
  const found = nodes.find((node) => node.name === name);
  if (!found) throw new Error(`nothing is named ${name}`);
  return found;
}

const userId = async (tracker: LinearClient, name: string) =>
  named(await all(tracker.users({ first: 10 })), name).id;
export const teamId = async (tracker: LinearClient, name: string) =>
  named(await all(tracker.teams()), name).id;
const stateId = async (tracker: LinearClient, team: string, name: string) =>
  named(await all(tracker.workflowStates({ filter: { team: { name: { eq: team } } } })), name).id;
/** Of a team; of the workspace without one. */
const labelId = async (tracker: LinearClient, name: string, team?: string) => {
  const of = team ? { name: { eq: team } } : ({ null: true } as const);
  return named(await all(tracker.issueLabels({ filter: { name: { eq: name }, team: of } })), name)
    .id;
};
const issuesOf = (tracker: LinearClient, filter: object) =>
  all(tracker.issues({ filter, first: 20 }));
const commentOn = async (tracker: LinearClient, identifier: string, part: string) => {
  const issue = await tracker.issue(identifier);
  const found = (await all(issue.comments())).find(({ body }: Comment) => body.includes(part));
  if (!found) throw new Error(`no comment on ${identifier} has "${part}" in it`);
  return { issueId: issue.id, commentId: found.id };
};

export const update = (identifier: string, input: object) => (tracker: LinearClient) =>
  tracker.updateIssue(identifier, input);
export const write =
  (identifier: string, body: string, more: object = {}): Act =>
  async (tracker) =>
    tracker.createComment({ issueId: (await tracker.issue(identifier)).id, body, ...more });
export const move =
  (identifier: string, team: string, state: string): Act =>
  async (tracker) =>
    tracker.updateIssue(identifier, { stateId: await stateId(tracker, team, state) });
export const assign =
  (identifier: string, name: string): Act =>
  async (tracker) =>
    tracker.updateIssue(identifier, { assigneeId: await userId(tracker, name) });
const addLabel =
  (identifier: string, name: string, team?: string): Act =>
  async (tracker) =>
    tracker.issueAddLabel(identifier, await labelId(tracker, name, team));
const both =
  (...acts: readonly Act[]): Act =>
  async (tracker) => {
    for (const act of acts) await act(tracker);
  };

const missed = (entity: string, expected: string | number = 1, got = 0, nth = 1) =>
  `assertion#${nth} ${entity} expected count ${expected} but got ${got}`;
const unexpected = (entity: string, kind = "added") =>
  `closed_world ${entity} has an unexpected ${kind} row`;

const ENG = "Engineering";
const OPS = "Operations";

async function csvExport(tracker: LinearClient, team: string, more: object) {
  const input = {
    teamId: await teamId(tracker, team),
    title: "Export of bookings as CSV",
    stateId: await stateId(tracker, team, "Backlog"),
    priority: 4,
  };
  return await tracker.createIssue({ ...input, ...more });
}

async function typedForm(tracker: LinearClient, more: object) {
  const parent = await tracker.issue("ENG-16");
  return await tracker.createIssue({
    teamId: await teamId(tracker, ENG),
    title: "Remember what was typed",
    stateId: await stateId(tracker, ENG, "Todo"),
    parentId: parent.id,
    ...(parent.projectId && { projectId: parent.projectId }),
    ...more,
  });
}

async function relate(tracker: LinearClient, from: string, type: string, to: string) {
  const [issue, related] = [await tracker.issue(from), await tracker.issue(to)];
  return await tracker.createIssueRelation({
    issueId: issue.id,
    relatedIssueId: related.id,
    type: type as never,
  });
}

async function toMilestone(tracker: LinearClient, name: string, identifiers: readonly string[]) {
  const project = named(await all(tracker.projects()), "Customer onboarding");
  const { id } = named(await all(project.projectMilestones()), name);
  for (const identifier of identifiers)
    await tracker.updateIssue(identifier, { projectMilestoneId: id });
}

async function toCycle(tracker: LinearClient, number: number, identifiers: readonly string[]) {
  const [cycle] = (await tracker.cycles({ filter: { number: { eq: number } } })).nodes;
  for (const identifier of identifiers)
    await tracker.updateIssue(identifier, { cycleId: cycle?.id ?? null });
}

async function latestUpdate(tracker: LinearClient, projectName: string) {
  const project = named(await all(tracker.projects()), projectName);
  const updates = await all(project.projectUpdates());
  return updates.toSorted((a, b) => Number(b.createdAt) - Number(a.createdAt));
}

const identifiers = (issues: readonly Issue[]) => issues.map(({ identifier }) => identifier);

const EVERY_FIVE = "Positions every five minutes are enough.";
const PIXEL = "A Pixel 8, from German to Turkish.";
const TRIAL = "The trial starts on Thursday.";
const CALL = "Call scheduled for Monday.";

/** The reason of tests that describe a person by their job. */
const NO_TITLES = "no tool shows what somebody's job is" as const;
const FIGURES = /^(\d+) of [\d,]+ differ\. (\d+) of them/;
const RESOLVED = ["completed", "canceled", "duplicate"];

type Named = { readonly name: string };

/** Every item of a list, on all pages. */
async function list(tools: Tools, plural: "issues" | "comments" | "statusUpdates", args: object) {
  const name = plural === "statusUpdates" ? "get_status_updates" : `list_${plural}`;
  const items: any[] = [];
  for (let cursor: string | undefined, more = true; more; ) {
    const page = await tools(name, { ...args, limit: 20, ...(cursor && { cursor }) });
    items.push(...page[plural]);
    ({ cursor, hasNextPage: more } = page);
  }
  return items;
}

/** The one issue of a list whose title contains this text. */
async function theIssue(tools: Tools, args: object, part: string) {
  const found = (await list(tools, "issues", args)).filter(({ title }) => title.includes(part));
  if (found.length !== 1) throw new Error(`${found.length} issues have "${part}" in the title`);
  return found[0];
}

async function theComment(tools: Tools, issueId: string, part: string) {
  const comments = await list(tools, "comments", { issueId });
  const found = comments.find(({ body }) => body.includes(part));
  if (!found) throw new Error(`no comment on ${issueId} has "${part}" in it`);
  return found;
}

export const save = (tools: Tools, id: string | undefined, fields: object) =>
  tools("save_issue", { ...fields, ...(id !== undefined && { id }) });

type Labels = { readonly added?: readonly string[]; readonly removed?: readonly string[] };

/** Adds and removes labels: the tool takes the whole set. */
async function relabel(tools: Tools, id: string, { added = [], removed = [] }: Labels) {
  const { labels } = await tools("get_issue", { id });
  const kept = labels.filter((label: string) => !removed.includes(label));
  await save(tools, id, { labels: [...kept, ...added] });
}

export const clientOf = ({ token, serviceUrl }: Given) =>
  new LinearClient({ apiKey: token, apiUrl: `${serviceUrl}/graphql` });

export const proofs: Proofs<LinearClient> = {
  "issues: create": {
    solution: (tracker) => csvExport(tracker, ENG, {}),
    viaTools: async (tools) =>
      save(tools, undefined, {
        title: "Export of bookings as CSV",
        team: ENG,
        state: "Backlog",
        priority: 4,
      }),
    mistakes: {
      "in the other team": {
        act: (tracker) => csvExport(tracker, OPS, {}),
        failure: missed("issues"),
      },
      "with high priority": {
        act: (tracker) => csvExport(tracker, ENG, { priority: 2 }),
        failure: missed("issues"),
      },
      twice: {
        act: both(
          (tracker) => csvExport(tracker, ENG, {}),
          (tracker) => csvExport(tracker, ENG, {}),
        ),
        failure: missed("issues", 1, 2),
      },
    },
  },
  "issues: set a due date": {
    solution: update("OPS-16", { dueDate: "2026-02-20" }),
    viaTools: (tools) => save(tools, "OPS-16", { dueDate: "2026-02-20" }),
    mistakes: {
      "of the issue beside it": {
        act: update("OPS-15", { dueDate: "2026-02-20" }),
        failure: missed("issues"),
      },
      "with the month and the day in disorder": {
        act: update("OPS-16", { dueDate: "2026-02-02" }),
        failure: missed("issues"),
      },
      "and a priority": {
        act: update("OPS-16", { dueDate: "2026-02-20", priority: 1 }),
        failure: missed("issues"),
      },
    },
  },
  "issues: assign the right Sam": {
    solution: assign("ENG-43", "Sam Lindqvist"),
    viaTools: NO_TITLES,
    mistakes: {
      "the backend engineer": { act: assign("ENG-43", "Sam Okafor"), failure: missed("issues") },
      "the issue about deleted bookings": {
        act: assign("ENG-44", "Sam Lindqvist"),
        failure: missed("issues"),
      },
    },
  },
  "issues: hand over what is urgent": {
    solution: async (tracker) => {
      const assignee = { name: { eq: "Priya Nair" } };
      const state = { type: { eq: "unstarted" } };
      const urgent = await issuesOf(tracker, { assignee, state, priority: { eq: 1 } });
      for (const identifier of identifiers(urgent))
        await assign(identifier, "Alexis Chen")(tracker);
    },
    viaTools: NO_TITLES,
    mistakes: {
      "Alex Chen": { act: assign("ENG-32", "Alex Chen"), failure: missed("issues") },
      "the one she has started": {
        act: assign("ENG-31", "Alexis Chen"),
        failure: missed("issues"),
      },
      "all of hers": {
        act: both(assign("ENG-32", "Alexis Chen"), assign("ENG-34", "Alexis Chen")),
        failure: unexpected("issues", "changed"),
      },
    },
  },
  "issues: add a sub-issue": {
    solution: (tracker) => typedForm(tracker, {}),
    viaTools: async (tools) => {
      const { project } = await tools("get_issue", { id: "ENG-16" });
      const parts = { title: "Remember what was typed", team: ENG, state: "Todo", project };
      await save(tools, undefined, { ...parts, parentId: "ENG-16" });
    },
    mistakes: {
      "a separate issue": {
        act: (tracker) => typedForm(tracker, { parentId: null }),
        failure: missed("issues"),
      },
      "under its sibling": {
        act: async (tracker) =>
          typedForm(tracker, { parentId: (await tracker.issue("ENG-17")).id }),
        failure: missed("issues"),
      },
    },
  },
  "issues: plan for a cycle": {
    solution: (tracker) => toCycle(tracker, 4, ["ENG-26"]),
    viaTools: (tools) => save(tools, "ENG-26", { cycle: "Release candidate" }),
    mistakes: {
      "the cycle that runs": {
        act: (tracker) => toCycle(tracker, 3, ["ENG-26"]),
        failure: missed("issues"),
      },
      "another issue": {
        act: (tracker) => toCycle(tracker, 4, ["ENG-25"]),
        failure: missed("issues"),
      },
    },
  },
  "issues: what blocks what": {
    solution: (tracker) => relate(tracker, "ENG-10", "blocks", "OPS-1"),
    viaTools: (tools) => save(tools, "ENG-10", { blocks: ["OPS-1"] }),
    mistakes: {
      "the other way round": {
        act: (tracker) => relate(tracker, "OPS-1", "blocks", "ENG-10"),
        failure: missed("issue_relations"),
      },
      "only related": {
        act: (tracker) => relate(tracker, "ENG-10", "related", "OPS-1"),
        failure: missed("issue_relations"),
      },
    },
  },
  "issues: mark a duplicate": {
    solution: (tracker) => relate(tracker, "ENG-20", "duplicate", "ENG-19"),
    viaTools: (tools) => save(tools, "ENG-20", { duplicateOf: "ENG-19" }),
    mistakes: {
      "the other way round": {
        act: (tracker) => relate(tracker, "ENG-19", "duplicate", "ENG-20"),
        failure: missed("issue_relations"),
      },
      canceled: { act: move("ENG-20", ENG, "Canceled"), failure: missed("issue_relations") },
    },
  },
  "issues: archive what is finished": {
    solution: async (tracker) => {
      const issues = await issuesOf(tracker, { project: { name: { eq: "Tracking page" } } });
      for (const { id } of issues) await tracker.archiveIssue(id);
    },
    viaTools: "no tool archives an issue",
    mistakes: {
      deleted: {
        act: both(
          (tracker) => tracker.deleteIssue("ENG-27"),
          (tracker) => tracker.deleteIssue("ENG-28"),
        ),
        failure: missed("issues", 2),
      },
      "one is forgotten": {
        act: (tracker) => tracker.archiveIssue("ENG-27"),
        failure: missed("issues", 2, 1),
      },
      "the open one about the tracking link too": {
        act: both(
          (tracker) => tracker.archiveIssue("ENG-27"),
          (tracker) => tracker.archiveIssue("ENG-28"),
          (tracker) => tracker.archiveIssue("ENG-29"),
        ),
        failure: unexpected("issues", "changed"),
      },
    },
  },
  "issues: postpone to another milestone": {
    solution: async (tracker) => {
      const projectMilestone = { name: { eq: "Public beta" } };
      const planned = await issuesOf(tracker, { projectMilestone });
      await toMilestone(tracker, "General availability", identifiers(planned));
    },
    viaTools: async (tools) => {
      const issues = await list(tools, "issues", { project: "Customer onboarding" });
      for (const { id, projectMilestone } of issues)
        if (projectMilestone?.name === "Public beta")
          await save(tools, id, { milestone: "General availability" });
    },
    mistakes: {
      "those of the private beta": {
        act: (tracker) => toMilestone(tracker, "General availability", ["ENG-16", "ENG-17"]),
        failure: missed("issues", 2),
      },
      "one is forgotten": {
        act: (tracker) => toMilestone(tracker, "General availability", ["ENG-19"]),
        failure: missed("issues", 2, 1),
      },
    },
  },
  "issues: find an owner for what has none": {
    solution: async (tracker) => {
      const filter = { labels: { name: { eq: "Flaky test" } }, assignee: { null: true } };
      for (const { identifier } of await issuesOf(tracker, filter))
        await assign(identifier, "Alexis Chen")(tracker);
    },
    viaTools: async (tools) => {
      const unowned = { team: ENG, label: "Flaky test", assignee: null };
      for (const { id } of await list(tools, "issues", unowned))
        await save(tools, id, { assignee: "Alexis Chen" });
    },
    mistakes: {
      "Alex Chen": { act: assign("ENG-40", "Alex Chen"), failure: missed("issues") },
      "Alexandra Chan": { act: assign("ENG-40", "Alexandra Chan"), failure: missed("issues") },
    },
  },
  "issues: of somebody who has left": {
    solution: async (tracker) => {
      const assignee = { name: { eq: "Chris Duval" } };
      const issues = await issuesOf(tracker, { assignee, state: { type: { neq: "completed" } } });
      for (const { id } of issues) await tracker.updateIssue(id, { assigneeId: null });
    },
    viaTools: async (tools) => {
      for (const { id, statusType } of await list(tools, "issues", { assignee: "Chris Duval" }))
        if (statusType !== "completed") await save(tools, id, { assignee: null });
    },
    mistakes: {
      "completed ones too": {
        act: both(update("ENG-29", { assigneeId: null }), update("ENG-28", { assigneeId: null })),
        failure: unexpected("issues", "changed"),
      },
      "given to somebody else": {
        act: assign("ENG-29", "Sam Lindqvist"),
        failure: missed("issues"),
      },
    },
  },

  "labels: add one": {
    solution: addLabel("ENG-25", "Needs design", ENG),
    viaTools: (tools) => relabel(tools, "ENG-25", { added: ["Needs design"] }),
    mistakes: {
      "in place of the others": {
        act: async (tracker) =>
          tracker.updateIssue("ENG-25", {
            labelIds: [await labelId(tracker, "Needs design", ENG)],
          }),
        failure: unexpected("issue_label_assignments", "removed"),
      },
      "Needs info": {
        act: addLabel("ENG-25", "Needs info", ENG),
        failure: missed("issue_label_assignments"),
      },
    },
  },
  "labels: take one away": {
    solution: async (tracker) =>
      tracker.issueRemoveLabel("OPS-4", await labelId(tracker, "Needs info", OPS)),
    viaTools: (tools) => relabel(tools, "OPS-4", { removed: ["Needs info"] }),
    mistakes: {
      "all of them": {
        act: update("OPS-4", { labelIds: [] }),
        failure: unexpected("issue_label_assignments", "removed"),
      },
      "the label itself is deleted": {
        act: async (tracker) => tracker.deleteIssueLabel(await labelId(tracker, "Needs info", OPS)),
        failure: unexpected("issue_labels", "removed"),
      },
    },
  },
  "labels: raise the severity": {
    solution: async (tracker) =>
      tracker.updateIssue("ENG-26", {
        addedLabelIds: [await labelId(tracker, "Sev 2")],
        removedLabelIds: [await labelId(tracker, "Sev 3")],
      }),
    viaTools: (tools) => relabel(tools, "ENG-26", { added: ["Sev 2"], removed: ["Sev 3"] }),
    mistakes: {
      "by two levels": {
        act: async (tracker) =>
          tracker.updateIssue("ENG-26", {
            addedLabelIds: [await labelId(tracker, "Sev 1")],
            removedLabelIds: [await labelId(tracker, "Sev 3")],
          }),
        failure: missed("issue_label_assignments", 1, 0, 2),
      },
      "only taken away": {
        act: async (tracker) => tracker.issueRemoveLabel("ENG-26", await labelId(tracker, "Sev 3")),
        failure: missed("issue_label_assignments", 1, 0, 2),
      },
    },
  },
  "labels: create one for a team": {
    solution: async (tracker) =>
      tracker.createIssueLabel({
        name: "Documentation",
        color: "#4cb782",
        teamId: await teamId(tracker, ENG),
      }),
    viaTools: async (tools) => {
      const teamId = (await tools("get_team", { query: ENG })).id;
      const label = { name: "Documentation", color: "#4cb782", teamId };
      await tools("create_issue_label", label);
    },
    mistakes: {
      "for everybody": {
        act: (tracker) => tracker.createIssueLabel({ name: "Documentation", color: "#4cb782" }),
        failure: missed("issue_labels"),
      },
      "for Operations": {
        act: async (tracker) =>
          tracker.createIssueLabel({
            name: "Documentation",
            color: "#4cb782",
            teamId: await teamId(tracker, OPS),
          }),
        failure: missed("issue_labels"),
      },
    },
  },
  "labels: create one in a group": {
    solution: async (tracker) =>
      tracker.createIssueLabel({ name: "Carriers", parentId: await labelId(tracker, "Area") }),
    viaTools: (tools) => tools("create_issue_label", { name: "Carriers", parent: "Area" }),
    mistakes: {
      "outside of it": {
        act: (tracker) => tracker.createIssueLabel({ name: "Carriers" }),
        failure: missed("issue_labels"),
      },
      "in another group": {
        act: async (tracker) =>
          tracker.createIssueLabel({
            name: "Carriers",
            parentId: await labelId(tracker, "Severity"),
          }),
        failure: missed("issue_labels"),
      },
    },
  },
  "labels: the label of the right team": {
    solution: addLabel("OPS-6", "Blocked", OPS),
    viaTools: (tools) => relabel(tools, "OPS-6", { added: ["Blocked"] }),
    mistakes: {
      "in place of the others": {
        act: async (tracker) =>
          tracker.updateIssue("OPS-6", { labelIds: [await labelId(tracker, "Blocked", OPS)] }),
        failure: unexpected("issue_label_assignments", "removed"),
      },
      "the issue that blocks it": {
        act: addLabel("ENG-24", "Blocked", ENG),
        failure: missed("issue_label_assignments"),
      },
    },
  },
  "labels: whatever has none": {
    solution: async (tracker) => {
      const filter = {
        team: { name: { eq: OPS } },
        state: { name: { eq: "Todo" } },
        labels: { length: { eq: 0 } },
      };
      for (const { identifier } of await issuesOf(tracker, filter))
        await addLabel(identifier, "Needs info", OPS)(tracker);
    },
    viaTools: async (tools) => {
      for (const { id, labels } of await list(tools, "issues", { team: OPS, state: "Todo" }))
        if (labels.length === 0) await relabel(tools, id, { added: ["Needs info"] });
    },
    mistakes: {
      "one is forgotten": {
        act: both(addLabel("OPS-9", "Needs info", OPS), addLabel("OPS-10", "Needs info", OPS)),
        failure: missed("issue_label_assignments", 3, 2),
      },
      "one in another state too": {
        act: both(
          ...["OPS-9", "OPS-10", "OPS-21", "OPS-11"].map((id) => addLabel(id, "Needs info", OPS)),
        ),
        failure: unexpected("issue_label_assignments"),
      },
    },
  },
  "labels: rename one": {
    solution: async (tracker) =>
      tracker.updateIssueLabel(await labelId(tracker, "Chore"), { name: "Maintenance" }),
    viaTools: "no tool changes a label",
    mistakes: {
      "a new one": {
        act: (tracker) => tracker.createIssueLabel({ name: "Maintenance" }),
        failure: missed("issue_labels"),
      },
      "another label": {
        act: async (tracker) =>
          tracker.updateIssueLabel(await labelId(tracker, "Improvement"), { name: "Maintenance" }),
        failure: missed("issue_labels"),
      },
    },
  },
  "labels: one platform more": {
    solution: async (tracker) => {
      const [issue] = await issuesOf(tracker, {
        title: { containsIgnoreCase: "not arrive on iOS" },
      });
      await addLabel(issue?.identifier ?? "", "Android", ENG)(tracker);
    },
    viaTools: async (tools) => {
      const { id } = await theIssue(
        tools,
        { query: "push notifications iOS" },
        "not arrive on iOS",
      );
      await relabel(tools, id, { added: ["Android"] });
    },
    mistakes: {
      "in place of iOS": {
        act: async (tracker) =>
          tracker.updateIssue("ENG-32", {
            addedLabelIds: [await labelId(tracker, "Android", ENG)],
            removedLabelIds: [await labelId(tracker, "iOS", ENG)],
          }),
        failure: unexpected("issue_label_assignments", "removed"),
      },
      "the other issue gets iOS": {
        act: addLabel("ENG-31", "iOS", ENG),
        failure: missed("issue_label_assignments"),
      },
    },
  },

  "comments: write one": {
    solution: write("ENG-30", EVERY_FIVE),
    viaTools: (tools) => tools("save_comment", { issueId: "ENG-30", body: EVERY_FIVE }),
    mistakes: {
      "on another issue": { act: write("ENG-31", EVERY_FIVE), failure: missed("comments") },
      "into the description": {
        act: update("ENG-30", { description: EVERY_FIVE }),
        failure: missed("comments"),
      },
    },
  },
  "comments: answer in the thread": {
    solution: async (tracker) => {
      const { issueId, commentId } = await commentOn(tracker, "ENG-36", "Which phone");
      await tracker.createComment({ issueId, parentId: commentId, body: PIXEL });
    },
    viaTools: async (tools) => {
      const { id: parentId } = await theComment(tools, "ENG-36", "Which phone");
      await tools("save_comment", { parentId, body: PIXEL });
    },
    mistakes: {
      "beside the thread": { act: write("ENG-36", PIXEL), failure: missed("comments") },
      "in other words": {
        act: async (tracker) => {
          const { issueId, commentId } = await commentOn(tracker, "ENG-36", "Which phone");
          await tracker.createComment({ issueId, parentId: commentId, body: "A Pixel 8" });
        },
        failure: missed("comments"),
      },
    },
  },
  "comments: resolve a thread": {
    solution: async (tracker) =>
      tracker.commentResolve((await commentOn(tracker, "ENG-24", "How old may")).commentId),
    viaTools: "no tool resolves a thread",
    mistakes: {
      "the other thread": {
        act: async (tracker) =>
          tracker.commentResolve((await commentOn(tracker, "ENG-24", "Third shipper")).commentId),
        failure: missed("comments"),
      },
      "in words": { act: write("ENG-24", "Resolved."), failure: missed("comments") },
    },
  },
  "comments: open a thread again": {
    solution: async (tracker) =>
      tracker.commentUnresolve((await commentOn(tracker, "ENG-17", "900 ms")).commentId),
    viaTools: "no tool opens a thread again",
    mistakes: {
      "in words": { act: write("ENG-17", "Open again."), failure: missed("comments") },
      "another thread is resolved": {
        act: async (tracker) =>
          tracker.commentResolve((await commentOn(tracker, "ENG-24", "How old may")).commentId),
        failure: missed("comments"),
      },
    },
  },
  "comments: react to one": {
    solution: async (tracker) => {
      const { commentId } = await commentOn(tracker, "ENG-17", "We take the second one");
      await tracker.createReaction({ commentId, emoji: "tada" });
    },
    viaTools: "no tool reacts to a comment",
    mistakes: {
      "to the question": {
        act: async (tracker) => {
          const { commentId } = await commentOn(tracker, "ENG-17", "900 ms");
          await tracker.createReaction({ commentId, emoji: "tada" });
        },
        failure: missed("reactions"),
      },
      "to the issue": {
        act: async (tracker) =>
          tracker.createReaction({ issueId: (await tracker.issue("ENG-17")).id, emoji: "tada" }),
        failure: missed("reactions"),
      },
    },
  },
  "comments: on a project's update": {
    solution: async (tracker) => {
      const [latest] = await latestUpdate(tracker, "Customer onboarding");
      await tracker.createComment({ projectUpdateId: latest?.id ?? "", body: TRIAL });
    },
    viaTools: async (tools) => {
      const updates = { type: "project", project: "Customer onboarding", orderBy: "createdAt" };
      const [{ id: statusUpdateId }] = await list(tools, "statusUpdates", updates);
      await tools("save_comment", { statusUpdateId, statusUpdateType: "project", body: TRIAL });
    },
    mistakes: {
      "on the one before": {
        act: async (tracker) => {
          const [, before] = await latestUpdate(tracker, "Customer onboarding");
          await tracker.createComment({ projectUpdateId: before?.id ?? "", body: TRIAL });
        },
        failure: missed("comments"),
      },
      "a separate update": {
        act: async (tracker) => {
          const { id } = named(await all(tracker.projects()), "Customer onboarding");
          await tracker.createProjectUpdate({ projectId: id, body: TRIAL });
        },
        failure: missed("comments"),
      },
    },
  },
  "comments: who decides": {
    solution: async (tracker) => {
      const documents = await all(tracker.documents());
      const rules = documents.find(({ title }) => title === "How we handle refunds");
      if (!rules?.content?.includes("head of operations")) throw new Error("the rules changed");
      const heads = await all(tracker.users());
      const head = heads.find(({ title }) => title === "Head of operations");
      const { issueId, commentId } = await commentOn(tracker, "OPS-3", "640 dollars");
      await tracker.createComment({ issueId, parentId: commentId, body: head?.name ?? "" });
    },
    viaTools: NO_TITLES,
    mistakes: {
      "the billing specialist": {
        act: async (tracker) => {
          const { issueId, commentId } = await commentOn(tracker, "OPS-3", "640 dollars");
          await tracker.createComment({ issueId, parentId: commentId, body: "Priyanka Nayar" });
        },
        failure: missed("comments"),
      },
      "beside the thread": { act: write("OPS-3", "Samira Okafor"), failure: missed("comments") },
      "Sam Okafor": {
        act: async (tracker) => {
          const { issueId, commentId } = await commentOn(tracker, "OPS-3", "640 dollars");
          await tracker.createComment({ issueId, parentId: commentId, body: "Sam Okafor" });
        },
        failure: missed("comments"),
      },
    },
  },
  "comments: work out a figure": {
    solution: async (tracker) => {
      for (const child of await all((await tracker.issue("ENG-6")).children()))
        for (const { body } of await all(child.comments())) {
          const [, differ, byOneCent] = FIGURES.exec(body) ?? [];
          if (differ) await write("ENG-6", String(Number(differ) - Number(byOneCent)))(tracker);
        }
    },
    viaTools: async (tools) => {
      for (const { id: issueId } of await list(tools, "issues", { parentId: "ENG-6" }))
        for (const { body } of await list(tools, "comments", { issueId })) {
          const [, differ, byOneCent] = FIGURES.exec(body) ?? [];
          const figure = { issueId: "ENG-6", body: String(Number(differ) - Number(byOneCent)) };
          if (differ) await tools("save_comment", figure);
        }
    },
    mistakes: {
      "all that differ": { act: write("ENG-6", "212"), failure: missed("comments") },
      "where the figures stand": { act: write("ENG-8", "3"), failure: missed("comments") },
      "in words": { act: write("ENG-6", "three"), failure: missed("comments") },
    },
  },
  "comments: on every open case of a customer": {
    solution: async (tracker) => {
      const filter = {
        title: { startsWith: "Haldane & Sons" },
        state: { type: { nin: ["completed", "canceled", "duplicate"] } },
      };
      for (const { identifier } of await issuesOf(tracker, filter))
        await write(identifier, CALL)(tracker);
    },
    viaTools: async (tools) => {
      for (const { id: issueId, title, statusType } of await list(tools, "issues", {
        query: "Haldane",
      }))
        if (title.startsWith("Haldane & Sons") && !RESOLVED.includes(statusType))
          await tools("save_comment", { issueId, body: CALL });
    },
    mistakes: {
      "Halden Timber": {
        act: both(write("OPS-1", CALL), write("OPS-3", CALL)),
        failure: missed("comments", 1, 0, 2),
      },
      "one is forgotten": { act: write("OPS-3", CALL), failure: missed("comments", 1, 0, 2) },
    },
  },

  "workflows: start": {
    solution: move("ENG-39", ENG, "In Progress"),
    viaTools: (tools) => save(tools, "ENG-39", { state: "In Progress" }),
    mistakes: {
      "into review": { act: move("ENG-39", ENG, "In Review"), failure: missed("issues") },
      "the other flaky test": {
        act: move("ENG-40", ENG, "In Progress"),
        failure: missed("issues"),
      },
    },
  },
  "workflows: a pull request is open": {
    solution: async (tracker) => {
      const [issue] = await issuesOf(tracker, { title: { contains: "arrive twice" } });
      const states = await all(tracker.workflowStates({ filter: { team: { name: { eq: ENG } } } }));
      const review = states.find(({ description }) => description === "A pull request is open");
      await tracker.updateIssue(issue?.id ?? "", { stateId: review?.id ?? "" });
    },
    viaTools: async (tools) => {
      const { id } = await theIssue(tools, { team: ENG }, "arrive twice");
      const statuses = await tools("list_issue_statuses", { team: ENG });
      await save(tools, id, { state: statuses.find(({ name }: Named) => /review/i.test(name)).id });
    },
    mistakes: {
      "ready to ship": { act: move("ENG-31", ENG, "Ready to Ship"), failure: missed("issues") },
      "invoices that are sent twice": {
        act: move("ENG-13", ENG, "In Review"),
        failure: missed("issues"),
      },
    },
  },
  "workflows: released": {
    solution: async (tracker) => {
      for (const issue of await issuesOf(tracker, { state: { name: { eq: "Ready to Ship" } } }))
        await move(issue.identifier, ENG, "Done")(tracker);
    },
    viaTools: async (tools) => {
      for (const { id } of await list(tools, "issues", { team: ENG, state: "Ready to Ship" }))
        await save(tools, id, { state: "Done" });
    },
    mistakes: {
      "one is forgotten": { act: move("ENG-12", ENG, "Done"), failure: missed("issues", 2, 1) },
      "what is in review too": {
        act: both(...["ENG-12", "ENG-42", "ENG-2"].map((id) => move(id, ENG, "Done"))),
        failure: unexpected("issues", "changed"),
      },
    },
  },
  "workflows: wait for the customer": {
    solution: move("OPS-15", OPS, "Waiting for customer"),
    viaTools: async (tools) => {
      const { id } = await theIssue(tools, { team: OPS, query: "Nordfrakt VAT" }, "Nordfrakt");
      await save(tools, id, { state: "Waiting for customer" });
    },
    mistakes: {
      "Nordic Freight": {
        act: move("OPS-16", OPS, "Waiting for customer"),
        failure: missed("issues"),
      },
      "for engineering": {
        act: move("OPS-15", OPS, "Waiting for engineering"),
        failure: missed("issues"),
      },
    },
  },
  "workflows: cancel": {
    solution: async (tracker) => {
      const [issue] = await issuesOf(tracker, { title: { eq: "Photos of damage" } });
      await move(issue?.identifier ?? "", ENG, "Canceled")(tracker);
    },
    viaTools: async (tools) => {
      const { id } = await theIssue(tools, { query: "Photos of damage" }, "Photos of damage");
      await save(tools, id, { state: "Canceled" });
    },
    mistakes: {
      deleted: { act: (tracker) => tracker.deleteIssue("ENG-35"), failure: missed("issues") },
      done: { act: move("ENG-35", ENG, "Done"), failure: missed("issues") },
    },
  },
  "workflows: out of triage": {
    solution: async (tracker) =>
      tracker.updateIssue("ENG-45", {
        stateId: await stateId(tracker, ENG, "Todo"),
        priority: 3,
        assigneeId: await userId(tracker, "Sam Lindqvist"),
      }),
    viaTools: async (tools) => {
      const { id } = await theIssue(tools, { team: ENG, state: "triage" }, "dates in the past");
      await save(tools, id, { state: "Todo", priority: 3, assignee: "Sam Lindqvist" });
    },
    mistakes: {
      "without a priority": {
        act: both(move("ENG-45", ENG, "Todo"), assign("ENG-45", "Sam Lindqvist")),
        failure: missed("issues"),
      },
      "the other Sam": {
        act: both(
          move("ENG-45", ENG, "Todo"),
          update("ENG-45", { priority: 3 }),
          assign("ENG-45", "Sam Okafor"),
        ),
        failure: missed("issues"),
      },
    },
  },
  "workflows: what was waiting for it": {
    solution: async (tracker) => {
      await move("ENG-24", ENG, "Done")(tracker);
      for (const relation of await all((await tracker.issue("ENG-24")).relations())) {
        const blocked = await relation.relatedIssue;
        if (relation.type === "blocks" && blocked)
          await move(blocked.identifier, OPS, "In Progress")(tracker);
      }
    },
    viaTools: async (tools) => {
      await save(tools, "ENG-24", { state: "Done" });
      const { relations } = await tools("get_issue", { id: "ENG-24", includeRelations: true });
      for (const { id } of relations.blocks) {
        const { team } = await tools("get_issue", { id });
        if (team === OPS) await save(tools, id, { state: "In Progress" });
      }
    },
    mistakes: {
      "nobody is notified": {
        act: move("ENG-24", ENG, "Done"),
        failure: missed("issues", 1, 0, 2),
      },
      "everything that waits for engineering": {
        act: both(
          move("ENG-24", ENG, "Done"),
          move("OPS-6", OPS, "In Progress"),
          move("OPS-1", OPS, "In Progress"),
        ),
        failure: unexpected("issues", "changed"),
      },
    },
  },
  "workflows: a new state": {
    solution: async (tracker) =>
      tracker.createWorkflowState({
        teamId: await teamId(tracker, OPS),
        name: "Waiting for carrier",
        type: "started",
        color: "#f2994a",
      }),
    viaTools: "no tool creates a workflow state",
    mistakes: {
      "of another kind": {
        act: async (tracker) =>
          tracker.createWorkflowState({
            teamId: await teamId(tracker, OPS),
            name: "Waiting for carrier",
            type: "unstarted",
            color: "#f2994a",
          }),
        failure: missed("workflow_states"),
      },
      "in the other team": {
        act: async (tracker) =>
          tracker.createWorkflowState({
            teamId: await teamId(tracker, ENG),
            name: "Waiting for carrier",
            type: "started",
            color: "#f2994a",
          }),
        failure: missed("workflow_states"),
      },
    },
  },
  "workflows: open again": {
    solution: both(move("OPS-14", OPS, "Todo"), assign("OPS-14", "Jordan Leigh")),
    viaTools: NO_TITLES,
    mistakes: {
      "a new issue": {
        act: async (tracker) =>
          tracker.createIssue({
            teamId: await teamId(tracker, OPS),
            title: "Nordfrakt: carrier blocked again",
            stateId: await stateId(tracker, OPS, "Todo"),
          }),
        failure: missed("issues"),
      },
      "Mario keeps it": { act: move("OPS-14", OPS, "Todo"), failure: missed("issues") },
    },
  },
  "workflows: what was not begun": {
    solution: async (tracker) => {
      const filter = {
        cycle: { number: { eq: 3 } },
        team: { name: { eq: ENG } },
        state: { name: { eq: "Todo" } },
      };
      await toCycle(tracker, 4, identifiers(await issuesOf(tracker, filter)));
    },
    viaTools: async (tools) => {
      for (const { id } of await list(tools, "issues", { team: ENG, cycle: "3", state: "Todo" }))
        await save(tools, id, { cycle: "4" });
    },
    mistakes: {
      "one is forgotten": {
        act: (tracker) => toCycle(tracker, 4, ["ENG-9"]),
        failure: missed("issues", 2, 1),
      },
      "what is in progress too": {
        act: (tracker) => toCycle(tracker, 4, ["ENG-9", "ENG-32", "ENG-8"]),
        failure: unexpected("issues", "changed"),
      },
    },
  },
};
