import { describe, expect, test } from "bun:test";
import { InvalidInputLinearError, IssueRelationType } from "@linear/sdk";
import { useSharedDatabase } from "../../../support/database";
import { AGENT, DES, ENG, JOHN, ROBIN, refusal, useTracker } from "../../../support/tracker";

const tracker = useTracker(useSharedDatabase());

async function create(input: object = {}) {
  const payload = await tracker.linear.createIssue({ teamId: ENG, title: "An issue", ...input });
  return (await payload.issue)!;
}
const states = async (team = ENG) => {
  const { nodes } = await tracker.linear.workflowStates({ filter: { team: { id: { eq: team } } } });
  return Object.fromEntries(nodes.map(({ type, id }) => [type, id])) as Record<string, string>;
};
async function update(id: string, input: object) {
  return (await (
    await tracker.linear.updateIssue(id, input)
  ).issue)!;
}
const markAsDuplicate = async (issueId: string) =>
  await tracker.linear.createIssueRelation({
    issueId,
    relatedIssueId: (await create()).id,
    type: IssueRelationType.Duplicate,
  });
async function label(name: string, input: object = {}) {
  const payload = await tracker.linear.createIssueLabel({
    name: `${name} ${crypto.randomUUID()}`,
    ...input,
  });
  return (await payload.issueLabel)!.id;
}

