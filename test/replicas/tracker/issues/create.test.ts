import { describe, expect, test } from "bun:test";
import { InvalidInputLinearError } from "@linear/sdk";
import { useSharedDatabase } from "../../../support/database";
import { AGENT, DES, ENG, JOHN, ROBIN, refusal, useTracker } from "../../../support/tracker";

const tracker = useTracker(useSharedDatabase());

async function create(input: object = {}) {
  const payload = await tracker.linear.createIssue({ teamId: ENG, title: "A new issue", ...input });
  expect(payload.success).toBe(true);
  return (await payload.issue)!;
}

const stateNamed = async (name: string, team = ENG) => {
  const filter = { team: { id: { eq: team } }, name: { eq: name } };
  return (await tracker.linear.workflowStates({ filter })).nodes[0]!;
};

describe("issueCreate", () => {
  test("uses the next number of the team, and the team's default state", async () => {
    const first = await create();
    const second = await create({ title: "Fix the login page!" });

    expect(second.number).toBe(first.number + 1);
    expect(second.identifier).toBe(`ENG-${second.number}`);
    expect(second.url).toBe(
      `https://linear.app/acme/issue/${second.identifier}/fix-the-login-page`,
    );
    expect(second.branchName).toBe(`john/eng-${second.number}-fix-the-login-page`);
    expect((await second.state)?.type).toBe("backlog");
    expect((await second.creator)?.id).toBe(JOHN);
    expect(second.priorityLabel).toBe("No priority");
    expect(second.sortOrder).toBeLessThan(first.sortOrder);
    expect(second.createdAt.getTime()).toBe(second.updatedAt.getTime());
  });

  test("stores its input", async () => {
    const labels = await tracker.linear.issueLabels({ filter: { name: { eq: "Bug" } } });
    const parent = await create({ title: "Parent" });
    const state = await stateNamed("In Progress");
    const issue = await create({
      title: "Child",
      description: "Some **text**",
      priority: 2,
      estimate: 5,
      dueDate: "2026-12-24",
      assigneeId: ROBIN,
      stateId: state.id,
      labelIds: [labels.nodes[0]!.id],
      parentId: parent.identifier,
      subscriberIds: [AGENT],
    });

    expect(issue).toMatchObject({ description: "Some **text**", priority: 2, estimate: 5 });
    expect(issue.dueDate).toBe("2026-12-24");
    expect(issue.priorityLabel).toBe("High");
    expect(issue.startedAt).toBeInstanceOf(Date);
    expect((await issue.assignee)?.displayName).toBe("robin");
    expect((await issue.parent)?.id).toBe(parent.id);
    expect((await parent.children()).nodes.map(({ id }) => id)).toEqual([issue.id]);
    expect((await issue.labels()).nodes.map(({ name }) => name)).toEqual(["Bug"]);
    const subscribers = (await issue.subscribers()).nodes.map(({ id }) => id).toSorted();
    expect(subscribers).toEqual([AGENT, JOHN, ROBIN].toSorted());
  });

  test("notifies the assignee and mentioned users, but not the actor", async () => {
    const issue = await create({
      assigneeId: ROBIN,
      description: "ask @agent, and not a@john.test",
    });
    const typesOf = async (user: string) => {
      const { nodes } = await tracker.as(user).notifications();
      return nodes.filter((one) => (one as any).issueId === issue.id).map(({ type }) => type);
    };

    expect(await typesOf(ROBIN)).toEqual(["issueAssignedToYou"]);
    expect(await typesOf(AGENT)).toEqual(["issueMention"]);
    expect(await typesOf(JOHN)).toEqual([]);
  });

  test("accepts the id, and a time in the past, from the caller", async () => {
    const id = crypto.randomUUID();
    const issue = await create({ id, createdAt: new Date("2026-01-02T03:04:05.678Z") });

    expect(issue.id).toBe(id);
    expect(issue.createdAt.toISOString()).toBe("2026-01-02T03:04:05.678Z");
    expect((await refusal(create({ id }))).message).toMatch(/already exists/);
  });

  test("concurrent with others gives each a unique number", async () => {
    const before = await create();
    const issues = await Promise.all(Array.from({ length: 12 }, () => create()));
    const numbers = issues.map(({ number }) => number).toSorted((a, b) => a - b);

    expect(numbers).toEqual(Array.from({ length: 12 }, (_, index) => before.number + 1 + index));
  });

  test("fills in the fields of a template that the input omits", async () => {
    const { template } = await tracker
      .data(
        `mutation($input: TemplateCreateInput!) { templateCreate(input: $input) { template { id } } }`,
        {
          input: {
            type: "issue",
            name: "Bug report",
            templateData: JSON.stringify({ title: "Bug: …", priority: 1, estimate: 3 }),
          },
        },
      )
      .then(({ templateCreate }) => templateCreate);
    const issue = await create({ title: undefined, templateId: template.id, estimate: 8 });

    expect(issue).toMatchObject({ title: "Bug: …", priority: 1, estimate: 8 });
    expect((await issue.lastAppliedTemplate)?.id).toBe(template.id);
  });

  test.each([
    ["without a title", { title: " " }, /title should not be empty/],
    ["with a title that is too long", { title: "x".repeat(256) }, /title must be shorter/],
    ["with a team's key for its id", { teamId: "ENG" }, /teamId must be a UUID/],
    ["in a team that does not exist", { teamId: crypto.randomUUID() }, /validateAccess: teamId/],
    ["with a state of another team", { stateId: "DES" }, /^Discrepancy between/],
    ["with a priority beyond 4", { priority: 5 }, /priority must be from 0 to 4/],
    ["with a negative estimate", { estimate: -1 }, /estimate must not be less than 0/],
    ["for nobody", { assigneeId: crypto.randomUUID() }, /validateAccess: assigneeId/],
    ["below an issue that does not exist", { parentId: "ENG-999" }, /validateAccess: parentId/],
    ["in the future", { createdAt: new Date("2999-01-01") }, /must not be in the future/],
    ["with an invalid id", { id: "first" }, /id must be a UUID/],
  ])("rejects one %s", async (_case, input, message) => {
    const given = "stateId" in input ? { stateId: (await stateNamed("Todo", DES)).id } : input;
    const error = await refusal(create(given));

    expect(error).toBeInstanceOf(InvalidInputLinearError);
    expect(error.message).toMatch(message);
  });
});

