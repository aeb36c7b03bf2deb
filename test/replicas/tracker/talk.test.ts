import { describe, expect, test } from "bun:test";
import { ForbiddenLinearError, InvalidInputLinearError } from "@linear/sdk";
import { useSharedDatabase } from "../../support/database";
import { AGENT, DES, ENG, JOHN, ROBIN, refusal, useTracker } from "../../support/tracker";

const tracker = useTracker(useSharedDatabase());

async function createIssue(input: object = {}, user = JOHN) {
  const payload = await tracker
    .as(user)
    .createIssue({ teamId: ENG, title: "To talk about", ...input });
  return (await payload.issue)!;
}
async function comment(input: object, user = JOHN) {
  return (await (
    await tracker.as(user).createComment(input)
  ).comment)!;
}
const typesFor = async (user: string, issueId: string) =>
  (await tracker.as(user).notifications({ first: 66 })).nodes
    .filter((one) => (one as any).issueId === issueId)
    .map(({ type }) => type)
    .toSorted();

describe("comments", () => {
  test("are read by id, by the hash of their link, and below their issue", async () => {
    const issue = await createIssue();
    const made = await comment({ issueId: issue.identifier, body: "Some **words**" });

    expect(made).toMatchObject({
      body: "Some **words**",
      url: `${issue.url}#comment-${made.id.slice(0, 8)}`,
    });
    expect((await made.user)?.id).toBe(JOHN);
    expect((await made.issue)?.id).toBe(issue.id);
    expect((await tracker.linear.comment({ hash: made.id.slice(0, 8) })).id).toBe(made.id);
    expect((await issue.comments()).nodes.map(({ id }) => id)).toEqual([made.id]);
    const below = (issueId: string) =>
      tracker.ask(
        "query($id: String, $issueId: String) { comment(id: $id, issueId: $issueId) { id } }",
        {
          id: made.id,
          issueId,
        },
      );
    expect((await below(issue.identifier)).data).toEqual({ comment: { id: made.id } });
    expect((await below((await createIssue()).id)).errors[0].message).toMatch(/Comment/);
    const { comment: raw } = await tracker.data(
      "query($id: String) { comment(id: $id) { bodyData } }",
      { id: made.id },
    );
    expect(JSON.parse(raw.bodyData)).toMatchObject({ type: "doc" });
  });

  test("link to the page of their subject", async () => {
    const { linear } = tracker;
    const project = (await (await linear.createProject({ name: "Move", teamIds: [ENG] })).project)!;
    const initiative = (await (await linear.createInitiative({ name: "Grow" })).initiative)!;
    const projectId = project.id;
    const report = await linear.createProjectUpdate({ projectId, body: "Fine" });
    const other = await linear.createInitiativeUpdate({
      initiativeId: initiative.id,
      body: "Fine",
    });
    const payload = await linear.createDocument({ title: "Plan", projectId });
    const document = (await payload.document)!;
    const ofProject = await tracker.data(
      "query($id: String!) { project(id: $id) { documentContent { id } } }",
      { id: projectId },
    );
    const urls = async (...targets: object[]) => {
      const found: string[] = [];
      for (const target of targets) {
        const { url, id } = await comment({ ...target, body: "Here" });
        found.push(url.replace(`#comment-${id.slice(0, 8)}`, "#comment"));
      }
      return found;
    };

    expect(
      await urls(
        { projectId },
        { projectUpdateId: report.projectUpdateId },
        { initiativeId: initiative.id },
        { initiativeUpdateId: other.initiativeUpdateId },
        { documentContentId: document.documentContentId },
        { documentContentId: ofProject.project.documentContent.id },
      ),
    ).toEqual([
      `${project.url}#comment`,
      `${project.url}/updates#comment`,
      `${initiative.url}#comment`,
      `${initiative.url}/updates#comment`,
      `${document.url}#comment`,
      `${project.url}#comment`,
    ]);
  });

  test("form a thread; a reply to a reply belongs to the root", async () => {
    const issue = await createIssue();
    const root = await comment({ issueId: issue.id, body: "First" });
    const reply = await comment({ parentId: root.id, body: "Second" }, ROBIN);
    const third = await comment({ parentId: reply.id, body: "Third" }, AGENT);

    expect((await third.parent)?.id).toBe(root.id);
    expect((await third.issue)?.id).toBe(issue.id);
    // The official client drops the id in `root.children()`.
    const thread = await tracker.data(
      "query($id: String) { comment(id: $id) { children { nodes { id } } } }",
      { id: root.id },
    );
    const ids = thread.comment.children.nodes.map(({ id }: any) => id);
    expect(ids.toSorted()).toEqual([reply.id, third.id].toSorted());
    await root.delete();
    expect((await issue.comments()).nodes).toEqual([]);
  });

  test("notify followers of the issue and mentioned users", async () => {
    const issue = await createIssue({ assigneeId: ROBIN });
    await comment({ issueId: issue.id, body: "What do you think, @agent?" });

    expect(await typesFor(ROBIN, issue.id)).toEqual(["issueAssignedToYou", "issueNewComment"]);
    expect(await typesFor(AGENT, issue.id)).toEqual(["issueCommentMention"]);
    expect(await typesFor(JOHN, issue.id)).toEqual([]);
    await comment({ issueId: issue.id, body: "I agree" }, AGENT);
    expect(await typesFor(JOHN, issue.id)).toEqual(["issueNewComment"]);
    expect((await issue.subscribers()).nodes.map(({ id }) => id)).toContain(AGENT);
  });

  test("on a project, an initiative or an update notify mentioned users", async () => {
    const { linear } = tracker;
    const projectId = (await linear.createProject({ name: "Move", teamIds: [ENG] })).projectId!;
    const initiativeId = (await linear.createInitiative({ name: "Grow" })).initiativeId!;
    const report = await linear.createProjectUpdate({ projectId, body: "Fine" });
    const projectUpdateId = report.projectUpdateId!;
    const other = await linear.createInitiativeUpdate({ initiativeId, body: "Fine" });
    const initiativeUpdateId = other.initiativeUpdateId!;
    const notified = async (commentId: string) =>
      (await tracker.as(ROBIN).notifications({ first: 66 })).nodes.filter(
        (one) => (one as any).commentId === commentId,
      );

    for (const [type, on, about] of [
      ["projectCommentMention", { projectId }, { projectId }],
      ["projectUpdateCommentMention", { projectUpdateId }, { projectId, projectUpdateId }],
      ["initiativeCommentMention", { initiativeId }, { initiativeId }],
      [
        "initiativeUpdateCommentMention",
        { initiativeUpdateId },
        { initiativeId, initiativeUpdateId },
      ],
    ] as const) {
      const made = await comment({ ...on, body: "Ask @robin" });
      expect(await notified(made.id)).toMatchObject([{ type, ...about, category: "mentions" }]);
    }
    const quiet = await comment({ projectId, body: "Nobody" });
    expect(await notified(quiet.id)).toEqual([]);
    await quiet.update({ body: "And @robin" });
    expect(await notified(quiet.id)).toMatchObject([{ type: "projectCommentMention" }]);
  });

  test("are changed by their author or an admin", async () => {
    const issue = await createIssue();
    const made = await comment({ issueId: issue.id, body: "Mine" }, ROBIN);
    await made.update({ body: "Still mine" });

    expect(await tracker.linear.comment({ id: made.id })).toMatchObject({
      body: "Still mine",
      editedAt: expect.any(Date),
    });
    expect(await refusal(tracker.as(AGENT).updateComment(made.id, { body: "x" }))).toBeInstanceOf(
      ForbiddenLinearError,
    );
    await tracker.linear.updateComment(made.id, { body: "Moderated" });
    expect(await refusal(tracker.as(AGENT).deleteComment(made.id))).toBeInstanceOf(
      ForbiddenLinearError,
    );
  });

  test("resolve a thread, with one of its replies", async () => {
    const issue = await createIssue();
    const root = await comment({ issueId: issue.id, body: "?" });
    const answer = await comment({ parentId: root.id, body: "!" });
    await tracker.linear.commentResolve(root.id, { resolvingCommentId: answer.id });
    const resolved = await tracker.linear.comment({ id: root.id });

    expect(resolved.resolvedAt).toBeInstanceOf(Date);
    expect((await resolved.resolvingUser)?.id).toBe(JOHN);
    expect((await resolved.resolvingComment)?.id).toBe(answer.id);
    expect((await refusal(tracker.linear.commentResolve(answer.id))).message).toMatch(
      /first comment/,
    );
    await tracker.linear.commentUnresolve(root.id);
    expect((await tracker.linear.comment({ id: root.id })).resolvedAt).toBeUndefined();
  });

  test.each([
    ["without a text", { body: " " }, /body should not be empty/],
    ["on nothing", { body: "x", issueId: null }, /must be given/],
    ["on two subjects", { body: "x", projectId: crypto.randomUUID() }, /only one subject/],
    ["on a missing issue", { body: "x", issueId: "ENG-999" }, /referenced Issue/],
    [
      "in reply to a missing comment",
      { body: "x", parentId: crypto.randomUUID() },
      /validateAccess: parentId/,
    ],
  ])("are rejected %s", async (_case, input, message) => {
    const error = await refusal(
      tracker.linear.createComment({ issueId: "ENG-1", ...input } as object),
    );

    expect(error).toBeInstanceOf(InvalidInputLinearError);
    expect(error.message).toMatch(message);
  });
});

