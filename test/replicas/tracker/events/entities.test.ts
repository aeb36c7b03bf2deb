/** Events of entities: what they say, in the form of the official client's types. */
import { beforeAll, describe, expect, test } from "bun:test";
import { useSharedDatabase } from "../../../support/database";
import { AGENT, DES, ENG, JOHN, ROBIN, useTracker } from "../../../support/tracker";
import { BY_JOHN, kindsOf, observe, onlyOf } from "./observe";

const database = useSharedDatabase();
const tracker = useTracker(database);
let watch: Awaited<ReturnType<typeof observe>>;

beforeAll(async () => {
  watch = await observe(database, tracker);
});

const mutation = (name: string, input: object, fields: string, args = "") =>
  tracker.data(
    `mutation($input: ${name.charAt(0).toUpperCase()}${name.slice(1)}Input!${args && ", $id: String!"}) { ${name}(${args && "id: $id, "}input: $input) { ${fields} } }`,
    { input },
  );
const make = async (name: string, input: object, entity = name.replace(/Create$/, "")) =>
  (await mutation(name, input, `${entity} { id }`))[name][entity].id as string;
const change = (name: string, id: string, input: object) =>
  tracker.data(
    `mutation($id: String!, $input: ${name.charAt(0).toUpperCase()}${name.slice(1)}Input!) { ${name}(id: $id, input: $input) { success } }`,
    { id, input },
  );
const drop = (name: string, id: string) =>
  tracker.data(`mutation($id: String!) { ${name}(id: $id) { success } }`, { id });

describe("an issue", () => {
  test("is created, with its relations as children", async () => {
    let label = "";
    const before = await watch(async () => {
      label = await make("issueLabelCreate", { name: "Webhook", teamId: ENG });
    });
    const input = {
      ...{ teamId: ENG, title: "Ship it", description: "Now", priority: 1 },
      ...{ assigneeId: ROBIN, labelIds: [label], subscriberIds: [AGENT] },
    };
    const seen = await watch(() => make("issueCreate", input));

    expect(onlyOf(before, "IssueLabel create").data).toMatchObject({
      name: "Webhook",
      teamId: ENG,
    });
    const { payload, data } = onlyOf(seen, "Issue create");
    expect(payload).toMatchObject({ actor: BY_JOHN, organizationId: expect.any(String) });
    expect(payload.url).toBe(data.url);
    expect(data).toMatchObject({
      ...{ title: "Ship it", priorityLabel: "Urgent", labelIds: [label], botActor: null },
      team: { id: ENG, key: "ENG" },
      assignee: { id: ROBIN },
      state: { type: expect.any(String) },
      labels: [{ id: label, name: "Webhook" }],
      reactionData: [],
    });
    expect(data.subscriberIds).toEqual([AGENT, JOHN, ROBIN].toSorted());
    expect(JSON.parse(data.descriptionData)).toMatchObject({ type: "doc" });
    expect(data).not.toHaveProperty("dueDate");
  });

  test("is updated, with the earlier values of what has changed", async () => {
    const id = await make("issueCreate", { teamId: ENG, title: "One" });
    const label = await make("issueLabelCreate", { name: "Late" });
    await watch(async () => undefined);

    const seen = await watch(() => change("issueUpdate", id, { title: "Two", priority: 2 }));
    const labeled = await watch(() =>
      tracker.data(
        "mutation($id: String!, $labelId: String!) { issueAddLabel(id: $id, labelId: $labelId) { success } }",
        { id, labelId: label },
      ),
    );

    const { payload, data } = onlyOf(seen, "Issue update");
    expect(payload.updatedFrom).toMatchObject({
      ...{ title: "One", priority: 0, updatedAt: expect.any(String) },
    });
    expect(data).toMatchObject({ id, title: "Two", priority: 2 });
    const { payload: added } = onlyOf(labeled, "Issue update");
    expect(added).toMatchObject({ data: { labelIds: [label] }, updatedFrom: { labelIds: [] } });
  });

  test("is updated when it is archived or restored, and removed when it is trashed or deleted", async () => {
    const id = await make("issueCreate", { teamId: ENG, title: "Old" });
    await make("commentCreate", { issueId: id, body: "A comment" });
    await watch(async () => undefined);

    const archived = await watch(() => drop("issueArchive", id));
    const restored = await watch(() => drop("issueUnarchive", id));
    const trashed = await watch(() => drop("issueDelete", id));
    const back = await watch(() => drop("issueUnarchive", id));
    const gone = await watch(() =>
      tracker.data(
        "mutation($id: String!) { issueDelete(id: $id, permanentlyDelete: true) { success } }",
        { id },
      ),
    );

    expect(onlyOf(archived, "Issue update").payload.updatedFrom).toMatchObject({
      archivedAt: null,
    });
    expect(onlyOf(restored, "Issue update").data).not.toHaveProperty("archivedAt");
    expect(onlyOf(trashed, "Issue remove").data).toMatchObject({ id, trashed: true });
    expect(onlyOf(back, "Issue update").payload.updatedFrom).toMatchObject({ trashed: true });
    expect(kindsOf(gone)).toEqual(["Issue remove"]); // and not its comment
    expect(onlyOf(gone, "Issue remove").data).toMatchObject({ id, title: "Old" });
  });
});