describe("issueBatchCreate", () => {
  test("creates issues in the order of the list", async () => {
    const inputs = ["one", "two", "three"].map((title) => ({ teamId: ENG, title }));
    const payload = await tracker.linear.createIssueBatch({
      issues: [...inputs, { teamId: DES, title: "four" }],
    });
    const ids = payload.issues.map(({ id }) => id);
    const issues = await Promise.all(ids.map((id) => tracker.linear.issue(id)));

    expect(issues.map(({ title }) => title)).toEqual(["one", "two", "three", "four"]);
    const [one, two, three] = issues.map(({ number }) => number);
    expect([two! - one!, three! - two!]).toEqual([1, 1]);
  });

  test("creates none when one is invalid", async () => {
    const before = (await tracker.linear.issues({ first: 200 })).nodes.length;
    const bad = {
      issues: [
        { teamId: ENG, title: "good" },
        { teamId: ENG, title: "" },
      ],
    };

    expect(await refusal(tracker.linear.createIssueBatch(bad))).toBeInstanceOf(
      InvalidInputLinearError,
    );
    expect((await tracker.linear.issues({ first: 200 })).nodes.length).toBe(before);
  });

  test.each([[0], [51]])("refuses a list of %d", async (length) => {
    const issues = Array.from({ length }, () => ({ teamId: ENG, title: "x" }));

    expect((await refusal(tracker.linear.createIssueBatch({ issues }))).message).toMatch(
      /issues must contain/,
    );
  });
});
