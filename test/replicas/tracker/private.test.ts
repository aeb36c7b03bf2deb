/** Users learn nothing of a private team that they are not in, not even from their own rows. */
import { beforeAll, describe, expect, test } from "bun:test";
import { useSharedDatabase } from "../../support/database";
import { ENG, JOHN, ROBIN, useTracker } from "../../support/tracker";

const tracker = useTracker(useSharedDatabase());
const NOTIFICATIONS = `{
  notificationsUnreadCount
  notifications(first: 250) {
    nodes { type ... on IssueNotification { issue { id } } ... on ProjectNotification { project { id } } }
  }
}`;
let secret: string;

beforeAll(async () => {
  const payload = await tracker.linear.createTeam({ name: "Secret", private: true });
  secret = (await payload.team)!.id;
});

const makeIssue = async (input: object, teamId = ENG): Promise<any> =>
  (await (
    await tracker.linear.createIssue({ title: "One", teamId, ...input })
  ).issue)!;

/** The notifications of a user about one issue or project, and the total number of unread ones. */
async function notificationsOf(id: string, user = ROBIN) {
  const { notifications, notificationsUnreadCount } = await tracker.data(NOTIFICATIONS, {}, user);
  const about = notifications.nodes.filter(
    (one: any) => one.issue?.id === id || one.project?.id === id,
  );
  return { types: about.map((one: any) => one.type), unread: notificationsUnreadCount };
}

const followersOf = async (id: string) =>
  (await (await tracker.linear.issue(id)).subscribers()).nodes.map((user) => user.id);