describe("issueUpdate", () => {
  test("changes the given fields, and null clears", async () => {
    const issue = await create({
      assigneeId: ROBIN,
      estimate: 3,
      dueDate: "2026-12-01",
      priority: 2,
    });
    const changed = await update(issue.identifier, {
      assigneeId: null,
      estimate: null,
      title: "New",
    });

    expect(changed).toMatchObject({ title: "New", priority: 2 });
    expect(changed.estimate).toBeUndefined();
    expect(changed.dueDate).toBe("2026-12-01");
    expect(await changed.assignee).toBeUndefined();
    expect(changed.updatedAt > issue.updatedAt).toBe(true);
  });

  test("that changes nothing keeps updatedAt", async () => {
    const issue = await create();
    const same = await update(issue.id, { title: issue.title });

    expect(same.updatedAt).toEqual(issue.updatedAt);
    expect((await same.history()).nodes).toEqual([]);
  });

  test("writes one row of history, with the old and the new values", async () => {
    const issue = await create({ priority: 3 });
    const bug = await label("Bug");
    await update(issue.id, { title: "Other", priority: 1, addedLabelIds: [bug], description: "x" });
    const { nodes } = await issue.history();

    expect(nodes).toHaveLength(1);
    expect(nodes[0]).toMatchObject({
      fromTitle: "An issue",
      toTitle: "Other",
      fromPriority: 3,
      toPriority: 1,
      addedLabelIds: [bug],
      updatedDescription: true,
    });
    expect((await nodes[0]!.actor)?.id).toBe(JOHN);
  });

  test.each([
    ["started", { startedAt: true, completedAt: false, canceledAt: false }],
    ["completed", { startedAt: false, completedAt: true, canceledAt: false }],
    ["canceled", { startedAt: false, completedAt: false, canceledAt: true }],
    ["duplicate", { startedAt: false, completedAt: false, canceledAt: true }],
    ["unstarted", { startedAt: false, completedAt: false, canceledAt: false }],
  ])("into a state that is %s sets its times", async (type, expected) => {
    const issue = await create();
    if (type === "duplicate") await markAsDuplicate(issue.id);
    const changed = await update(issue.id, { stateId: (await states())[type] });
    const times = (["startedAt", "completedAt", "canceledAt"] as const).map((name) => [
      name,
      changed[name] instanceof Date,
    ]);

    expect(Object.fromEntries(times)).toEqual(expected);
  });

  test("into a duplicate state only as a duplicate of another issue", async () => {
    const original = await create();
    const { duplicate, backlog } = await states();
    const rejected = await refusal(update(original.id, { stateId: duplicate }));
    await markAsDuplicate(original.id);
    const closed = await update(original.id, { stateId: duplicate });
    const open = await update(original.id, { stateId: backlog });

    expect(rejected).toBeInstanceOf(InvalidInputLinearError);
    expect(rejected.message).toStartWith(
      "Issues can only be moved to a duplicate state when a duplicate issue relation exists.",
    );
    expect((await refusal(create({ stateId: duplicate }))).message).toStartWith(
      "Cannot create an issue in a duplicate state.",
    );
    expect((await closed.state)?.id).toBe(duplicate!);
    expect((await open.state)?.id).toBe(backlog!);
  });

  test("from started to completed and back keeps startedAt", async () => {
    const issue = await create({ stateId: (await states())["started"] });
    const done = await update(issue.id, { stateId: (await states())["completed"] });
    const again = await update(issue.id, { stateId: (await states())["started"] });

    expect(done.startedAt).toEqual(issue.startedAt!);
    expect(again.startedAt).toEqual(issue.startedAt!);
    expect(again.completedAt).toBeUndefined();
    const spans = await tracker.data(
      `query($id: String!) { issue(id: $id) { stateHistory { nodes { startedAt endedAt state { type } } } } }`,
      { id: issue.id },
    );
    const types = spans.issue.stateHistory.nodes.map((one: any) => one.state.type);
    expect(types).toEqual(["started", "completed", "started"]);
    expect(spans.issue.stateHistory.nodes[0].endedAt).toBeNull();
  });

  test("snoozes for the viewer or another user, until null or a later moment says otherwise", async () => {
    const issue = await create();
    const snoozed = async (input: object) => {
      const changed = await update(issue.id, input);
      return [changed.snoozedUntilAt?.toISOString(), (await changed.snoozedBy)?.id];
    };
    const [soon, later] = ["2037-01-01T00:00:00.000Z", "2037-02-01T00:00:00.000Z"];

    expect(await snoozed({ title: "Awake" })).toEqual([undefined, undefined]);
    expect(await snoozed({ snoozedUntilAt: soon })).toEqual([soon, JOHN]);
    expect(await snoozed({ title: "Asleep" })).toEqual([soon, JOHN]);
    expect(await snoozed({ snoozedUntilAt: later, snoozedById: ROBIN })).toEqual([later, ROBIN]);
    expect(await snoozed({ snoozedUntilAt: null })).toEqual([undefined, undefined]);
  });

  test("into another team gives a new identifier, and the old one still works", async () => {
    const teamLabel = await label("Backend", { teamId: ENG });
    const shared = await label("Everywhere");
    const issue = await create({
      stateId: (await states())["started"],
      labelIds: [teamLabel, shared],
      parentId: "ENG-3",
    });
    const moved = await update(issue.id, { teamId: DES });

    expect(moved.identifier).toMatch(/^DES-\d+$/);
    expect(moved.previousIdentifiers).toEqual([issue.identifier]);
    expect((await moved.state)?.id).toBe((await states(DES))["started"]!);
    expect(moved.labelIds).toEqual([shared]);
    expect((await tracker.linear.issue(issue.identifier)).id).toBe(issue.id);
    expect((await create()).number).toBe(issue.number + 1);
  });

  test("keeps to the states, cycles and projects of its team", async () => {
    const { linear } = tracker;
    const issue = await create({});
    const team = (await (await linear.createTeam({ name: "Rhythm", cyclesEnabled: true })).team)!;
    const project = (await (
      await linear.createProject({ name: "Theirs", teamIds: [team.id] })
    ).project)!;
    const [cycle] = (await team.cycles()).nodes;
    for (const input of [
      { teamId: team.id, stateId: issue.stateId },
      { stateId: (await states(DES))["started"] },
      { projectId: project.id },
      { cycleId: cycle!.id },
    ])
      expect((await refusal(update(issue.id, input))).message).toContain(
        "Discrepancy between issue team and state, cycle or project.",
      );
  });

  test.each([
    ["keeps its project and milestone if the new team takes part in them", [ENG, DES], true],
    ["clears its project and milestone if the new team takes no part in them", [ENG], false],
  ])("into another team %s", async (_case, teamIds, kept) => {
    const { linear } = tracker;
    const projectId = (await linear.createProject({ name: "Move", teamIds })).projectId!;
    const milestone = await linear.createProjectMilestone({ name: "Beta", projectId });
    const projectMilestoneId = milestone.projectMilestoneId!;
    const issue = await create({ projectId, projectMilestoneId });
    const moved = await update(issue.id, { teamId: DES });

    expect(moved.projectId).toBe(kept ? projectId : undefined);
    expect(moved.projectMilestoneId).toBe(kept ? projectMilestoneId : undefined);
  });

  test("assigns, and notifies both users", async () => {
    const issue = await create({ assigneeId: AGENT });
    await update(issue.id, { assigneeId: ROBIN });
    const typesOf = async (user: string) => {
      const { nodes } = await tracker.as(user).notifications();
      return nodes.filter((one) => (one as any).issueId === issue.id).map(({ type }) => type);
    };

    expect(await typesOf(ROBIN)).toEqual(["issueAssignedToYou"]);
    expect((await typesOf(AGENT)).toSorted()).toEqual([
      "issueAssignedToYou",
      "issueUnassignedFromYou",
    ]);
    expect((await issue.subscribers()).nodes.map(({ id }) => id)).toContain(ROBIN);
  });

  test("closes with its parent, and the parent with its last child, if the team enables it", async () => {
    await tracker.linear.updateTeam(ENG, {
      autoCloseChildIssues: true,
      autoCloseParentIssues: true,
    });
    const parent = await create({ title: "Parent" });
    const [one, two] = [
      await create({ parentId: parent.id }),
      await create({ parentId: parent.id }),
    ];
    const done = (await states())["completed"];

    await update(one.id, { stateId: done });
    expect((await (await tracker.linear.issue(parent.id)).state)?.type).toBe("backlog");
    await update(two.id, { stateId: done });
    expect((await (await tracker.linear.issue(parent.id)).state)?.type).toBe("completed");

    const other = await create({ title: "Other parent" });
    const child = await create({ parentId: other.id });
    await update(other.id, { stateId: (await states())["canceled"] });
    const closed = await tracker.linear.issue(child.id);
    expect((await closed.state)?.type).toBe("canceled");

    const copy = await create({ title: "A duplicate" });
    const part = await create({ parentId: copy.id });
    await markAsDuplicate(copy.id);
    expect((await (await tracker.linear.issue(copy.id)).state)?.type).toBe("duplicate");
    expect((await (await tracker.linear.issue(part.id)).state)?.type).toBe("canceled");
    await tracker.linear.updateTeam(ENG, {
      autoCloseChildIssues: false,
      autoCloseParentIssues: false,
    });
  });

  test.each([
    [
      "labelIds together with addedLabelIds",
      { labelIds: [], addedLabelIds: [] },
      /cannot be combined/,
    ],
    ["a sub-issue of itself", { parentId: "self" }, /sub-issue of itself/],
    ["a sub-issue of its child", { parentId: "child" }, /sub-issue of itself/],
    ["a cycle that does not exist", { cycleId: crypto.randomUUID() }, /validateAccess: cycleId/],
    ["an assignee that is not an id", { assigneeId: "robin" }, /assigneeId must be a UUID/],
  ])("rejects %s", async (_case, input: any, message) => {
    const issue = await create();
    const child = await create({ parentId: issue.id });
    const parentId = { self: issue.id, child: child.id }[input.parentId as string];
    const error = await refusal(update(issue.id, parentId ? { parentId } : input));

    expect(error).toBeInstanceOf(InvalidInputLinearError);
    expect(error.message).toMatch(message);
  });
});

