import { describe, expect, test } from "bun:test";
import { ForbiddenLinearError, InvalidInputLinearError, UserLinearError } from "@linear/sdk";
import { useSharedDatabase } from "../../../support/database";
import { AGENT, DES, ENG, JOHN, ROBIN, refusal, useTracker } from "../../../support/tracker";

const tracker = useTracker(useSharedDatabase());
const NOBODY = "b0000000-0000-4000-8000-0000000000ff";

const newProject = async (input: object = {}) =>
  (await (
    await tracker.linear.createProject({ name: "Relaunch", teamIds: [ENG], ...input })
  ).project)!;
const statusOf = async (type: string) =>
  (await tracker.linear.projectStatuses()).nodes.find((status) => status.type === type)!;
const names = async (list: Promise<{ nodes: { name: string }[] }>) =>
  (await list).nodes.map(({ name }) => name).toSorted();

describe("a project", () => {
  test("is created with its teams, lead, members and labels", async () => {
    const label = (await (
      await tracker.linear.createProjectLabel({ name: "Growth" })
    ).projectLabel)!;
    const created = await newProject({
      description: "New site",
      content: "# Why\n\nThe old one is slow.",
      teamIds: [ENG, DES],
      leadId: ROBIN,
      memberIds: [AGENT],
      labelIds: [label.id],
      priority: 2,
      targetDate: "2026-06-30",
    });
    const project = await tracker.linear.project(created.id);

    expect(project).toMatchObject({
      name: "Relaunch",
      description: "New site",
      priority: 2,
      priorityLabel: "High",
      state: "backlog",
      targetDate: "2026-06-30",
      progress: 0,
      scope: 0,
      labelIds: [label.id],
      slugId: expect.stringMatching(/^[0-9a-f]{12}$/),
      url: expect.stringMatching(/\/acme\/project\/relaunch-[0-9a-f]{12}$/),
    });
    expect((await project.status)?.name).toBe("Backlog");
    expect((await project.lead)?.displayName).toBe("robin");
    expect((await project.creator)?.id).toBe(JOHN);
    expect(await names(project.teams())).toEqual(["Design", "Engineering"]);
    expect(await names(project.members())).toEqual(["Agent Smith", "Robin Ray"]);
    expect(await names(project.labels())).toEqual(["Growth"]);
  });

  test("is found by its slug, by the end of its URL and by its identifier", async () => {
    const { id } = await newProject();
    const { project } = await tracker.data(
      "query($id: String!) { project(id: $id) { slugId identifier url } }",
      { id },
    );

    for (const name of [
      project.slugId,
      project.url.split("/").at(-1),
      project.identifier.toLowerCase(),
    ])
      expect((await tracker.linear.project(name)).id).toBe(id);
    expect(project.identifier).toMatch(/^P-ENG-\d+$/);
  });

  test("is numbered by its leading team", async () => {
    const numbers: number[] = [];
    for (const _ of [1, 2]) {
      const { id } = await newProject({ teamIds: [DES] });
      const { project } = await tracker.data(
        "query($id: String!) { project(id: $id) { identifier } }",
        { id },
      );
      numbers.push(Number(project.identifier.replace("P-DES-", "")));
    }
    expect(numbers[1]).toBe(numbers[0]! + 1);
  });

  test("has a unique identifier even when two are created concurrently", async () => {
    const created = await Promise.all([newProject(), newProject(), newProject()]);

    const { projects } = await tracker.data(
      "query($ids: [ID!]) { projects(filter: { id: { in: $ids } }) { nodes { identifier } } }",
      { ids: created.map(({ id }) => id) },
    );
    expect(new Set(projects.nodes.map(({ identifier }: any) => identifier)).size).toBe(3);
  });

  test("has the times that follow from its status", async () => {
    const project = await newProject();
    const move = async (type: string) => {
      await tracker.linear.updateProject(project.id, { statusId: (await statusOf(type)).id });
      return await tracker.linear.project(project.id);
    };

    const started = await move("started");
    expect(started.startedAt).toBeInstanceOf(Date);
    const completed = await move("completed");
    expect(completed.completedAt).toBeInstanceOf(Date);
    expect(completed.startedAt).toEqual(started.startedAt!);
    const canceled = await move("canceled");
    expect([canceled.completedAt, canceled.canceledAt]).toEqual([undefined, expect.any(Date)]);
    const backlog = await move("backlog");
    expect([backlog.startedAt, backlog.canceledAt]).toEqual([undefined, undefined]);
  });

  test("replaces its members and teams", async () => {
    const project = await newProject({ teamIds: [ENG, DES], memberIds: [AGENT, ROBIN] });

    await tracker.linear.updateProject(project.id, { memberIds: [JOHN], teamIds: [DES] });

    const changed = await tracker.linear.project(project.id);
    expect(await names(changed.members())).toEqual(["John Doe"]);
    expect(await names(changed.teams())).toEqual(["Design"]);
  });

  test("cannot lose a team that has issues in it", async () => {
    const project = await newProject({ teamIds: [ENG, DES] });
    await tracker.linear.createIssue({ teamId: ENG, title: "In it", projectId: project.id });

    const error = await refusal(tracker.linear.updateProject(project.id, { teamIds: [DES] }));

    expect(error).toBeInstanceOf(InvalidInputLinearError);
    expect(await names(project.teams())).toEqual(["Design", "Engineering"]);
  });

  test("computes its progress from its issues: done, started, estimated", async () => {
    const project = await newProject();
    const states = (await tracker.linear.workflowStates({ filter: { team: { id: { eq: ENG } } } }))
      .nodes;
    const state = (type: string) => states.find((one) => one.type === type)!.id;
    for (const [type, estimate] of [
      ["completed", 3],
      ["started", 4],
      ["unstarted", undefined],
      ["canceled", 8],
    ] as const)
      await tracker.linear.createIssue({
        teamId: ENG,
        title: type,
        projectId: project.id,
        stateId: state(type),
        ...(estimate && { estimate }),
      });

    const { scope, progress } = await tracker.linear.project(project.id);

    expect(scope).toBe(8);
    expect(progress).toBe(0.5);
  });

  test("goes to the trash and comes back", async () => {
    const project = await newProject();

    await tracker.linear.deleteProject(project.id);
    const trashed = await tracker.linear.project(project.id);
    expect([trashed.trashed, trashed.archivedAt]).toEqual([true, expect.any(Date)]);
    const listed = await tracker.linear.projects({ first: 200 });
    expect(listed.nodes.map(({ id }) => id)).not.toContain(project.id);

    await tracker.linear.unarchiveProject(project.id);
    const restored = await tracker.linear.project(project.id);
    expect([restored.trashed, restored.archivedAt]).toEqual([undefined, undefined]);
  });

  test("is filled from a template, which the input overrides", async () => {
    const template = (await (
      await tracker.linear.createTemplate({
        name: "Launch",
        type: "project",
        templateData: { description: "From the template", priority: 1 },
      })
    ).template)!;

    const project = await newProject({ templateId: template.id, priority: 3 });

    expect(await tracker.linear.project(project.id)).toMatchObject({
      description: "From the template",
      priority: 3,
    });
    expect((await (await tracker.linear.project(project.id)).lastAppliedTemplate)?.id).toBe(
      template.id,
    );
  });

  test("is filled from its team's default template on request", async () => {
    const templateData = { icon: "Rocket", slugId: "taken", creatorId: ROBIN };
    const input = { name: "Standard", type: "project", templateData };
    const template = (await (await tracker.linear.createTemplate(input)).template)!;
    await tracker.linear.updateTeam(ENG, { defaultProjectTemplateId: template.id });

    const project = await newProject({ useDefaultTemplate: true });
    expect(await tracker.linear.project(project.id)).toMatchObject({ icon: "Rocket" });
    expect((await project.creator)?.id).toBe(JOHN);
    expect((await newProject()).icon).toBeUndefined();
  });

  test("has no synchronization that could be disabled", async () => {
    const project = await newProject();

    const payload = await tracker.linear.projectExternalSyncDisable(project.id, "github" as never);

    expect((await payload.project)?.id).toBe(project.id);
  });

  test.each([
    ["no teams", { teamIds: [] }, /teamIds should not be empty/],
    ["an empty name", { name: " " }, /name should not be empty/],
    ["a team's key for its id", { teamIds: ["ENG"] }, /teamIds must be a UUID/],
    ["a lead that does not exist", { leadId: NOBODY }, /leadId contained an entry/],
    ["a member that does not exist", { memberIds: [NOBODY] }, /memberIds contained an entry/],
    ["a label that does not exist", { labelIds: [NOBODY] }, /labelIds contained an entry/],
    ["an invalid priority", { priority: 9 }, /priority must be/],
    ["a leading team that it does not have", { leadTeamId: DES }, /leading team/],
  ])("is rejected with %s, and nothing is written", async (_case, input, message) => {
    const count = async () =>
      (await tracker.linear.projects({ first: 200, includeArchived: true })).nodes.length;
    const before = await count();

    const error = await refusal(newProject(input));

    expect(error).toBeInstanceOf(InvalidInputLinearError);
    expect(error.message).toMatch(message);
    expect(await count()).toBe(before);
  });
});