describe("reactions", () => {
  test("are one for each user, emoji and target", async () => {
    const issue = await createIssue({}, ROBIN);
    const react = async (emoji: string, user = JOHN) =>
      (await tracker.as(user).createReaction({ issueId: issue.id, emoji })).reaction.id;
    const first = await react("👍");

    expect(await react("+1")).toBe(first);
    expect(await react(":+1:", AGENT)).not.toBe(first);
    const { issue: found } = await tracker.data(
      "query($id: String!) { issue(id: $id) { reactionData reactions { id emoji user { id } } } }",
      { id: issue.id },
    );
    expect(found.reactions.map((one: any) => [one.emoji, one.user.id]).toSorted()).toEqual([
      ["+1", AGENT],
      ["+1", JOHN],
    ]);
    expect(found.reactionData).toMatchObject([
      { emoji: "+1", reactions: [{ id: first, userId: JOHN }, { userId: AGENT }] },
    ]);
    expect(await typesFor(ROBIN, issue.id)).toEqual(["issueEmojiReaction", "issueEmojiReaction"]);
    expect(await refusal(tracker.as(ROBIN).deleteReaction(first))).toBeInstanceOf(
      ForbiddenLinearError,
    );
    await tracker.linear.deleteReaction(first);
  });

  test("have exactly one target", async () => {
    expect((await refusal(tracker.linear.createReaction({ emoji: "tada" }))).message).toMatch(
      /exactly one/,
    );
  });
});