describe("labels of an issue", () => {
  test("of one group replace each other when added, and conflict in a list", async () => {
    const group = await label("Severity", { isGroup: true });
    const [low, high] = [
      await label("low", { parentId: group }),
      await label("high", { parentId: group }),
    ];
    const issue = await create({ labelIds: [low] });

    await tracker.linear.issueAddLabel(issue.id, high);
    expect((await tracker.linear.issue(issue.id)).labelIds).toEqual([high]);
    expect((await refusal(update(issue.id, { labelIds: [low, high] }))).message).toMatch(
      /one label per issue/,
    );
    expect((await refusal(update(issue.id, { labelIds: [group] }))).message).toMatch(/group/);
    await tracker.linear.issueRemoveLabel(issue.id, high);
    expect((await tracker.linear.issue(issue.id)).labelIds).toEqual([]);
  });

  test("that are retired stay, but cannot be added", async () => {
    const old = await label("old");
    const issue = await create({ labelIds: [old] });
    await tracker.linear.issueLabelRetire(old);

    expect((await refusal(create({ labelIds: [old] }))).message).toMatch(/retired/);
    const other = await create();
    for (const input of [{ labelIds: [old] }, { addedLabelIds: [old] }])
      expect((await refusal(update(other.id, input))).message).toMatch(/retired/);
    expect((await refusal(tracker.linear.issueAddLabel(other.id, old))).message).toMatch(/retired/);
    await tracker.linear.issueAddLabel(issue.id, old);
    expect((await update(issue.id, { title: "Still" })).labelIds).toEqual([old]);
    await tracker.linear.issueLabelRestore(old);
    expect((await create({ labelIds: [old] })).labelIds).toEqual([old]);
  });

  test("of another team are rejected", async () => {
    const foreign = await label("foreign", { teamId: DES });

    expect((await refusal(create({ labelIds: [foreign] }))).message).toMatch(
      /LabelIds for incorrect team - The label 'foreign/,
    );
  });
});