describe("labels of projects", () => {
  const newLabel = async (input: object) =>
    (await (
      await tracker.linear.createProjectLabel({ name: crypto.randomUUID(), ...input })
    ).projectLabel)!;

  test("of one group replace each other, and conflict in one list", async () => {
    const group = await newLabel({ isGroup: true });
    const [one, two] = [
      await newLabel({ parentId: group.id }),
      await newLabel({ parentId: group.id }),
    ];
    const project = await newProject({ labelIds: [one.id] });

    await tracker.linear.projectAddLabel(project.id, two.id);
    expect((await tracker.linear.project(project.id)).labelIds).toEqual([two.id]);
    expect(
      await refusal(tracker.linear.updateProject(project.id, { labelIds: [one.id, two.id] })),
    ).toBeInstanceOf(InvalidInputLinearError);
    await tracker.linear.projectRemoveLabel(project.id, two.id);
    expect((await tracker.linear.project(project.id)).labelIds).toEqual([]);
  });

  test("of a deleted group stay without it", async () => {
    const group = await newLabel({ isGroup: true });
    const label = await newLabel({ parentId: group.id });

    await group.delete();

    expect(await (await tracker.linear.projectLabel(label.id)).parent).toBeUndefined();
    expect(await refusal(tracker.linear.projectLabel(group.id))).toBeInstanceOf(
      InvalidInputLinearError,
    );
  });

  test("are removed when they are deleted; retired ones stay, but cannot be added", async () => {
    const [gone, retired] = [await newLabel({}), await newLabel({})];
    const project = await newProject({ labelIds: [gone.id, retired.id] });

    await gone.delete();
    await tracker.linear.projectLabelRetire(retired.id);

    expect((await tracker.linear.project(project.id)).labelIds).toEqual([retired.id]);
    expect(await refusal(newProject({ labelIds: [retired.id] }))).toBeInstanceOf(
      InvalidInputLinearError,
    );
    await tracker.linear.projectLabelRestore(retired.id);
    expect((await newProject({ labelIds: [retired.id] })).id).toBeString();
  });

  test("of a team are only for its projects", async () => {
    const label = await newLabel({ teamId: DES });

    expect(await refusal(newProject({ labelIds: [label.id] }))).toBeInstanceOf(
      InvalidInputLinearError,
    );
    expect((await newProject({ teamIds: [ENG, DES], labelIds: [label.id] })).labelIds).toEqual([
      label.id,
    ]);
  });

  test("have unique names; groups cannot be added or nested", async () => {
    const group = await newLabel({ isGroup: true });

    for (const work of [
      () => newLabel({ name: group.name.toUpperCase() }),
      () => newProject({ labelIds: [group.id] }),
      () => newLabel({ isGroup: true, parentId: group.id }),
    ])
      expect(await refusal(work())).toBeInstanceOf(InvalidInputLinearError);
  });
});

