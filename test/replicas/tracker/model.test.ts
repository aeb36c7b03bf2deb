/** Random sequences of calls give the answers, and leave the rows, of a small model. `MODEL_RUNS=200` plays more. */
import { expect, test } from "bun:test";
import fc from "fast-check";
import { useSharedDatabase } from "../../support/database";
import { useProgram } from "../../support/program";
import { pick, playSequences } from "../../support/sequences";
import { AGENT, DES, ENG, JOHN, openTracker, ROBIN, type Tracker } from "../../support/tracker";
import { TrackerModel } from "./model";

const database = useSharedDatabase();
const program = useProgram(database);

const NOBODY = "00000000-0000-4000-8000-000000000000";
const SOON = "2037-01-01T00:00:00.000Z";

/** The rule of the model that an answer names. */
const RULES: readonly (readonly [rule: string, message: RegExp])[] = [
  ["missing", /^Entity not found/],
  ["duplicate state", /duplicate state/],
  ["state of another team", /^Discrepancy/],
  ["both lists of labels", /cannot be combined/],
  ["label of another team", /for incorrect team/],
  ["retired label", /is retired/],
  ["labels of one group", /one label per issue/],
  ["label group", /^The label group/],
  ["own ancestor", /sub-issue of itself/],
  ["admins only", /not allowed to take action/],
  ["group in a group", /cannot be in another group/],
  ["no group", /must be a label group/],
  ["group of another team", /must belong to the same team/],
  ["name taken", /duplicate label name/],
  ["label in use", /that issues have/],
  ["group with labels", /with labels in it/],
  ["one issue", /cannot have the same value as issueId/],
  ["related already", /already have this relation/],
];

const number = fc.nat({ max: 1_000 });
/** A value of the input: a number chooses from what there is. */
const issue = number.map((at) => ({ issue: at }));
const label = number.map((at) => ({ label: at }));
const relation = number.map((at) => ({ relation: at }));
const state = number.map((at) => ({ state: at }));
const labels = fc.array(label, { maxLength: 3 });
const title = fc.constant("An issue");
const team = fc.constantFrom(ENG, ENG, DES);
const type = fc.constantFrom("blocks", "duplicate", "related", "similar");
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
type Step = { readonly name: string; readonly actor: string; readonly args: object };
const verb = (weight: number, name: string, args: Record<string, fc.Arbitrary<unknown>>) => ({
  weight,
  arbitrary: fc.record({
    name: fc.constant(name),
    actor: fc.constantFrom(JOHN, JOHN, ROBIN, AGENT),
    args: fc.record(args),
  }) as fc.Arbitrary<Step>,
});
const input = (fields: Record<string, fc.Arbitrary<unknown>>) => ({ input: fc.record(fields) });
const update = (weight: number, fields: Record<string, fc.Arbitrary<unknown>>) =>
  verb(weight, "issueUpdate", { id: issue, ...input(fields) });

