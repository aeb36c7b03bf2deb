/** The tracker through @linear/sdk: `node linear-sdk.mjs PACKAGE`. Prints the number of calls. */
import assert from "node:assert/strict";

const sdk = await import(process.argv[2]);
const { LinearClient, InvalidInputLinearError } = sdk.default ?? sdk;
let calls = 0;
const linear = new LinearClient({
  apiKey: process.env.TOKEN,
  apiUrl: `${process.env.URL}/graphql`,
});
const ask = async (work) => {
  calls++;
  return await work;
};

const viewer = await ask(linear.viewer);
assert.ok(viewer.id);
const teams = await ask(linear.teams());
const team = teams.nodes.find(({ key }) => key === "ENG");
const states = (await ask(team.states())).nodes;
const stateOf = (type) => states.find((state) => state.type === type).id;
const issues = [];
for (let n = 0; n < 5; n++) {
  const { success, issue } = await ask(linear.createIssue({ teamId: team.id, title: `SDK ${n}` }));
  assert.equal(success, true);
  issues.push(await ask(issue));
}
assert.deepEqual(
  issues.map(({ title }) => title),
  ["SDK 0", "SDK 1", "SDK 2", "SDK 3", "SDK 4"],
);
const input = { title: "Renamed", priority: 1, stateId: stateOf("started"), assigneeId: viewer.id };
const renamed = await ask((await ask(linear.updateIssue(issues[0].id, input))).issue);
assert.deepEqual([renamed.title, renamed.priority], ["Renamed", 1]);
assert.equal((await ask(renamed.state)).type, "started");
assert.equal((await ask(renamed.assignee)).id, viewer.id);
for (const body of ["One", "Two", "Three"])
  assert.ok((await ask(linear.createComment({ issueId: issues[0].id, body }))).success);
const comments = (await ask(renamed.comments())).nodes;
assert.deepEqual(comments.map(({ body }) => body).toSorted(), ["One", "Three", "Two"]);
const label = await ask(
  (
    await ask(
      linear.createIssueLabel({
        name: `sdk-${process.argv[2].replace(/\W/g, "")}`,
        teamId: team.id,
      }),
    )
  ).issueLabel,
);
await ask(linear.updateIssue(issues[1].id, { labelIds: [label.id] }));
const labelled = await ask(linear.issues({ filter: { labels: { id: { eq: label.id } } } }));
assert.deepEqual(
  labelled.nodes.map(({ id }) => id),
  [issues[1].id],
);
let page = await ask(linear.issues({ first: 2 }));
const first = page.nodes.map(({ id }) => id);
page = await ask(page.fetchNext());
assert.ok(page.nodes.length > first.length);
await ask(
  linear.createIssueRelation({
    issueId: issues[0].id,
    relatedIssueId: issues[1].id,
    type: "related",
  }),
);
const relation = (await ask(renamed.relations())).nodes[0];
assert.equal((await ask(relation.relatedIssue)).id, issues[1].id);
const project = await ask(
  (await ask(linear.createProject({ name: "SDK", teamIds: [team.id] }))).project,
);
assert.equal(project.name, "SDK");
await ask(linear.archiveIssue(issues[4].id));
const left = (await ask(linear.issues())).nodes.map(({ id }) => id);
assert.ok(!left.includes(issues[4].id) && left.includes(issues[3].id));
await assert.rejects(ask(linear.issue("ENG-99999")), InvalidInputLinearError);
await assert.rejects(
  ask(linear.updateIssue(issues[0].id, { stateId: "00000000-0000-4000-8000-000000000000" })),
  /validateAccess: stateId/,
);
const users = (await ask(linear.users())).nodes;
assert.ok(users.some(({ id }) => id === viewer.id));
assert.ok((await ask(linear.organization)).urlKey);
assert.ok((await ask(linear.workflowStates())).nodes.length >= states.length);
console.log(calls);