describe("a user outside of a private team", () => {
  test("no longer has notifications of an issue that moves there", async () => {
    const issue = await makeIssue({ assigneeId: ROBIN, description: "@robin" });
    const before = await notificationsOf(issue.id);

    await tracker.linear.updateIssue(issue.id, { teamId: secret });

    const after = await notificationsOf(issue.id);
    expect(before.types.toSorted()).toEqual(["issueAssignedToYou", "issueMention"]);
    expect(after).toEqual({ types: [], unread: before.unread - 2 });
  });

  test("no longer has an issue that moves there", async () => {
    const issue = await makeIssue({ assigneeId: ROBIN });

    const payload = await tracker.linear.updateIssue(issue.id, { teamId: secret });

    const moved = (await payload.issue)!;
    const [change] = (await moved.history()).nodes;
    expect(moved.assigneeId).toBeUndefined();
    expect([change!.fromAssigneeId, change!.toAssigneeId]).toEqual([ROBIN, undefined]);
  });

  test("keeps notifications from before, unseen until they are a member again", async () => {
    const { teamMembership } = await tracker.linear.createTeamMembership({
      teamId: secret,
      userId: ROBIN,
    });
    const issue = await makeIssue({ assigneeId: ROBIN }, secret);
    expect((await notificationsOf(issue.id)).types).toEqual(["issueAssignedToYou"]);

    await tracker.linear.deleteTeamMembership((await teamMembership)!.id);

    expect((await notificationsOf(issue.id)).types).toEqual([]);
  });

  test("neither follows its issues nor is notified of them", async () => {
    const notified = (await notificationsOf("")).unread;

    const issue = await makeIssue({ description: "@robin", subscriberIds: [ROBIN] }, secret);
    await tracker.linear.updateIssue(issue.id, { subscriberIds: [JOHN, ROBIN] });
    await tracker.linear.createComment({
      issueId: issue.id,
      body: "@robin",
      subscriberIds: [ROBIN],
    });

    expect(await followersOf(issue.id)).toEqual([JOHN]);
    await tracker.linear.createTeamMembership({ teamId: secret, userId: ROBIN });
    const after = await notificationsOf(issue.id);
    const { nodes } = await (await tracker.linear.team(secret)).memberships();
    const mine = nodes.find(({ userId }) => userId === ROBIN);
    await tracker.linear.deleteTeamMembership(mine!.id);
    expect(after.types).toEqual([]);
    expect((await notificationsOf("")).unread).toBe(notified);
  });

  test("gets no notifications of a project that becomes the team's", async () => {
    const input = { name: "Moving", teamIds: [ENG], leadId: ROBIN };
    const project = (await (await tracker.linear.createProject(input)).project)!;
    expect((await notificationsOf(project.id)).types).toEqual(["projectAddedAsLead"]);

    await tracker.linear.updateProject(project.id, { teamIds: [secret] });
    await tracker.linear.createProjectUpdate({ projectId: project.id, body: "Quiet" });

    expect((await notificationsOf(project.id)).types).toEqual([]);
    await tracker.linear.updateProject(project.id, { teamIds: [ENG] });
    expect((await notificationsOf(project.id)).types).toEqual(["projectAddedAsLead"]);
  });

  test("no longer sees their subscriptions there", async () => {
    const payload = await tracker.linear.createTeamMembership({ teamId: secret, userId: ROBIN });
    const label = (await (
      await tracker.linear.createIssueLabel({ name: "Hushed", teamId: secret })
    ).issueLabel)!;
    const robin = tracker.as(ROBIN);
    await robin.createNotificationSubscription({ teamId: secret });
    await robin.createNotificationSubscription({ labelId: label.id });
    const list = async () =>
      (
        await tracker.data(
          `{ notificationSubscriptions { nodes {
            ... on TeamNotificationSubscription { team { id } } ... on LabelNotificationSubscription { label { id } }
          } } }`,
          {},
          ROBIN,
        )
      ).notificationSubscriptions.nodes;
    expect(await list()).toHaveLength(2);

    await tracker.linear.deleteTeamMembership((await payload.teamMembership)!.id);

    expect(await list()).toEqual([]);
  });

  test("sees no relation with its issues, from either end", async () => {
    const [here, other] = [await makeIssue({}), await makeIssue({})];
    const there = await makeIssue({}, secret);
    const relate = async (issueId: string, relatedIssueId: string) =>
      (
        await tracker.data(
          "mutation($input: IssueRelationCreateInput!) { issueRelationCreate(input: $input) { issueRelation { id } } }",
          { input: { issueId, relatedIssueId, type: "blocks" } },
        )
      ).issueRelationCreate.issueRelation.id;
    await relate(here.id, other.id);
    const hidden = [await relate(here.id, there.id), await relate(there.id, other.id)];
    const seen = async (user: string) =>
      await tracker.data(
        `query($here: String!, $other: String!) {
          here: issue(id: $here) { relations { nodes { relatedIssue { id } } } history { nodes { relationChanges { identifier } } } }
          other: issue(id: $other) { inverseRelations { nodes { issue { id } } } }
          issueRelations(first: 250) { nodes { id issue { id } relatedIssue { id } } }
        }`,
        { here: here.id, other: other.id },
        user,
      );

    const [john, robin] = [await seen(JOHN), await seen(ROBIN)];
    expect(john.here.relations.nodes).toHaveLength(2);
    expect(robin.here.relations.nodes).toEqual([{ relatedIssue: { id: other.id } }]);
    expect(robin.other.inverseRelations.nodes).toEqual([{ issue: { id: here.id } }]);
    const listed = (answer: any) => answer.issueRelations.nodes.map(({ id }: any) => id);
    expect(listed(john)).toEqual(expect.arrayContaining(hidden));
    expect(listed(robin).filter((id: string) => hidden.includes(id))).toEqual([]);
    const named = ({ here: { history } }: any) =>
      history.nodes.flatMap(({ relationChanges }: any) => relationChanges ?? []);
    expect(named(john)).toContainEqual({ identifier: there.identifier });
    expect(named(robin)).toEqual([{ identifier: other.identifier }]);
  });

  test("sees and changes an issue that is shared with them, though not the team", async () => {
    const issue = await makeIssue({ description: "Shared" }, secret);
    await tracker.linear.createComment({ issueId: issue.id, body: "Here" });
    const share = (field: string) =>
      tracker.data(
        `mutation($id: String!, $userId: String!) { ${field}(id: $id, userId: $userId) { success } }`,
        { id: issue.id, userId: ROBIN },
      );
    const ask = (query: string, variables: object = {}) =>
      tracker.ask(query, { id: issue.identifier, ...variables }, ROBIN);
    const one = `query($id: String!) { issue(id: $id) {
      id team { id } state { type team { id } } comments { nodes { body } }
      sharedAccess { viewerHasOnlySharedAccess disallowedIssueFields }
    } }`;
    expect((await ask(one)).errors[0].message).toBe("Entity not found: Issue");

    await share("issueShare");

    expect((await ask(one)).data.issue).toEqual({
      id: issue.id,
      team: { id: secret },
      state: { type: "backlog", team: { id: secret } },
      comments: { nodes: [{ body: "Here" }] },
      sharedAccess: {
        viewerHasOnlySharedAccess: true,
        disallowedIssueFields: ["cycleId", "projectId", "projectMilestoneId", "teamId"],
      },
    });
    const update = `mutation($id: String!, $input: IssueUpdateInput!) {
      issueUpdate(id: $id, input: $input) { issue { title state { type } } }
    }`;
    const states = (await (await tracker.linear.team(secret)).states()).nodes;
    const started = states.find(({ type }) => type === "started")!;
    const input = { title: "Changed", stateId: started.id };
    expect((await ask(update, { input })).data.issueUpdate.issue).toEqual({
      title: "Changed",
      state: { type: "started" },
    });
    expect((await ask(update, { input: { teamId: ENG } })).errors[0].extensions.type).toBe(
      "forbidden",
    );
    const list = "{ issues(first: 250) { nodes { id state { name } team { key } } } }";
    expect((await ask(list)).data.issues.nodes.map(({ id }: any) => id)).toContain(issue.id);
    const team = await ask("query($team: String!) { team(id: $team) { id } }", { team: secret });
    expect(team.errors[0].message).toBe("Entity not found: Team");

    await tracker.linear.createComment({ issueId: issue.id, body: "@robin" });
    const { notifications } = await tracker.data(
      "{ notifications { nodes { type ... on IssueNotification { issueStatusType issue { id } team { id } } } } }",
      {},
      ROBIN,
    );
    expect(notifications.nodes[0]).toEqual({
      type: "issueCommentMention",
      issueStatusType: "started",
      issue: { id: issue.id },
      team: { id: secret },
    });

    await share("issueUnshare");
    expect((await ask(one)).errors[0].message).toBe("Entity not found: Issue");
  });

  test("finds no issue by one that is hidden", async () => {
    const hidden = await makeIssue({ title: "Hidden" }, secret);
    const child = await makeIssue({ title: "Child", parentId: hidden.id });
    const blocked = await makeIssue({ title: "Blocked" });
    await tracker.linear.createIssueRelation({
      issueId: hidden.id,
      relatedIssueId: blocked.id,
      type: "blocks" as never,
    });
    const found = async (filter: object, user: string) =>
      (
        await tracker.data(
          "query($filter: IssueFilter) { issues(filter: $filter) { nodes { title } } }",
          { filter: { title: { in: [child.title, blocked.title] }, ...filter } },
          user,
        )
      ).issues.nodes.map(({ title }: any) => title);

    for (const [filter, title] of [
      [{ parent: { title: { eq: "Hidden" } } }, "Child"],
      [{ parent: { null: false } }, "Child"],
      [{ hasBlockedByRelations: { eq: true } }, "Blocked"],
    ] as const) {
      expect([filter, await found(filter, JOHN)]).toEqual([filter, [title]]);
      expect([filter, await found(filter, ROBIN)]).toEqual([filter, []]);
    }
    expect(await found({ parent: { null: true } }, ROBIN)).toContain("Child");
    expect(await found({ parent: { null: true } }, JOHN)).not.toContain("Child");
  });

  test("cannot refer to its rows in an input", async () => {
    const hidden = await makeIssue({}, secret);
    const label = await tracker.linear.createIssueLabel({ name: "Covert", teamId: secret });
    const project = await tracker.linear.createProject({ name: "Covert", teamIds: [secret] });
    for (const [field, value] of [
      ["parentId", hidden.id],
      ["parentId", hidden.identifier],
      ["labelIds", [(await label.issueLabel)!.id]],
      ["projectId", (await project.project)!.id],
    ] as const) {
      const { errors } = await tracker.ask(
        "mutation($input: IssueCreateInput!) { issueCreate(input: $input) { success } }",
        { input: { title: "x", teamId: ENG, [field]: value } },
        ROBIN,
      );
      expect(errors[0].message).toBe(`Entity not found in validateAccess: ${field}`);
    }
  });

  test("no longer follows an issue that moves there, nor is its delegate", async () => {
    const issue = await makeIssue({ delegateId: ROBIN, subscriberIds: [ROBIN, JOHN] });

    await tracker.linear.updateIssue(issue.id, { teamId: secret });

    const moved = await tracker.linear.issue(issue.id);
    expect(moved.delegateId).toBeUndefined();
    expect(await followersOf(issue.id)).toEqual([JOHN]);
  });

  test("keeps following an issue that is shared with them when it moves there", async () => {
    const issue = await makeIssue({ assigneeId: ROBIN, subscriberIds: [ROBIN] });
    await tracker.data(
      "mutation($id: String!, $userId: String!) { issueShare(id: $id, userId: $userId) { success } }",
      { id: issue.id, userId: ROBIN },
    );

    await tracker.linear.updateIssue(issue.id, { teamId: secret });

    expect((await tracker.linear.issue(issue.id)).assigneeId).toBe(ROBIN);
    expect(await followersOf(issue.id)).toContain(ROBIN);
  });

  test("sees no other row that refers to it, its issues or its projects", async () => {
    const { linear } = tracker;
    const issue = await makeIssue({}, secret);
    const project = (await (
      await linear.createProject({ name: "Own", teamIds: [secret] })
    ).project)!;
    const roadmap = (await (await linear.createRoadmap({ name: "2026" })).roadmap)!;
    await linear.createRoadmapToProject({ roadmapId: roadmap.id, projectId: project.id });
    await linear.createTriageResponsibility({ teamId: secret, action: "notify" });
    const pipeline = (await (await linear.createReleasePipeline({ name: "App" })).releasePipeline)!;
    const input = { name: "One", pipelineId: pipeline.id };
    const release = (await (await linear.createRelease(input)).release)!;
    await linear.createIssueToRelease({ issueId: issue.id, releaseId: release.id });
    const QUERY = `{
      issueToReleases { nodes { issue { title } } }
      roadmapToProjects { nodes { project { name } } }
      triageResponsibilities { nodes { team { key } } }
    }`;

    expect(await tracker.data(QUERY)).toEqual({
      issueToReleases: { nodes: [{ issue: { title: "One" } }] },
      roadmapToProjects: { nodes: [{ project: { name: "Own" } }] },
      triageResponsibilities: { nodes: [{ team: { key: "SEC" } }] },
    });
    expect(await tracker.data(QUERY, {}, ROBIN)).toEqual({
      issueToReleases: { nodes: [] },
      roadmapToProjects: { nodes: [] },
      triageResponsibilities: { nodes: [] },
    });
  });
});
