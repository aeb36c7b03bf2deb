/** The workspace of tracker_expanded, as an agent sees it: nothing in it contradicts its dates. */
import { beforeAll, expect, test } from "bun:test";
import { useSharedDatabase } from "../../support/database";
import { AGENT, useTracker } from "../../support/tracker";

const tracker = useTracker(useSharedDatabase(), "tracker_expanded");
const NOW = "2026-02-13T09:00:00.000Z";

type Span = { state: { name: string; type: string }; startedAt: string; endedAt: string | null };
type Dated = { createdAt: string };
type Issue = Dated & {
  identifier: string;
  description: string | null;
  startedAt: string | null;
  completedAt: string | null;
  canceledAt: string | null;
  state: { name: string };
  creator: Dated;
  stateHistory: { nodes: Span[] };
  history: { nodes: (Dated & { actor: Dated; fromState: object; toState: { name: string } })[] };
  comments: { nodes: (Dated & { user: Dated })[] };
};

let issues: Issue[];
beforeAll(async () => {
  const page = async (after: string | null) =>
    (
      await tracker.data(
        `query ($after: String) { issues(first: 20, after: $after, includeArchived: true) {
          pageInfo { hasNextPage endCursor }
          nodes {
            identifier description createdAt startedAt completedAt canceledAt
            state { name } creator { createdAt }
            stateHistory { nodes { state { name type } startedAt endedAt } }
            history { nodes { createdAt actor { createdAt } fromState { name } toState { name } } }
            comments { nodes { createdAt user { createdAt } } }
          }
        } }`,
        { after },
      )
    ).issues;
  issues = [];
  for (let after: string | null = null; ; ) {
    const { nodes, pageInfo } = await page(after);
    issues.push(...nodes);
    if (!pageInfo.hasNextPage) break;
    after = pageInfo.endCursor;
  }
});

test("an issue was in each state at the times that it names", () => {
  expect(issues).toHaveLength(68);
  for (const issue of issues) {
    const { identifier, stateHistory, history, createdAt } = issue;
    const spans = stateHistory.nodes.toSorted((a, b) => a.startedAt.localeCompare(b.startedAt));
    const began = (type: RegExp) => spans.find(({ state }) => type.test(state.type))?.startedAt;

    expect([identifier, spans[0]!.startedAt]).toEqual([identifier, createdAt]);
    expect([identifier, spans.at(-1)!.state.name]).toEqual([identifier, issue.state.name]);
    expect(spans.map(({ endedAt }) => endedAt)).toEqual([
      ...spans.slice(1).map(({ startedAt }) => startedAt),
      null,
    ]);
    expect([identifier, began(/^started$/) ?? null]).toEqual([identifier, issue.startedAt]);
    expect([identifier, began(/^completed$/) ?? null]).toEqual([identifier, issue.completedAt]);
    expect([identifier, began(/^canceled|^duplicate/) ?? null]).toEqual([
      identifier,
      issue.canceledAt,
    ]);
    expect(history.nodes).toHaveLength(spans.length - 1);
  }
});

test("an issue in review was in progress before", () => {
  const spans = issues.find(({ identifier }) => identifier === "ENG-2")!.stateHistory.nodes;

  expect(
    spans
      .toSorted((a, b) => a.startedAt.localeCompare(b.startedAt))
      .map(({ state, startedAt }) => [state.name, startedAt]),
  ).toEqual([
    ["Backlog", "2026-01-27T10:02:00.000Z"],
    ["In Progress", "2026-02-03T09:20:00.000Z"],
    ["In Review", "2026-02-09T13:12:00.000Z"],
  ]);
});

test("every issue says what it is about", () => {
  for (const { identifier, description } of issues)
    expect([identifier, (description ?? "").length > 30]).toEqual([identifier, true]);
});

test("nobody acts before they have an account", async () => {
  const acts = issues.flatMap(({ createdAt, creator, history, comments }) => [
    { at: createdAt, by: creator },
    ...history.nodes.map((change) => ({ at: change.createdAt, by: change.actor })),
    ...comments.nodes.map((comment) => ({ at: comment.createdAt, by: comment.user })),
  ]);
  for (const { at, by } of acts) expect(by.createdAt <= at && at <= NOW).toBe(true);

  const { teamMemberships } = await tracker.data(
    "{ teamMemberships(first: 50) { nodes { createdAt user { createdAt } } } }",
  );
  expect(teamMemberships.nodes.length).toBeGreaterThan(10);
  for (const { createdAt, user } of teamMemberships.nodes)
    expect(user.createdAt <= createdAt).toBe(true);
});

test("people joined one after the other, in their time zones, and were seen lately", async () => {
  const { users, teams } = await tracker.data(
    `{ users(first: 50, includeDisabled: true) { nodes { displayName app active createdAt timezone avatarUrl lastSeen } }
       teams { nodes { timezone } } }`,
  );
  const people = users.nodes.filter(({ app }: { app: boolean }) => !app);

  expect(people).toHaveLength(15);
  expect(
    new Set(people.map(({ createdAt }: Dated) => createdAt.slice(0, 13))).size,
  ).toBeGreaterThan(10);
  for (const { active, timezone, avatarUrl, lastSeen, createdAt } of people) {
    expect(timezone).toMatch(/^[A-Z]\w+\/\w+$/);
    expect(avatarUrl).toStartWith("https://files.kestrel.test/avatars/");
    expect(createdAt < lastSeen && lastSeen <= NOW).toBe(true);
    expect(lastSeen > "2026-02-11").toBe(active);
  }
  expect(teams.nodes).toEqual([{ timezone: "Europe/London" }, { timezone: "Europe/London" }]);
});

test("the agent has notifications about what it follows", async () => {
  const { notifications, user } = await tracker.data(
    `{ notifications { nodes { type readAt actor { displayName }
         ... on IssueNotification { issue { identifier subscribers { nodes { id } } } comment { body } }
         ... on ProjectNotification { project { name } projectUpdate { health } } } }
       user(id: "${AGENT}") { displayName } }`,
    {},
    AGENT,
  );

  expect(user.displayName).toBe("agent");
  expect(notifications.nodes.map(({ type, readAt }: any) => [type, readAt !== null])).toEqual([
    ["issueNewComment", false],
    ["projectUpdateCreated", false],
    ["issueNewComment", true],
  ]);
  for (const { type, issue, comment, project, projectUpdate } of notifications.nodes)
    if (type === "issueNewComment") {
      expect(issue.subscribers.nodes.map(({ id }: { id: string }) => id)).toContain(AGENT);
      expect(comment.body.length).toBeGreaterThan(10);
    } else expect([project.name, projectUpdate.health]).toEqual(["Customer onboarding", "atRisk"]);
});