describe("issueBatchUpdate", () => {
  test("updates all of them, with a row of history each", async () => {
    const issues = [await create(), await create()];
    await tracker.linear.updateIssueBatch(
      issues.map(({ id }) => id),
      { priority: 1 },
    );

    for (const { id } of issues) {
      const issue = await tracker.linear.issue(id);
      expect(issue.priority).toBe(1);
      expect((await issue.history()).nodes).toHaveLength(1);
    }
  });

  test("of a parent and its child, where one closes the other, closes each once", async () => {
    const closing = (on: boolean) =>
      tracker.linear.updateTeam(ENG, { autoCloseChildIssues: on, autoCloseParentIssues: on });
    await closing(true);
    const stateId = (await states())["completed"]!;
    // Their ids are random, so either can be changed first.
    for (let round = 0; round < 4; round++) {
      const parent = await create({ subscriberIds: [ROBIN] });
      const child = await create({ parentId: parent.id, subscriberIds: [ROBIN] });
      await tracker.linear.updateIssueBatch([parent.id, child.id], { stateId });

      for (const { id } of [parent, child]) {
        expect((await (await tracker.linear.issue(id)).history()).nodes).toHaveLength(1);
        const { nodes } = await tracker.as(ROBIN).notifications({
          filter: { type: { eq: "issueStatusChangedDone" } },
        });
        expect(nodes.filter((one) => (one as any).issueId === id)).toHaveLength(1);
      }
    }
    await closing(false);
  });

  test("updates none when one is invalid", async () => {
    const [one, two] = [await create(), await create()];
    await refusal(tracker.linear.updateIssueBatch([one.id, two.id], { parentId: two.id }));

    expect(await (await tracker.linear.issue(one.id)).parent).toBeUndefined();
  });
});

