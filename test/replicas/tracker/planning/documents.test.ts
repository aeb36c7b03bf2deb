import { describe, expect, test } from "bun:test";
import { InvalidInputLinearError } from "@linear/sdk";
import { useSharedDatabase } from "../../../support/database";
import { AGENT, ENG, JOHN, ROBIN, refusal, useTracker } from "../../../support/tracker";

const tracker = useTracker(useSharedDatabase());
const NOBODY = "b0000000-0000-4000-8000-0000000000ff";

const newDocument = async (input: object = {}) =>
  (await (
    await tracker.linear.createDocument({ title: "Plan", teamId: ENG, ...input })
  ).document)!;

describe("a document", () => {
  test("has a body, an author and an address", async () => {
    const document = await newDocument({ content: "# Goal\n\n- one\n- two", icon: "Page" });

    expect(document).toMatchObject({
      title: "Plan",
      content: "# Goal\n\n- one\n- two",
      icon: "Page",
    });
    expect(document.url).toMatch(/\/acme\/document\/plan-[0-9a-f]{12}$/);
    expect((await document.creator)?.id).toBe(JOHN);
    const { document: read } = await tracker.data(
      "query($id: String!) { document(id: $id) { contentState contentData documentContentId owner { id } team { key } subscribers { nodes { id } } } }",
      { id: document.slugId },
    );
    expect(JSON.parse(read.contentState).content.map(({ type }: any) => type)).toEqual([
      "heading",
      "bullet_list",
    ]);
    expect(read.contentData).toBe(read.contentState);
    expect(read.team.key).toBe("ENG");
    expect([read.owner.id, read.subscribers.nodes]).toEqual([JOHN, [{ id: JOHN }]]);
    const { documentContentHistory } = await tracker.data(
      "query($id: String!) { documentContentHistory(id: $id) { success history { id } } }",
      { id: read.documentContentId },
    );
    expect(documentContentHistory).toEqual({ success: true, history: [] });
    const { timeline } = await tracker.data(
      "query($id: String!) { timeline: documentContentHistoryTimeline(id: $id) { success history { id } checkpoints { id } } }",
      { id: read.documentContentId },
    );
    expect(timeline).toEqual({ success: true, history: [], checkpoints: [] });
  });

  test("records its last editor, and moves from one parent to another", async () => {
    const document = await newDocument();
    const { project } = await tracker.linear.createProject({ name: "Home", teamIds: [ENG] });
    const projectId = (await project)!.id;

    await tracker.as(AGENT).updateDocument(document.id, { content: "New", projectId });

    const { document: read } = await tracker.data(
      "query($id: String!) { document(id: $id) { content updatedBy { id } project { id } team { id } } }",
      { id: document.id },
    );
    expect(read).toEqual({
      content: "New",
      updatedBy: { id: AGENT },
      project: { id: projectId },
      team: null,
    });
    const listed = await (await tracker.linear.project(projectId)).documents();
    expect(listed.nodes.map(({ id }) => id)).toEqual([document.id]);
  });

  test("goes to the trash and comes back", async () => {
    const document = await newDocument();

    await document.delete();
    expect((await tracker.linear.document(document.id)).trashed).toBe(true);
    const listed = await tracker.linear.documents({ first: 250 });
    expect(listed.nodes.map(({ id }) => id)).not.toContain(document.id);

    await tracker.linear.unarchiveDocument(document.id);
    expect((await tracker.linear.document(document.id)).trashed).toBeUndefined();
  });

  test("is shared with users, and unshared", async () => {
    const { id } = await newDocument();
    const share = (name: string, userIds: string[]) =>
      tracker.data(
        `mutation($id: String!, $userIds: [String!]!) { ${name}(id: $id, userIds: $userIds) { success } }`,
        { id, userIds },
      );

    expect((await share("documentShare", [AGENT, ROBIN])).documentShare.success).toBe(true);
    expect((await share("documentUnshare", [AGENT])).documentUnshare.success).toBe(true);
  });

  test("below another document has the same parent", async () => {
    const above = await newDocument();
    const { documentCreate } = await tracker.data(
      "mutation($input: DocumentCreateInput!) { documentCreate(input: $input) { document { id parentDocument { id } team { key } } } }",
      { input: { title: "Details", parentDocumentId: above.id } },
    );

    expect(documentCreate.document).toMatchObject({
      parentDocument: { id: above.id },
      team: { key: "ENG" },
    });
  });

  test.each([
    ["no parent", { teamId: undefined }],
    ["two parents", { issueId: "ENG-1" }],
    ["an empty title", { title: "" }],
    ["an issue that does not exist", { teamId: undefined, issueId: "ENG-999" }],
    ["a subscriber that does not exist", { subscriberIds: [NOBODY] }],
  ])("is rejected with %s, and nothing is written", async (_case, input) => {
    const count = async () =>
      (await tracker.linear.documents({ first: 250, includeArchived: true })).nodes.length;
    const before = await count();

    expect(await refusal(newDocument(input))).toBeInstanceOf(InvalidInputLinearError);
    expect(await count()).toBe(before);
  });

  test.each([
    ["no parent", {}],
    ["two parents", { teamId: ENG, issueId: "ENG-1" }],
    ["a parent that is null beside another", { teamId: ENG, projectId: null }],
  ])("with %s is rejected in the service's words", async (_case, input) => {
    const { errors } = await tracker.ask(
      "mutation($input: DocumentCreateInput!) { documentCreate(input: $input) { success } }",
      { input: { title: "x", ...input } },
    );

    expect(errors[0].message).toBe(
      "Exactly one of initiativeId, teamId, issueId, releaseId, cycleId or projectId must be defined.",
    );
  });
});