describe("attachments", () => {
  test("are one for each address of an issue", async () => {
    const issue = await createIssue();
    const attach = async (title: string) =>
      (await (
        await tracker.linear.createAttachment({
          issueId: issue.id,
          title,
          url: "https://ci.test/1",
          metadata: { build: 1 },
        })
      ).attachment)!;
    const first = await attach("Build");

    expect((await attach("Build, again")).id).toBe(first.id);
    const [found] = (await issue.attachments()).nodes;
    expect(found).toMatchObject({ title: "Build, again", metadata: { build: 1 } });
    expect((await tracker.linear.attachmentsForURL("https://ci.test/1")).nodes).toHaveLength(1);
    await found!.update({ title: "Done", subtitle: "green" });
    expect((await tracker.linear.attachment(first.id)).subtitle).toBe("green");
    expect((await tracker.linear.attachmentIssue(first.id)).id).toBe(issue.id);
    await tracker.linear.deleteAttachment(first.id);
    expect((await issue.attachments()).nodes).toEqual([]);
  });

  test("of a service have its name as their source, and a title from their address", async () => {
    const issue = await createIssue();
    await tracker.linear.attachmentLinkGitHubPR(issue.id, "https://github.com/acme/app/pull/12");
    await tracker.linear.attachmentLinkURL(issue.id, "https://docs.test/guide/start");
    const found = (await issue.attachments()).nodes.map(({ title, sourceType, source }) => [
      title,
      sourceType,
      source,
    ]);

    expect(found.toSorted()).toEqual(
      [
        ["docs.test: start", undefined, undefined],
        ["github.com: 12", "github", { type: "github" }],
      ].toSorted() as any,
    );
    const { attachmentSources } = await tracker.data("{ attachmentSources { sources } }");
    expect(attachmentSources.sources["github"]).toBe(1);
    expect(
      (await refusal(tracker.linear.attachmentLinkURL(issue.id, "no address"))).message,
    ).toMatch(/url must be/);
  });

  test("can come with a comment, and are in the history", async () => {
    const issue = await createIssue();
    await tracker.linear.createAttachment({
      issueId: issue.id,
      title: "Log",
      url: "https://x.test",
      commentBody: "See the log",
    });

    expect((await issue.comments()).nodes[0]?.body).toBe("See the log");
    expect((await (await issue.history()).nodes[0]?.attachment)?.title).toBe("Log");
  });
});