describe("archive and trash", () => {
  test("an archived issue is hidden from lists and found by its id", async () => {
    const issue = await create();
    await tracker.linear.archiveIssue(issue.id);
    const ids = async (includeArchived: boolean) =>
      (await tracker.linear.issues({ first: 200, includeArchived })).nodes.map(({ id }) => id);

    expect(await ids(false)).not.toContain(issue.id);
    expect(await ids(true)).toContain(issue.id);
    expect((await tracker.linear.issue(issue.id)).archivedAt).toBeInstanceOf(Date);
    await tracker.linear.unarchiveIssue(issue.id);
    expect(await ids(false)).toContain(issue.id);
  });

  test("sub-issues go to the trash with their parent", async () => {
    const parent = await create();
    const child = await create({ parentId: parent.id });
    await tracker.linear.deleteIssue(parent.id);

    const trashed = await tracker.linear.issue(child.id);
    expect(trashed.trashed).toBe(true);
    expect(trashed.archivedAt).toBeInstanceOf(Date);
  });

  test.each([
    [
      "issueDelete and issueUnarchive",
      (id: string) => tracker.linear.deleteIssue(id),
      (id: string) => tracker.linear.unarchiveIssue(id),
    ],
    [
      "issueUpdate",
      (id: string) => update(id, { trashed: true }),
      (id: string) => update(id, { trashed: false }),
    ],
  ])("by %s, sub-issues go and come back with their parent", async (_by, trash, restore) => {
    const parent = await create();
    const [child, gone] = [
      await create({ parentId: parent.id }),
      await create({ parentId: parent.id }),
    ];
    const isTrashed = async ({ id }: typeof parent) =>
      (await tracker.linear.issue(id)).trashed === true;
    await tracker.linear.deleteIssue(gone.id);

    await trash(parent.id);
    expect([await isTrashed(parent), await isTrashed(child)]).toEqual([true, true]);
    expect((await child.history()).nodes).toHaveLength(1);
    const late = await create({ parentId: parent.id });
    await trash(parent.id);
    expect(await isTrashed(late)).toBe(true);
    await restore(parent.id);
    expect([await isTrashed(parent), await isTrashed(child)]).toEqual([false, false]);
    expect((await tracker.linear.issue(child.id)).archivedAt).toBeUndefined();
    expect(await isTrashed(gone)).toBe(true);
    for (const one of [parent, child]) expect((await one.history()).nodes).toHaveLength(2);
  });

  test("only an admin deletes permanently; the number is not reused", async () => {
    const issue = await create();
    const last = await create();
    const remove = (user: string) =>
      tracker.as(user).deleteIssue(last.id, { permanentlyDelete: true });

    expect((await refusal(remove(ROBIN))).type).toBe("Forbidden" as any);
    await remove(JOHN);
    expect((await refusal(tracker.linear.issue(last.id))).message).toMatch(
      /Entity not found|could not be found/,
    );
    expect((await create()).number).toBe(issue.number + 2);
  });
});

describe("followers, reminders and branches", () => {
  test("users subscribe themselves, or others by email", async () => {
    const issue = await create();
    const ids = async () => (await issue.subscribers()).nodes.map(({ id }) => id).toSorted();

    await tracker.linear.issueSubscribe(issue.id, { userEmail: "robin@acme.test" });
    expect(await ids()).toEqual([JOHN, ROBIN]);
    await tracker.linear.issueUnsubscribe(issue.id);
    expect(await ids()).toEqual([ROBIN]);
    await tracker.linear.issueSubscribe(issue.id, { userId: AGENT });
    expect(await ids()).toEqual([AGENT, ROBIN]);
  });

  test("a reminder is a snoozed notification", async () => {
    const issue = await create();
    const at = new Date(Date.now() + 60_000);
    await tracker.linear.issueReminder(issue.id, at);
    const { nodes } = await tracker.linear.notifications({
      filter: { type: { eq: "issueReminder" } },
    });

    expect(nodes[0]?.snoozedUntilAt).toEqual(at);
    expect((await refusal(tracker.linear.issueReminder(issue.id, new Date(0)))).message).toMatch(
      /future/,
    );
  });

  test("an issue is found by its branch name", async () => {
    const issue = await create();
    const find = async (name: string) => (await tracker.linear.issueVcsBranchSearch(name))?.id;

    expect(await find(issue.branchName)).toBe(issue.id);
    expect(await find(`fix-1/${issue.identifier}`)).toBe(issue.id);
    expect(await find("main")).toBeUndefined();
  });

  test("the priorities have names", async () => {
    const values = await tracker.linear.issuePriorityValues;

    expect(values.map(({ label: name }) => name)).toEqual([
      "No priority",
      "Urgent",
      "High",
      "Medium",
      "Low",
    ]);
  });
});
