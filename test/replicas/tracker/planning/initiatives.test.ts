import { describe, expect, test } from "bun:test";
import { InvalidInputLinearError } from "@linear/sdk";
import { useSharedDatabase } from "../../../support/database";
import { ENG, JOHN, ROBIN, refusal, useTracker } from "../../../support/tracker";

const tracker = useTracker(useSharedDatabase());

const newInitiative = async (input: object = {}) =>
  (await (
    await tracker.linear.createInitiative({ name: "Grow", ...input })
  ).initiative)!;
const newProject = async () =>
  (await (
    await tracker.linear.createProject({ name: "One", teamIds: [ENG] })
  ).project)!;
const hang = (initiativeId: string, relatedInitiativeId: string) =>
  tracker.linear.createInitiativeRelation({ initiativeId, relatedInitiativeId });
const hold = (initiativeId: string, projectId: string) =>
  tracker.linear.createInitiativeToProject({ initiativeId, projectId });
const ids = async (list: Promise<{ nodes: { id: string }[] }>) =>
  (await list).nodes.map(({ id }) => id);

describe("an initiative", () => {
  test("starts as planned, and has the times at which it became active and completed", async () => {
    const initiative = await newInitiative({
      ownerId: ROBIN,
      targetDate: "2026-12-31",
      content: "Why",
    });
    expect(initiative).toMatchObject({
      status: "Planned",
      targetDate: "2026-12-31",
      content: "Why",
    });
    expect((await initiative.owner)?.id).toBe(ROBIN);
    expect((await initiative.creator)?.id).toBe(JOHN);
    expect(initiative.url).toMatch(/\/acme\/initiative\/grow-[0-9a-f]{12}$/);

    await tracker.linear.updateInitiative(initiative.id, { status: "Active" as never });
    const active = await tracker.linear.initiative(initiative.slugId);
    expect(active.startedAt).toBeInstanceOf(Date);
    await tracker.linear.updateInitiative(initiative.id, { status: "Completed" as never });
    const completed = await tracker.linear.initiative(initiative.id);
    expect([completed.startedAt, completed.completedAt]).toEqual([
      active.startedAt,
      expect.any(Date),
    ]);
  });

  test("has labels", async () => {
    const label = (await (
      await tracker.linear.createInitiativeLabel({ name: "Board" })
    ).initiativeLabel)!;
    const initiative = await newInitiative();

    await tracker.linear.initiativeAddLabel(initiative.id, label.id);
    expect(await ids(initiative.labels())).toEqual([label.id]);
    await tracker.linear.initiativeLabelRetire(label.id);
    expect(await ids(initiative.labels())).toEqual([label.id]);
    await tracker.linear.initiativeRemoveLabel(initiative.id, label.id);
    expect(await ids(initiative.labels())).toEqual([]);
    expect(
      await refusal(tracker.linear.initiativeAddLabel(initiative.id, label.id)),
    ).toBeInstanceOf(InvalidInputLinearError);
    await tracker.linear.initiativeLabelRestore(label.id);
    await tracker.linear.initiativeAddLabel(initiative.id, label.id);
  });

  test("has the health of its latest update", async () => {
    const initiative = await newInitiative();
    const payload = await tracker.linear.createInitiativeUpdate({
      initiativeId: initiative.id,
      body: "Slow",
      health: "offTrack" as never,
    });
    const update = (await payload.initiativeUpdate)!;

    const read = await tracker.linear.initiative(initiative.id);
    expect([read.health as string, (await read.lastUpdate)?.id]).toEqual(["offTrack", update.id]);
    await tracker.linear.archiveInitiativeUpdate(update.id);
    expect((await tracker.linear.initiative(initiative.id)).health).toBeUndefined();
    await tracker.linear.createInitiativeUpdateReminder(initiative.id, { userId: ROBIN });
    const [notified] = (await tracker.as(ROBIN).notifications()).nodes;
    expect(notified?.type).toBe("initiativeUpdatePrompt");
  });

  test("goes to the trash and comes back", async () => {
    const initiative = await newInitiative();

    await initiative.delete();
    expect((await tracker.linear.initiative(initiative.id)).trashed).toBe(true);
    expect(await ids(tracker.linear.initiatives())).not.toContain(initiative.id);
    await tracker.linear.unarchiveInitiative(initiative.id);
    expect(await ids(tracker.linear.initiatives())).toContain(initiative.id);
  });
});

