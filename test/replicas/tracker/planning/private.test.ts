/** Everything in a private team is visible only to its members. */
import { beforeAll, describe, expect, test } from "bun:test";
import { useSharedDatabase } from "../../../support/database";
import { ENG, JOHN, ROBIN, useTracker } from "../../../support/tracker";

const tracker = useTracker(useSharedDatabase());
const ids: Record<string, string> = {};

/** Creates an entity as a member, and stores its id. */
async function make(type: string, input: object, name = type): Promise<void> {
  const [stem, as] = [type, name].map((text) => text.charAt(0).toLowerCase() + text.slice(1));
  const data = await tracker.data(
    `mutation($input: ${type}CreateInput!) { it: ${stem}Create(input: $input) { ${as} { id } } }`,
    { input },
  );
  ids[type] = data.it[as!].id;
}

beforeAll(async () => {
  await make("Team", { name: "Secret", private: true });
  const teamId = ids["Team"];
  await make("Project", { name: "Hidden", teamIds: [teamId] });
  const projectId = ids["Project"];
  await make("Issue", { title: "Hidden", teamId, projectId });
  await make("ProjectMilestone", { name: "Hidden", projectId });
  await make("ProjectUpdate", { body: "Hidden", projectId });
  await make("Document", { title: "Hidden", projectId });
  await make("EntityExternalLink", { label: "Hidden", url: "https://a.test", projectId });
  await make("Template", { name: "Hidden", type: "issue", teamId, templateData: {} });
  await make("Webhook", { url: "https://a.test", resourceTypes: ["Issue"], teamId });
  await make("CustomView", { name: "Hidden", shared: true, teamId });
  await make("ProjectLabel", { name: "Hidden", teamId });
  await make("Comment", { body: "Hidden", projectId });
});

const TYPES = [
  ["Project", "projects"],
  ["ProjectMilestone", "projectMilestones"],
  ["ProjectUpdate", "projectUpdates"],
  ["Document", "documents"],
  ["EntityExternalLink", undefined],
  ["Template", undefined],
  ["Webhook", "webhooks"],
  ["CustomView", "customViews"],
  ["ProjectLabel", "projectLabels"],
  ["Comment", "comments"],
] as const;

describe("an entity of a private team", () => {
  test.each(TYPES)("a %s is not there for others", async (type, list) => {
    const stem = type.charAt(0).toLowerCase() + type.slice(1);
    const one = (user: string) =>
      tracker.ask(`query($id: String!) { it: ${stem}(id: $id) { id } }`, { id: ids[type] }, user);
    expect((await one(JOHN)).data.it).toEqual({ id: ids[type] });
    expect((await one(ROBIN)).errors[0].message).toBe(`Entity not found: ${type}`);
    if (list === undefined) return;
    const all = async (user: string) =>
      (await tracker.data(`{ it: ${list}(first: 250) { nodes { id } } }`, {}, user)).it.nodes;
    expect(await all(JOHN)).toContainEqual({ id: ids[type] });
    expect(await all(ROBIN)).not.toContainEqual({ id: ids[type] });
  });

  test("a project is visible to others once it has a team of theirs", async () => {
    await tracker.linear.updateProject(ids["Project"]!, { teamIds: [ids["Team"]!, ENG] });

    const seen = await tracker.as(ROBIN).project(ids["Project"]!);
    expect((await seen.projectMilestones()).nodes).toHaveLength(1);
    expect((await seen.issues()).nodes).toEqual([]);
    expect((await seen.teams()).nodes.map(({ key }) => key)).toEqual(["ENG"]);
  });
});