test("comments and reactions name what they are on", async () => {
  const issueId = await make("issueCreate", { teamId: DES, title: "Talk" });
  await watch(async () => undefined);
  let [comment, reply] = ["", ""];
  const seen = await watch(async () => {
    comment = await make("commentCreate", { issueId, body: "First" });
    reply = await make("commentCreate", { parentId: comment, body: "Second" });
    await make("reactionCreate", { commentId: comment, emoji: "tada" });
    await change("commentUpdate", comment, { body: "First, edited" });
    await drop("commentDelete", reply);
  });

  const [first, second] = seen.filter(({ type }) => type === "Comment");
  expect(first?.data).toMatchObject({
    ...{ body: "First", issueId, user: { id: JOHN }, issue: { id: issueId, title: "Talk" } },
  });
  expect(first?.payload.url).toContain(`#comment-${comment.slice(0, 8)}`);
  expect(second?.data).toMatchObject({ parentId: comment, parent: { id: comment, body: "First" } });
  expect(onlyOf(seen, "Reaction create").data).toMatchObject({
    ...{ emoji: "tada", comment: { id: comment }, user: { id: JOHN } },
  });
  const edited = onlyOf(seen, "Comment update");
  expect(edited.payload.updatedFrom).toMatchObject({ body: "First", editedAt: null });
  expect(edited.data.reactionData).toMatchObject([{ emoji: "tada" }]);
  expect(onlyOf(seen, "Comment remove").data.id).toBe(reply);
});

test("projects, cycles, documents, initiatives and their updates have events", async () => {
  const seen = await watch(async () => {
    const project = await make("projectCreate", {
      name: "Move",
      teamIds: [ENG],
      memberIds: [ROBIN],
    });
    await change("projectUpdate", project, { teamIds: [ENG, DES], name: "Moving" });
    const label = await make("projectLabelCreate", { name: "Big" });
    await change("projectUpdate", project, { labelIds: [label] });
    await make("projectMilestoneCreate", { projectId: project, name: "Half" });
    const report = await make("projectUpdateCreate", { projectId: project, body: "Fine" });
    await make("reactionCreate", { projectUpdateId: report, emoji: "eyes" });
    const initiative = await make("initiativeCreate", { name: "Grow" });
    await make("initiativeToProjectCreate", { initiativeId: initiative, projectId: project });
    await change("initiativeUpdate", initiative, { name: "Grow more" });
    await make("initiativeUpdateCreate", { initiativeId: initiative, body: "Good" });
    await change("teamUpdate", ENG, { cyclesEnabled: true });
    const startsAt = new Date(Date.now() + 900 * 86_400_000).toISOString();
    const endsAt = new Date(Date.now() + 910 * 86_400_000).toISOString();
    const cycle = await make("cycleCreate", { teamId: ENG, startsAt, endsAt });
    await change("cycleUpdate", cycle, { name: "Sprint" });
    const document = await make("documentCreate", { title: "Plan", projectId: project });
    await change("documentUpdate", document, { title: "The plan" });
    await drop("documentDelete", document);
    await drop("projectDelete", project);
  });

  const updates = seen.filter(({ type, action }) => type === "Project" && action === "update");
  expect(onlyOf(seen, "Project create").data).toMatchObject({
    ...{ name: "Move", teamIds: [ENG], memberIds: [ROBIN], status: { name: expect.any(String) } },
  });
  expect(updates[0]?.payload.updatedFrom).toMatchObject({ name: "Move", teamIds: [ENG] });
  expect(updates[1]?.payload).toMatchObject({ updatedFrom: { labelIds: [] } });
  expect(onlyOf(seen, "ProjectUpdate create").data).toMatchObject({
    ...{ body: "Fine", health: "onTrack", project: { name: "Moving" } },
  });
  expect(onlyOf(seen, "Initiative update").data).toMatchObject({
    ...{ name: "Grow more", projects: [{ name: "Moving" }] },
  });
  expect(onlyOf(seen, "InitiativeUpdate create").data.initiative.name).toBe("Grow more");
  expect(onlyOf(seen, "Cycle update").payload.updatedFrom).toMatchObject({ name: null });
  expect(onlyOf(seen, "Document update").payload.updatedFrom).toMatchObject({ title: "Plan" });
  for (const kind of ["ProjectLabel create", "Document remove", "Project remove"])
    onlyOf(seen, kind);
});