describe("milestones", () => {
  const newMilestone = async (projectId: string, input: object = {}) =>
    (await (
      await tracker.linear.createProjectMilestone({ name: "Beta", projectId, ...input })
    ).projectMilestone)!;

  test("are ordered, and have a progress", async () => {
    const project = await newProject();
    const first = await newMilestone(project.id, { targetDate: "2020-01-01" });
    const second = await newMilestone(project.id, { name: "Launch", description: "All of it" });

    expect(second.sortOrder).toBeGreaterThan(first.sortOrder);
    expect(first.status as string).toBe("overdue");
    expect((await second.project)?.id).toBe(project.id);
    const body = await tracker.data(
      "query($id: String!) { projectMilestone(id: $id) { descriptionState documentContent { content } } }",
      { id: second.id },
    );
    expect(body.projectMilestone.documentContent.content).toBe("All of it");
    expect(JSON.parse(body.projectMilestone.descriptionState).type).toBe("doc");
  });

  test("that are deleted leave their issues without one", async () => {
    const project = await newProject();
    const milestone = await newMilestone(project.id);
    const issue = (await (
      await tracker.linear.createIssue({
        teamId: ENG,
        title: "In it",
        projectId: project.id,
        projectMilestoneId: milestone.id,
      })
    ).issue)!;
    expect((await issue.projectMilestone)?.id).toBe(milestone.id);

    await milestone.delete();

    expect(await (await tracker.linear.issue(issue.id)).projectMilestone).toBeUndefined();
    expect((await issue.history()).nodes).toHaveLength(1);
  });

  test("move with their issues to another project that has their team", async () => {
    const [from, to] = [await newProject(), await newProject({ teamIds: [DES] })];
    const milestone = await newMilestone(from.id);
    const issue = (await (
      await tracker.linear.createIssue({
        teamId: ENG,
        title: "In it",
        projectId: from.id,
        projectMilestoneId: milestone.id,
      })
    ).issue)!;

    const move = (input: object) =>
      tracker.ask(
        "mutation($id: String!, $input: ProjectMilestoneMoveInput!) { projectMilestoneMove(id: $id, input: $input) { success } }",
        { id: milestone.id, input: { projectId: to.id, ...input } },
      );
    expect((await move({})).errors[0].extensions.type).toBe("invalid input");
    expect((await move({ addIssueTeamToProject: true })).data.projectMilestoneMove.success).toBe(
      true,
    );

    expect((await (await tracker.linear.issue(issue.id)).project)?.id).toBe(to.id);
    expect((await issue.history()).nodes).toMatchObject([
      { fromProjectId: from.id, toProjectId: to.id },
    ]);
    expect(await names(to.teams())).toEqual(["Design", "Engineering"]);
  });
});

