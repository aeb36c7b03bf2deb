/** Who receives an event: apps whose user may see what it is about, and the app that it is about. */
import { beforeAll, expect, test } from "bun:test";
import { useSharedDatabase } from "../../../support/database";
import { AGENT, ENG, JOHN, ROBIN, useTracker } from "../../../support/tracker";
import { kindsOf, MEMBER, observe, onlyOf } from "./observe";

const database = useSharedDatabase();
const tracker = useTracker(database);
const HIDDEN = "it belongs to a private team that its user is not in";
const ROBINS = { ...MEMBER, id: ROBIN, user: ROBIN };
const FEW = { ...MEMBER, id: JOHN, user: JOHN, events: ["Comment"] };
const APPS = [MEMBER, ROBINS, FEW];
let watch: Awaited<ReturnType<typeof observe>>;
let secret = "";

beforeAll(async () => {
  watch = await observe(database, tracker);
  const payload = await tracker.linear.createTeam({ name: "Secret", private: true });
  secret = (await payload.team)!.id;
  await tracker.linear.createTeamMembership({ teamId: secret, userId: AGENT });
  await watch(async () => undefined);
});

test("what belongs to a private team goes to apps of its members only", async () => {
  const { linear } = tracker;
  const seen = await watch(async () => {
    const { issueId } = await linear.createIssue({ teamId: secret, title: "Quiet" });
    const { commentId } = await linear.createComment({ issueId: issueId!, body: "Hush" });
    await linear.createReaction({ commentId: commentId!, emoji: "eyes" });
    await linear.createAttachment({ issueId: issueId!, title: "A", url: "https://acme.test/a" });
    await linear.createIssueLabel({ name: "Hidden", teamId: secret });
    const { projectId } = await linear.createProject({ name: "Quiet", teamIds: [secret] });
    await linear.createProjectUpdate({ projectId: projectId!, body: "Fine" });
    await linear.createComment({ projectId: projectId!, body: "Hush" });
    const { documentId } = await linear.createDocument({ title: "Plan", projectId: projectId! });
    const { documentContentId } = await linear.document(documentId!);
    await linear.createComment({ documentContentId: documentContentId!, body: "Hush" });
    await linear.deleteComment(commentId!);
  }, APPS);

  expect(seen.length).toBeGreaterThan(10);
  for (const { type, action, missed } of seen)
    expect({ type, action, [AGENT]: missed[AGENT], [ROBIN]: missed[ROBIN] }).toEqual({
      ...{ type, action, [AGENT]: undefined, [ROBIN]: HIDDEN },
    });
  expect(onlyOf(seen, "Issue create").missed[JOHN]).toBe("not subscribed");
});

test("a shared issue, and one of several teams of a project, are seen", async () => {
  const { linear } = tracker;
  const seen = await watch(async () => {
    const { issueId } = await linear.createIssue({ teamId: secret, title: "Shared" });
    await tracker.data(
      "mutation($id: String!, $userId: String!) { issueShare(id: $id, userId: $userId) { success } }",
      { id: issueId, userId: ROBIN },
    );
    await linear.updateIssue(issueId!, { title: "Shared with Robin" });
    await linear.createProject({ name: "Wide", teamIds: [secret, ENG] });
  }, APPS);

  expect(onlyOf(seen, "Issue create").missed[ROBIN]).toBe(HIDDEN);
  expect(onlyOf(seen, "Issue update").missed).not.toHaveProperty(ROBIN);
  expect(onlyOf(seen, "Project create").missed).not.toHaveProperty(ROBIN);
});

test("an issue that leaves a private team is announced to all", async () => {
  const { linear } = tracker;
  const { issueId } = await linear.createIssue({ teamId: secret, title: "Moving" });
  await watch(async () => undefined);
  const seen = await watch(() => linear.updateIssue(issueId!, { teamId: ENG }), APPS);

  const moved = onlyOf(seen, "Issue update");
  expect(moved.missed).not.toHaveProperty(ROBIN);
  expect(moved.payload.updatedFrom).toMatchObject({ teamId: secret });
});

test("notifications of an app's user go to its app, and those of others to nobody", async () => {
  const { linear } = tracker;
  const issue = { title: "For the agent", description: "Do it" };
  const { issueId } = await linear.createIssue({ teamId: ENG, ...issue });
  await watch(async () => undefined);
  const seen = await watch(async () => {
    await linear.updateIssue(issueId!, { assigneeId: AGENT });
  }, [MEMBER, FEW]);
  const mentioned = await watch(
    () => linear.createComment({ issueId: issueId!, body: "@agent and @robin, please" }),
    [MEMBER, FEW],
  );

  const own = [...seen, ...mentioned].filter(({ type }) => type === "AppUserNotification");
  expect(kindsOf(own)).toEqual([
    ...["AppUserNotification issueAssignedToYou", "AppUserNotification issueCommentMention"],
  ]);
  expect(own[1]).toMatchObject({
    missed: { [JOHN]: "not subscribed" },
    payload: {
      notification: {
        ...{ userId: AGENT, actor: { id: JOHN }, issue: { id: issueId, ...issue } },
        comment: { body: "@agent and @robin, please" },
      },
    },
  });
  const { payload } = onlyOf(own, "AppUserNotification issueAssignedToYou");
  expect(payload).not.toHaveProperty("actor");
});

test("an app learns that its user joins or leaves a private team", async () => {
  const { linear } = tracker;
  const seen = await watch(async () => {
    const made = await linear.createTeamMembership({ teamId: secret, userId: ROBIN });
    await linear.deleteTeamMembership((await made.teamMembership)!.id);
  }, APPS);

  expect(kindsOf(seen)).toEqual([
    ...["PermissionChange teamAccessChanged", "PermissionChange teamAccessChanged"],
  ]);
  const [joined, left] = seen;
  expect(joined?.payload).toMatchObject({ addedTeamIds: [secret], removedTeamIds: [] });
  expect(left?.payload).toMatchObject({ addedTeamIds: [], removedTeamIds: [secret] });
  expect(joined?.missed).toEqual({ [AGENT]: "it is about another user", [JOHN]: "not subscribed" });
});

test("changes of one batch are shown as each of them left the workspace", async () => {
  const { linear } = tracker;
  const seen = await watch(async () => {
    const { issueId } = await linear.createIssue({ teamId: ENG, title: "First" });
    await linear.createComment({ issueId: issueId!, body: "A" });
    await linear.updateIssue(issueId!, { title: "Second" });
    await linear.createComment({ issueId: issueId!, body: "B" });
    await linear.deleteIssue(issueId!);
  });

  const titles = seen.map(({ data }) => data?.issue?.title ?? data?.title).filter(Boolean);
  expect(titles).toEqual(["First", "First", "Second", "Second", "Second"]);
});