test("an initiative below another has it as its parent, and the other has it among those below", async () => {
  const above = await make("initiativeCreate", { name: "Above" });
  const below = await make("initiativeCreate", { name: "Below" });
  const ends = { initiativeId: above, relatedInitiativeId: below };
  await make("initiativeRelationCreate", ends);
  const updated = (id: string) =>
    watch(() => change("initiativeUpdate", id, { description: "Changed" }));

  const { payload, ...changed } = onlyOf(await updated(below), "Initiative update");
  expect(payload.updatedFrom).toMatchObject({ description: null });
  expect(changed.data).toMatchObject({
    ...{ parentInitiative: { id: above }, parentInitiatives: [{ id: above }] },
    ...{ subInitiatives: [] },
  });
  const { data } = onlyOf(await updated(above), "Initiative update");
  expect(data).toMatchObject({ parentInitiatives: [], subInitiatives: [{ id: below }] });
  expect(data).not.toHaveProperty("parentInitiative");
});

test("customers, releases, attachments and people have events", async () => {
  const issueId = await make("issueCreate", { teamId: ENG, title: "Asked for" });
  const tier = { color: "#ff0000", displayName: "Gold", description: "Pays most" };
  const tierId = await make("customerTierCreate", tier, "tier");
  await watch(async () => undefined);
  const seen = await watch(async () => {
    const customer = await make("customerCreate", { name: "Acme", domains: ["acme.test"] });
    const url = "https://acme.test/ticket/1";
    const attachmentId = await make("attachmentCreate", { issueId, title: "Ticket", url });
    const need = { customerId: customer, issueId, attachmentId, body: "Please", priority: 1 };
    await make("customerNeedCreate", need, "need");
    await change("customerUpdate", customer, { revenue: 5, tierId });
    await make("initiativeLabelCreate", { name: "Wide" });
    const pipelineId = await make("releasePipelineCreate", { name: "App" });
    const releaseId = await make("releaseCreate", { name: "1.0", pipelineId });
    await make("issueToReleaseCreate", { issueId, releaseId });
    await change("releaseUpdate", releaseId, { name: "1.1" });
    const note = { pipelineId, releaseIds: [releaseId], content: "New", title: "Notes" };
    await make("releaseNoteCreate", note);
    await change("issueUpdate", issueId, { title: "Promised" });
    await change("userUpdate", ROBIN, { description: "Hello" });
  });

  expect(onlyOf(seen, "CustomerNeed create").data).toMatchObject({
    ...{ priority: 1, customer: { name: "Acme" }, issue: { id: issueId } },
    attachment: { title: "Ticket" },
  });
  expect(onlyOf(seen, "Customer update").payload).toMatchObject({
    data: { revenue: 5, approximateNeedCount: 1, tier },
    updatedFrom: { revenue: null },
  });
  expect(onlyOf(seen, "Release update").data).toMatchObject({
    ...{ name: "1.1", issues: [{ id: issueId }], pipeline: { name: "App" } },
  });
  expect(onlyOf(seen, "ReleaseNote create").data).toMatchObject({ title: "Notes" });
  expect(onlyOf(seen, "Issue update").data.releases).toMatchObject([{ name: "1.1" }]);
  expect(onlyOf(seen, "User update").payload.updatedFrom).toMatchObject({ description: null });
  for (const kind of ["Attachment create", "InitiativeLabel create"]) onlyOf(seen, kind);
});