describe("relations", () => {
  test("have two directions, and notify the followers of a blocked issue", async () => {
    const [one, other] = [await createIssue(), await createIssue({ assigneeId: ROBIN })];
    const payload = await tracker.linear.createIssueRelation({
      issueId: one.identifier,
      relatedIssueId: other.id,
      type: "blocks" as any,
    });
    const relation = (await payload.issueRelation)!;

    expect((await (await one.relations()).nodes[0]?.relatedIssue)?.id).toBe(other.id);
    expect((await (await other.inverseRelations()).nodes[0]?.issue)?.id).toBe(one.id);
    const blocked = await tracker.linear.issues({
      filter: { hasBlockedByRelations: { eq: true } },
    });
    expect(blocked.nodes.map(({ id }) => id)).toEqual([other.id]);
    expect(await typesFor(ROBIN, other.id)).toContain("issueBlocking");
    const again = tracker.linear.createIssueRelation({
      issueId: one.id,
      relatedIssueId: other.id,
      type: "blocks" as any,
    });
    expect((await refusal(again)).message).toMatch(/already have/);
    await relation.delete();
    expect((await one.relations()).nodes).toEqual([]);
    expect((await one.history()).nodes[0]?.relationChanges).toMatchObject([
      { identifier: other.identifier, type: "removedBlocks" },
    ]);
  });

  test("close a duplicate", async () => {
    const [one, other] = [await createIssue(), await createIssue()];
    await tracker.linear.createIssueRelation({
      issueId: one.id,
      relatedIssueId: other.id,
      type: "duplicate" as any,
    });

    const closed = await tracker.linear.issue(one.id);
    expect((await closed.state)?.type).toBe("duplicate");
    expect(closed.canceledAt).toBeInstanceOf(Date);
  });

  test.each([
    ["to itself", (id: string) => ({ issueId: id, relatedIssueId: id, type: "related" })],
    ["to nothing", (id: string) => ({ issueId: id, relatedIssueId: "ENG-999", type: "related" })],
  ])("are rejected %s", async (_case, input) => {
    const { id } = await createIssue();

    expect(await refusal(tracker.linear.createIssueRelation(input(id) as any))).toBeInstanceOf(
      InvalidInputLinearError,
    );
  });
});

describe("labels", () => {
  test("have unique names, and groups of one level", async () => {
    const create = async (input: object) =>
      (await (
        await tracker.linear.createIssueLabel(input as any)
      ).issueLabel)!;
    const group = await create({ name: "Area", isGroup: true });
    const child = await create({ name: "Frontend", parentId: group.id });

    expect((await child.parent)?.name).toBe("Area");
    expect((await group.children()).nodes.map(({ name }) => name)).toEqual(["Frontend"]);
    for (const [input, message] of [
      [{ name: "bug" }, /already a label/],
      [{ name: "Bug", teamId: ENG }, /already a label/],
      [{ name: "Under", parentId: child.id }, /must be a label group/],
      [{ name: "Group", isGroup: true, parentId: group.id }, /another group/],
    ] as const)
      expect((await refusal(create(input))).message).toMatch(message);
    await tracker.linear.deleteIssueLabel(group.id);
    expect(await (await tracker.linear.issueLabel(child.id)).parent).toBeUndefined();
  });

  test("of teams merge into one of the workspace", async () => {
    const create = async (input: object, variables?: object) =>
      (await (
        await tracker.linear.createIssueLabel(input as any, variables as any)
      ).issueLabel)!;
    const [eng, des] = [
      await create({ name: "Chore", teamId: ENG }),
      await create({ name: "chore", teamId: DES }),
    ];
    const issue = await createIssue({ labelIds: [eng.id] });
    const whole = await create({ name: "Chore" }, { replaceTeamLabels: true });

    expect((await tracker.linear.issue(issue.id)).labelIds).toEqual([whole.id]);
    expect(await refusal(tracker.linear.issueLabel(des.id))).toBeInstanceOf(
      InvalidInputLinearError,
    );
  });

  test("are removed from all issues when they are deleted", async () => {
    const label = (await (
      await tracker.linear.createIssueLabel({ name: "Short-lived" })
    ).issueLabel)!;
    const issue = await createIssue({ labelIds: [label.id] });
    await tracker.linear.deleteIssueLabel(label.id);

    expect((await tracker.linear.issue(issue.id)).labelIds).toEqual([]);
  });
});