const steps = fc.oneof(
  verb(
    3,
    "issueCreate",
    input({ title, teamId: team, parentId: maybe(issue), labelIds: maybe(labels) }),
  ),
  verb(1, "issueCreate", input({ title, teamId: team, stateId: state })),
  update(4, { stateId: state }),
  update(4, { labelIds: labels }),
  update(4, { addedLabelIds: labels, removedLabelIds: maybe(labels) }),
  update(1, { labelIds: labels, addedLabelIds: maybe(labels) }),
  update(3, { parentId: fc.option(issue) }),
  update(3, {
    snoozedUntilAt: fc.constantFrom(SOON, SOON, null),
    snoozedById: maybe(fc.constantFrom(ROBIN, AGENT)),
  }),
  update(3, { trashed: fc.constantFrom(true, true, false, null) }),
  verb(4, "issueAddLabel", { id: issue, labelId: label }),
  verb(3, "issueRemoveLabel", { id: issue, labelId: label }),
  verb(3, "issueArchive", { id: issue, trash: fc.constantFrom(false, false, true) }),
  verb(5, "issueUnarchive", { id: issue }),
  verb(3, "issueDelete", { id: issue, permanentlyDelete: fc.constantFrom(false, false, true) }),
  verb(
    4,
    "issueLabelCreate",
    input({
      name: fc.constantFrom("red", "Red", "blue", "green", "pink", "grey"),
      teamId: maybe(team),
      parentId: maybe(label),
      isGroup: maybe(fc.boolean()),
    }),
  ),
  verb(4, "issueLabelUpdate", {
    id: label,
    ...input({
      name: maybe(fc.constantFrom("blue", "violet", "brown", "white")),
      parentId: maybe(fc.option(label)),
      isGroup: maybe(fc.boolean()),
    }),
  }),
  verb(1, "issueLabelDelete", { id: label }),
  verb(3, "issueLabelRetire", { id: label }),
  verb(2, "issueLabelRestore", { id: label }),
  verb(5, "issueRelationCreate", input({ issueId: issue, relatedIssueId: issue, type })),
  verb(3, "issueRelationUpdate", {
    id: relation,
    ...input({ relatedIssueId: maybe(issue), type: maybe(type) }),
  }),
  verb(2, "issueRelationDelete", { id: relation }),
);

/** The arguments of a step, for what there is. Undefined fields are left out. */
function resolved(model: TrackerModel, value: any): any {
  const one = (list: readonly { readonly id: string }[], at: number) =>
    // One in many does not exist. Groups are few, and many calls are about them.
    pick([...list, ...list, ...list, { id: NOBODY }], at).id;
  if (Array.isArray(value)) return value.map((item) => resolved(model, item));
  if (typeof value !== "object" || value === null) return value;
  if ("issue" in value) return one(model.issues, value.issue);
  if ("state" in value) return pick(model.states, value.state).id;
  if ("relation" in value) return one(model.relations, value.relation);
  if ("label" in value)
    return one([...model.labels, ...model.labels.filter(({ isGroup }) => isGroup)], value.label);
  const fields = Object.entries(value).filter(([, field]) => field !== undefined);
  return Object.fromEntries(fields.map(([name, field]) => [name, resolved(model, field)]));
}

/** The payload's part that has the id of a new row. */
const MADE: Readonly<Record<string, string>> = {
  issueCreate: "issue",
  issueLabelCreate: "issueLabel",
  issueRelationCreate: "issueRelation",
};
const TYPES: Readonly<Record<string, string>> = {
  ...{ id: "String!", labelId: "String!", trash: "Boolean", permanentlyDelete: "Boolean" },
};

async function perform(tracker: Tracker, { name, actor }: Step, args: object) {
  const inputType = `${name.charAt(0).toUpperCase()}${name.slice(1)}Input!`;
  const names = Object.keys(args);
  const declared = names.map((one) => `$${one}: ${TYPES[one] ?? inputType}`).join(", ");
  const given = names.map((one) => `${one}: $${one}`).join(", ");
  const selected = name in MADE ? `${MADE[name]} { id }` : "success";
  const document = `mutation(${declared}) { ${name}(${given}) { ${selected} } }`;
  const { data, errors } = await tracker.ask(document, args, actor);
  if (!errors) return { told: "ok", id: data[name][MADE[name] ?? ""]?.id as string };
  const message = `${errors[0].message} ${errors[0].extensions.userPresentableMessage}`;
  return { told: RULES.find(([, pattern]) => pattern.test(message))?.[0] ?? message, id: "" };
}