describe("updates of projects", () => {
  test("set the health of the project; the latest counts", async () => {
    const project = await newProject();
    const report = async (input: object) =>
      (await (
        await tracker.linear.createProjectUpdate({ projectId: project.id, ...input })
      ).projectUpdate)!;

    const first = await report({ body: "Fine" });
    expect(first.health as string).toBe("onTrack");
    const second = await report({ body: "Late", health: "atRisk" });
    const later = await tracker.linear.project(project.id);
    expect([later.health as string, (await later.lastUpdate)?.id]).toEqual(["atRisk", second.id]);
    expect(later.healthUpdatedAt).toEqual(second.createdAt);
    expect((await second.user)?.id).toBe(JOHN);
    expect(second.url).toStartWith(later.url);

    await tracker.linear.archiveProjectUpdate(second.id);
    expect((await tracker.linear.project(project.id)).health as string).toBe("onTrack");
    await tracker.linear.unarchiveProjectUpdate(second.id);
    expect((await tracker.linear.project(project.id)).health as string).toBe("atRisk");

    await second.update({ body: "Later still" });
    expect(await tracker.linear.projectUpdate(second.id)).toMatchObject({
      body: "Later still",
      editedAt: expect.any(Date),
    });
  });

  test("notify the lead, the members and the followers of the project", async () => {
    const project = await newProject({ leadId: ROBIN, memberIds: [AGENT] });
    const notified = async (user: string) =>
      (await tracker.as(user).notifications()).nodes.map(({ type }) => type);
    const before = await notified(JOHN);

    await tracker.linear.createProjectUpdate({ projectId: project.id, body: "Fine" });
    await tracker.linear.createProjectUpdateReminder(project.id);

    expect((await notified(ROBIN)).slice(0, 3).toSorted()).toEqual([
      "projectAddedAsLead",
      "projectUpdateCreated",
      "projectUpdatePrompt",
    ]);
    expect((await notified(AGENT)).slice(0, 2).toSorted()).toEqual([
      "projectAddedAsMember",
      "projectUpdateCreated",
    ]);
    expect(await notified(JOHN)).toEqual(before);
    const alone = await newProject();
    expect(await refusal(tracker.linear.createProjectUpdateReminder(alone.id))).toBeInstanceOf(
      UserLinearError,
    );
  });

  test("are changed by their author or an admin", async () => {
    const { id: projectId } = await newProject();
    const { initiativeId } = await tracker.linear.createInitiative({ name: "Grow" });
    const robin = tracker.as(ROBIN);
    const id = (await robin.createProjectUpdate({ projectId, body: "Mine" })).projectUpdateId!;
    const payload = await robin.createInitiativeUpdate({
      initiativeId: initiativeId!,
      body: "Mine",
    });
    const other = payload.initiativeUpdateId!;
    const agent = tracker.as(AGENT);

    for (const change of [
      () => agent.updateProjectUpdate(id, { body: "x" }),
      () => agent.archiveProjectUpdate(id),
      () => agent.deleteProjectUpdate(id),
      () => agent.updateInitiativeUpdate(other, { body: "x" }),
      () => agent.archiveInitiativeUpdate(other),
    ])
      expect(await refusal(change())).toBeInstanceOf(ForbiddenLinearError);
    await robin.updateProjectUpdate(id, { body: "Still mine" });
    await tracker.linear.archiveInitiativeUpdate(other);
    await tracker.linear.deleteProjectUpdate(id);
  });

  test("need a text and a project", async () => {
    const { id } = await newProject();
    for (const input of [{ projectId: id }, { projectId: NOBODY, body: "Fine" }])
      expect(await refusal(tracker.linear.createProjectUpdate(input))).toBeInstanceOf(
        InvalidInputLinearError,
      );
  });
});