describe("the tree of initiatives", () => {
  test("has each project once, and lists those of its descendants", async () => {
    const [top, below, project] = [
      await newInitiative(),
      await newInitiative(),
      await newProject(),
    ];
    await hang(top.id, below.id);
    const link = (await (await hold(below.id, project.id)).initiativeToProject)!;

    expect(await ids(top.projects())).toEqual([project.id]);
    expect(await ids(top.subInitiatives())).toEqual([below.id]);
    expect((await (await tracker.linear.initiative(below.id)).parentInitiative)?.id).toBe(top.id);
    expect(await refusal(hold(below.id, project.id))).toBeInstanceOf(InvalidInputLinearError);
    expect(await refusal(hold(top.id, project.id))).toBeInstanceOf(InvalidInputLinearError);
    await link.delete();
    expect(await ids(top.projects())).toEqual([]);
  });

  test("has no cycles, and at most five levels", async () => {
    const levels: Awaited<ReturnType<typeof newInitiative>>[] = [];
    for (const _ of "12345") levels.push(await newInitiative());
    for (const [index, one] of levels.entries())
      if (index > 0) await hang(levels[index - 1]!.id, one.id);
    const [top, , , , last] = levels as [any, any, any, any, any];

    for (const work of [
      () => hang(last.id, top.id),
      () => hang(top.id, top.id),
      () => hang(top.id, levels[1]!.id),
      async () => hang(last.id, (await newInitiative()).id),
    ])
      expect(await refusal(work())).toBeInstanceOf(InvalidInputLinearError);
  });

  test("returns a relation by its id, and updates and deletes it", async () => {
    const [top, below] = [await newInitiative(), await newInitiative()];
    const relation = (await (await hang(top.id, below.id)).initiativeRelation)!;

    await tracker.linear.updateInitiativeRelation(relation.id, { sortOrder: 7 });
    const { initiativeRelation } = await tracker.data(
      "query($id: String!) { initiativeRelation(id: $id) { __typename sortOrder relatedInitiative { id } } }",
      { id: relation.id },
    );
    expect(initiativeRelation).toEqual({
      __typename: "InitiativeRelation",
      sortOrder: 7,
      relatedInitiative: { id: below.id },
    });
    await relation.delete();
    expect(await ids(top.subInitiatives())).toEqual([]);
  });
});

describe("roadmaps", () => {
  test("contain projects", async () => {
    const roadmap = (await (
      await tracker.linear.createRoadmap({ name: "2026", color: "#123456" })
    ).roadmap)!;
    const project = await newProject();
    const link = (await (
      await tracker.linear.createRoadmapToProject({ roadmapId: roadmap.id, projectId: project.id })
    ).roadmapToProject)!;

    expect(roadmap).toMatchObject({ name: "2026", color: "#123456" });
    expect((await roadmap.owner)?.id).toBe(JOHN);
    expect(await ids(roadmap.projects())).toEqual([project.id]);
    await roadmap.update({ name: "2027" });
    expect(await (await link.roadmap)?.name).toBe("2027");
    const again = tracker.linear.createRoadmapToProject({
      roadmapId: roadmap.id,
      projectId: project.id,
    });
    expect(await refusal(again)).toBeInstanceOf(InvalidInputLinearError);

    await roadmap.archive();
    expect(await ids(tracker.linear.roadmaps())).toEqual([]);
    await roadmap.unarchive();
    await roadmap.delete();
    expect((await tracker.linear.roadmapToProjects()).nodes).toEqual([]);
  });
});