async function modelOf({ schema }: Tracker): Promise<TrackerModel> {
  const rows = async (query: string) => (await database.sql.unsafe<any[]>(query)) as any[];
  const { teams, states, issues, labels } = {
    teams: await rows(`select id, "defaultIssueStateId" from ${schema}.teams`),
    states: await rows(
      `select id, "teamId" as team, type from ${schema}.workflow_states order by "teamId", position, id`,
    ),
    issues: await rows(`
      select i.*, array(select "labelId" from ${schema}.issue_label_assignments where "issueId" = i.id) as labels
      from ${schema}.issues i order by identifier
    `),
    labels: await rows(`select id, name, "teamId" as team from ${schema}.issue_labels order by id`),
  };
  return new TrackerModel({
    admin: JOHN,
    teams: teams.map(({ id, defaultIssueStateId }) => ({ id, firstState: defaultIssueStateId })),
    states: states.map(({ id, team, type }) => ({ id, team, type })),
    issues: issues.map((row) => ({
      ...{ id: row.id, team: row.teamId, state: row.stateId, labels: row.labels, parent: null },
      ...{ archived: null, isTrashed: false, snoozed: null, snoozedBy: null },
      isStarted: row.startedAt !== null,
      isCompleted: row.completedAt !== null,
      isCanceled: row.canceledAt !== null,
    })),
    labels: labels.map((row) => ({ ...row, group: null, isGroup: false, isRetired: false })),
  });
}

/** Compared with the model's at the end. */
async function rowsIn({ schema }: Tracker) {
  const list = async (columns: string, table: string) =>
    (await database.sql.unsafe(`select ${columns} from ${schema}.${table}`)).map((row) =>
      Object.values(row).join(" | "),
    );
  const times = ["started", "completed", "canceled"].map(
    (name) => `"${name}At" is not null as ${name}`,
  );
  return {
    issues: await list(
      `id, "stateId", "parentId", "archivedAt" is not null as archived, coalesce(trashed, false) as trashed,
        "snoozedUntilAt" is not null as snoozed, "snoozedById", ${times.join(", ")}`,
      "issues",
    ),
    labelled: await list(`"issueId", "labelId"`, "issue_label_assignments"),
    labels: await list(
      `id, name, "teamId", "parentId", "isGroup", "retiredAt" is not null as retired`,
      "issue_labels",
    ),
    relations: await list(`id, "issueId", "relatedIssueId", type`, "issue_relations"),
  };
}

function rowsOf(model: TrackerModel): Awaited<ReturnType<typeof rowsIn>> {
  const line = (...values: unknown[]) => values.join(" | ");
  return {
    issues: model.issues.map((i) =>
      line(
        ...[i.id, i.state, i.parent, i.archived !== null, i.isTrashed],
        ...[i.snoozed !== null, i.snoozedBy, i.isStarted, i.isCompleted, i.isCanceled],
      ),
    ),
    labelled: model.issues.flatMap(({ id, labels }) => labels.map((one) => line(id, one))),
    labels: model.labels.map((l) => line(l.id, l.name, l.team, l.group, l.isGroup, l.isRetired)),
    relations: model.relations.map((r) => line(r.id, r.from, r.to, r.type)),
  };
}

const sorted = <T extends Record<string, string[]>>(rows: T) =>
  Object.fromEntries(Object.entries(rows).map(([name, lines]) => [name, lines.toSorted()]));

test("a sequence of calls has the answers and the rows of the model", async () => {
  const seen = new Set<string>();

  await playSequences(steps, async (sequence) => {
    const tracker = await openTracker(program);
    const model = await modelOf(tracker);
    const log: string[] = [];
    try {
      for (const step of sequence) {
        const args = resolved(model, step.args);
        const { told, id } = await perform(tracker, step, args);
        log.push(`${step.name} ${JSON.stringify(args)}: ${told}`);
        seen.add(`${step.name} ${told}`);
        const outcome = model.call(step.name, step.actor, args);
        expect(told).toBe(typeof outcome === "string" ? outcome : "ok");
        if (typeof outcome !== "string") outcome.done(id);
      }
      expect(sorted(await rowsIn(tracker))).toEqual(sorted(rowsOf(model)));
    } catch (error) {
      throw new Error(`${log.join("\n")}\n${String(error)}`, { cause: error });
    }
  });

  // Enough of the rules were reached.
  expect(seen.size).toBeGreaterThan(50);
}, 600_000);