describe("statuses of projects", () => {
  test("cannot be deleted while projects have them, or as the last of a type", async () => {
    const planned = await statusOf("planned");
    expect(await refusal(tracker.linear.archiveProjectStatus(planned.id))).toBeInstanceOf(
      UserLinearError,
    );

    const second = (await (
      await tracker.linear.createProjectStatus({
        name: "Scheduled",
        type: "planned" as never,
        color: "#123456",
        position: 9,
      })
    ).status)!;
    const project = await newProject({ statusId: second.id });
    expect(await refusal(tracker.linear.archiveProjectStatus(second.id))).toBeInstanceOf(
      UserLinearError,
    );

    await tracker.data(
      "mutation($from: String!, $to: String!) { projectReassignStatus(originalProjectStatusId: $from, newProjectStatusId: $to) { success } }",
      { from: second.id, to: planned.id },
    );
    expect((await (await tracker.linear.project(project.id)).status)?.id).toBe(planned.id);
    await tracker.linear.archiveProjectStatus(second.id);
    expect(await names(tracker.linear.projectStatuses())).not.toContain("Scheduled");
  });

  test("have unique names", async () => {
    const input = { name: "backlog", type: "backlog" as never, color: "#123456", position: 1 };
    expect(await refusal(tracker.linear.createProjectStatus(input))).toBeInstanceOf(
      InvalidInputLinearError,
    );
  });
});

describe("relations of projects", () => {
  const relate = (projectId: string, relatedProjectId: string, input: object = {}) =>
    tracker.linear.createProjectRelation({
      projectId,
      relatedProjectId,
      type: "dependency",
      anchorType: "end",
      relatedAnchorType: "start",
      ...input,
    });

  test("connect two projects, and are deleted", async () => {
    const [one, two] = [await newProject(), await newProject()];
    const relation = (await (await relate(one.id, two.id)).projectRelation)!;

    expect((await two.inverseRelations()).nodes.map(({ id }) => id)).toEqual([relation.id]);
    expect((await relation.user)?.id).toBe(JOHN);
    const blocked = await tracker.linear.projects({
      filter: { hasBlockedByRelations: { eq: true } },
    });
    expect(blocked.nodes.map(({ id }) => id)).toEqual([two.id]);
    await relation.delete();
    expect((await one.relations()).nodes).toEqual([]);
  });

  test("have no cycles", async () => {
    const [one, two, three] = [await newProject(), await newProject(), await newProject()];
    await relate(one.id, two.id);
    await relate(two.id, three.id);

    for (const work of [
      () => relate(three.id, one.id),
      () => relate(one.id, one.id),
      () => relate(two.id, one.id),
      () => relate(one.id, three.id, { type: "blocks" }),
      () => relate(one.id, three.id, { anchorType: "milestone" }),
    ])
      expect(await refusal(work())).toBeInstanceOf(InvalidInputLinearError);
    expect((await tracker.linear.projectRelations()).nodes).toHaveLength(2);
  });

  test("are rejected in the service's words", async () => {
    const [one, two] = [await newProject(), await newProject()];
    const problemWith = async (input: object) => {
      const { errors } = await tracker.ask(
        "mutation($input: ProjectRelationCreateInput!) { projectRelationCreate(input: $input) { success } }",
        {
          input: {
            ...{ type: "dependency", projectId: one.id, relatedProjectId: two.id },
            ...{ anchorType: "end", relatedAnchorType: "start" },
            ...input,
          },
        },
      );
      const { message, extensions } = errors[0];
      return extensions.validationErrors?.[0] ?? message;
    };

    expect(await problemWith({ type: "blocks" })).toEqual({
      property: "type",
      value: "blocks",
      constraints: { isEnum: "type must be one of the following values: dependency" },
      children: [],
    });
    expect((await problemWith({ anchorType: "project" })).constraints).toEqual({
      isEnum: "anchorType must be one of the following values: start, end, milestone",
    });
    expect(await problemWith({ anchorType: "milestone" })).toBe(
      "A milestone is required for a dependency with a milestone anchor.",
    );
  });
});
