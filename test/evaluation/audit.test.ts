/** The audit of a test: mutants of its solution, and those that a weak spec lets pass. */
import { describe, expect, test } from "bun:test";
import { auditTest, NOTHING, type Solution } from "~/evaluation/audit/audit";
import { createAuditor } from "~/evaluation/audit/auditor";
import { MUTANT_CLASSES, type MutantClass } from "~/evaluation/audit/mutant";
import { fold, type RowEvent, type Rows } from "~/evaluation/audit/rows";
import { createTemplateRows } from "~/evaluation/audit/template-rows";
import { alterations } from "~/evaluation/audit/texts";
import { unexplainedOf } from "~/evaluation/audit/unexplained";
import { compile } from "~/evaluation/compile";
import type { Spec } from "~/evaluation/spec";
import type { Vocabulary } from "~/evaluation/vocabulary";

const table = (name: string, key: string[], columns: { [name: string]: string }) => ({
  name,
  key,
  columns: Object.entries(columns).map(([column, type]) => ({ name: column, type })),
});
const VOCABULARY: Vocabulary = {
  tables: [
    table("channels", ["id"], { id: "text", name: "text" }),
    table("users", ["id"], { id: "text", name: "text" }),
    table("messages", ["channel_id", "ts"], {
      ...{ channel_id: "text", ts: "text", user_id: "text", text: "text" },
      ...{ pinned: "boolean", seen_at: "text" },
    }),
    table("notes", ["id"], { id: "text", title: "text", done: "boolean" }),
    table("history", ["id"], { id: "text" }),
    table("drafts", ["id"], { id: "text", body: "text" }),
  ],
  derived: { messages: ["seen_at"], history: ["id"] },
  calls: new Set(["post"]),
};
const KEYS = Object.fromEntries(VOCABULARY.tables.map(({ name, key = [] }) => [name, key]));

const TEMPLATE: Rows = {
  channels: [
    { id: "C-ENGINEERING", name: "engineering" },
    { id: "C-SUPPORT", name: "support desk" },
    { id: "C-ENGINEERS", name: "engineering leads" },
  ],
  users: [
    { id: "U-AGENT", name: "agent" },
    { id: "U-RIVERA", name: "Sam Rivera" },
    { id: "U-PATEL", name: "Sam Patel" },
  ],
  messages: [
    {
      ...{ channel_id: "C-SUPPORT", ts: "1770000000.000100", user_id: "U-PATEL" },
      ...{ text: "Is anybody there?", pinned: true, seen_at: "x" },
    },
  ],
  notes: [
    { id: "NOTE-ONE", title: "Water the plants", done: false },
    { id: "NOTE-TWO", title: "Water the garden", done: false },
    { id: "NOTE-DONE", title: "Call the bank", done: true },
  ],
  history: [],
  drafts: [],
};
const TEMPLATE_ROWS = createTemplateRows(TEMPLATE, KEYS, VOCABULARY);

const POSTED: RowEvent = {
  ...{ call: "1", operation: "insert", table: "messages", before: null },
  key: { channel_id: "C-ENGINEERING", ts: "1770000001.000100" },
  after: {
    ...{ channel_id: "C-ENGINEERING", ts: "1770000001.000100", user_id: "U-AGENT" },
    ...{ text: "The demo starts at noon", pinned: false, seen_at: "now" },
  },
};
const DONE: RowEvent = {
  ...{ call: "2", operation: "update", table: "notes", key: { id: "NOTE-ONE" } },
  ...{ before: { done: false }, after: { done: true } },
};
const LOGGED: RowEvent = {
  ...{ call: "2", operation: "insert", table: "history", key: { id: "HISTORY-1" } },
  ...{ before: null, after: { id: "HISTORY-1" } },
};

const solutionOf = (...events: RowEvent[]): Solution => ({
  ...NOTHING,
  rows: fold(events, KEYS, TEMPLATE),
  half: fold(
    events.filter(({ call }) => call === "1"),
    KEYS,
    TEMPLATE,
  ),
});
const SOLUTION = solutionOf(POSTED, DONE, LOGGED);

const MESSAGE = {
  channel_id: "C-ENGINEERING",
  user_id: "U-AGENT",
  text: "The demo starts at noon",
  pinned: false,
};
const posted = (where: object = MESSAGE, more: object = {}) => ({
  ...{ diff_type: "added", entity: "messages", where, expected_count: 1, ...more },
});
const done = (where: object = { id: "NOTE-ONE" }, more: object = {}) => ({
  ...{ diff_type: "changed", entity: "notes", where, expected_count: 1 },
  expected_changes: { done: { from: false, to: true } },
  ...more,
});
const specOf = (assertions: object[], more: object = {}) =>
  ({ closed_world: true, assertions, ...more }) as Spec;
const STRICT = specOf([posted(), done()]);

type Options = { solution?: Solution | null; accept?: { mutant: string; reason: string }[] };
const audit = (raw: Spec, { solution = SOLUTION, accept = [] }: Options = {}) =>
  auditTest({
    ...{ spec: compile(raw, VOCABULARY), raw, keys: KEYS, templateRows: TEMPLATE_ROWS },
    ...{ actor: "U-AGENT", solution, accept },
  });
const without = (column: keyof typeof MESSAGE) => {
  const { [column]: _, ...rest } = MESSAGE;
  return rest;
};

describe("a spec that states everything", () => {
  const found = audit(STRICT);

  test("kills every mutant", () => {
    expect(found.survivors).toEqual([]);
    expect(found).toMatchObject({ state: "audited", s1: 0, s2: 0, killed: found.mutants });
  });

  test("gets mutants of every class", () => {
    expect(found.classes.map((each) => each.class)).toEqual(MUTANT_CLASSES);
  });

  test("gets no damage in tables of the service itself", () => {
    const rows = fold([LOGGED], KEYS, TEMPLATE);

    // channels, users, messages, notes and drafts; no row of drafts can be changed or removed.
    const counts = Object.fromEntries(found.classes.map((each) => [each.class, each.mutants]));
    expect(rows.length).toBe(1);
    expect(counts).toMatchObject({ foreign_insert: 5, foreign_update: 4, foreign_delete: 4 });
  });
});

/** A weak spec, the classes that survive because of it, and what the proposal says. */
const WEAK: [string, Spec, { [name in MutantClass]?: string }][] = [
  [
    "no text",
    specOf([posted(without("text")), done()]),
    {
      altered: 'add "text": "The demo starts at noon" to where of assertion 1',
      emptied: 'add "text": "The demo starts at noon" to where of assertion 1',
      swapped: 'add "text": "The demo starts at noon" to where of assertion 1',
    },
  ],
  [
    "part of the text",
    specOf([posted({ ...MESSAGE, text: { contains: "demo starts" } }), done()]),
    { altered: 'assertion 1, "text": contains → eq, "The demo starts at noon"' },
  ],
  [
    "no channel",
    specOf([posted(without("channel_id")), done()]),
    { misplaced: 'add "channel_id": "C-ENGINEERING" to where of assertion 1' },
  ],
  [
    "no author",
    specOf([posted(without("user_id")), done()]),
    { wrong_actor: 'add "user_id": "U-AGENT" to where of assertion 1' },
  ],
  [
    "an unnamed column",
    specOf([posted(without("pinned")), done()]),
    { extra_column: 'add "pinned": false to where of assertion 1' },
  ],
  [
    "any number of messages",
    specOf([posted(MESSAGE, { expected_count: { min: 1 } }), done()]),
    {
      doubled:
        'assertion 1 counts it too: name more columns in its where, or add "expected_count": 1',
    },
  ],
  [
    "any note",
    specOf([posted(), done({})]),
    { other_row: 'add "id": "NOTE-ONE" to where of assertion 2' },
  ],
  [
    "not strict",
    specOf([posted(), done({ id: "NOTE-ONE" })], { strict: false }),
    { extra_column: "remove `strict: false`, and the column from what is ignored" },
  ],
  [
    "an open world",
    specOf([posted(), done()], { closed_world: false }),
    {
      foreign_insert: "add `closed_world: true`",
      foreign_update: "add `closed_world: true`",
      foreign_delete: "add `closed_world: true`",
      doubled: "",
    },
  ],
  [
    "one of two changes, in an open world",
    specOf([posted()], { closed_world: false }),
    {
      dropped: 'add an assertion on the changed row of notes with "id": "NOTE-ONE"',
      half: "add assertions on the later calls",
    },
  ],
];

describe("a weak spec is reported", () => {
  test.each(WEAK)("%s", (_what, raw, expected) => {
    const { survivors, state } = audit(raw);

    expect(state).toBe("audited");
    const proposals = new Map(survivors.map((each) => [each.class, each.proposal]));
    for (const [name, proposal] of Object.entries(expected))
      if (proposal !== "")
        expect([name, proposals.get(name as MutantClass)]).toEqual([name, proposal]);
    const isOpen = raw.closed_world === false;
    if (!isOpen)
      expect([...proposals.keys()].toSorted()).toEqual(Object.keys(expected).toSorted() as never);
  });

  test("with what was expected and what it got", () => {
    const [first] = audit(specOf([posted(without("channel_id")), done()])).survivors;

    expect(first).toEqual({
      mutant: "misplaced messages+1.channel_id 1",
      class: "misplaced",
      severity: "S1",
      change: 'channel_id of messages+1 is "C-ENGINEERS", another row of channels',
      expected: "not passed, less reward than the solution",
      ...{ passed: true, reward: 1, assertion: 1 },
      proposal: 'add "channel_id": "C-ENGINEERING" to where of assertion 1',
    });
  });

  test("that passes when nothing is done", () => {
    const { survivors } = audit(specOf([posted(MESSAGE, { expected_count: { max: 1 } })]), {
      solution: solutionOf(POSTED),
    });

    expect(survivors.map(({ mutant }) => mutant)).toContain("empty");
    expect(survivors[0]?.severity).toBe("S1");
  });
});

describe("what the author decides", () => {
  test("rows that are allowed are neither dropped nor changed", () => {
    const allow = [{ entity: "notes", diff_type: "changed" }];
    const { survivors, classes } = audit(specOf([posted()], { allow }));

    expect(survivors).toEqual([]);
    expect(classes.find((each) => each.class === "dropped")?.mutants).toBe(1);
    expect(classes.find((each) => each.class === "foreign_update")?.mutants).toBe(3);
  });

  test("so are rows of an assertion that needs none", () => {
    const { survivors } = audit(specOf([posted(), done({}, { expected_count: { min: 0 } })]));

    expect(survivors).toEqual([]);
  });

  test("a harm takes what it says from the reward", () => {
    const harm = { diff_type: "removed", entity: "notes", weight: -0.5 };

    expect(audit(specOf([posted(), done(), harm])).survivors).toEqual([]);
  });

  test("a mutant is accepted by its name, or by a part of it", () => {
    const weak = specOf([posted(without("text")), done()]);
    const accept = [
      { mutant: "altered messages+1.text *", reason: "any" },
      { mutant: "emptied messages+1.text", reason: "any" },
      { mutant: "swapped messages+1.tex", reason: "not its name" },
    ];
    const { survivors, accepted, stale } = audit(weak, { accept });

    expect(survivors.map(({ mutant }) => mutant)).toEqual(["swapped messages+1.text"]);
    expect(accepted).toBe(3);
    expect(stale).toEqual(["swapped messages+1.tex"]);
  });
});

test.each([
  ["altered *", 2],
  ["*", 4],
  ["*.text", 2],
  ["*messages+1.text*", 4],
  ["altered messages+1.text 1*1", 0],
  ["*a*b*", 0],
  ["*".repeat(300), 4],
  [`${"*a".repeat(100)}*`, 0],
  ["", 0],
])("%p accepts %d of four survivors", (mutant, count) => {
  const weak = specOf([posted(without("text")), done()]);

  expect(audit(weak, { accept: [{ mutant, reason: "any" }] }).accepted).toBe(count);
});

test("an audit whose time is up answers nothing more", async () => {
  const auditor = createAuditor(0.001);
  const job = { kind: "template", vocabulary: VOCABULARY, keys: KEYS, rows: TEMPLATE } as const;

  expect(await auditor.perform(job)).toBeUndefined();
  expect(auditor.isOver()).toBe(true);
  expect(await auditor.perform(job)).toBeUndefined();
});

test("a thread gives the same answers", async () => {
  const auditor = createAuditor(20);
  const begun = { kind: "template", vocabulary: VOCABULARY, keys: KEYS, rows: TEMPLATE } as const;
  const job = { kind: "test", actor: "U-AGENT", accept: [], shownMax: 50 } as const;
  const solution = { events: [POSTED, DONE, LOGGED] };

  expect(await auditor.perform(begun)).toBeNull();
  const answers = [STRICT, specOf([posted(without("text")), done()]), { assertion: [] }].map(
    (spec) => auditor.perform({ ...job, expected: JSON.stringify(spec), solution }),
  );
  const [strict, weak, invalid] = [await answers[0], await answers[1], await answers[2]];
  auditor.end();

  expect(strict).toEqual(audit(STRICT));
  expect(weak).toEqual(audit(specOf([posted(without("text")), done()])));
  expect(invalid).toEqual({ invalid: expect.stringContaining("assertion") });
});

test("an audit does not depend on the order of the template's rows", () => {
  const reversed = Object.fromEntries(
    Object.entries(TEMPLATE).map(([name, rows]) => [name, rows.toReversed()]),
  );
  const weak = specOf([posted(without("channel_id")), done({ done: false })]);
  const found = (rows: Rows) =>
    auditTest({
      ...{ spec: compile(weak, VOCABULARY), raw: weak, keys: KEYS, actor: "U-AGENT", accept: [] },
      templateRows: createTemplateRows(rows, KEYS, VOCABULARY),
      solution: SOLUTION,
    });

  expect(found(reversed)).toEqual(found(TEMPLATE));
  for (const rows of [TEMPLATE, reversed]) {
    const { similar } = createTemplateRows(rows, KEYS, VOCABULARY);
    expect(similar("users", { id: "U-NEW", name: "Sam" }).map(({ id }) => id)).toEqual([
      ...["U-PATEL", "U-RIVERA", "U-AGENT"],
    ]);
  }
});

describe("without a solution", () => {
  test("only what needs none is tried", () => {
    const { state, classes, survivors } = audit(STRICT, { solution: null });

    expect(state).toBe("no_solution");
    expect(survivors).toEqual([]);
    expect(classes.map((each) => each.class)).toEqual([
      ...["empty", "foreign_insert", "foreign_update", "foreign_delete"],
    ] as never);
  });

  test("a test that expects nothing needs none", () => {
    const raw = { expects: "nothing", assertions: [] } as Spec;
    const { state, survivors, mutants, classes } = audit(raw, { solution: null });

    expect([state, survivors]).toEqual(["audited", []]);
    expect(mutants).toBeGreaterThan(10);
    expect(classes.some((each) => each.class === "empty")).toBe(false);
  });

  test("one that does not pass is reported with its failures", () => {
    const { state, failures, mutants } = audit(STRICT, { solution: solutionOf(POSTED) });

    expect([state, mutants]).toEqual(["solution_fails", 0]);
    expect(failures).toEqual(["assertion#2 notes expected count 1 but got 0"]);
  });
});

test.each([
  ["The demo starts at noon", ["other demo starts at noon", "The demo starts at other"]],
  ["41", ["42"]],
  ["2026-02-20", ["2027-02-20", "2026-02-21"]],
  ["Other", ["another"]],
  ["…", ["… other"]],
])("words of %p are changed", (text, expected) => {
  expect(alterations(text)).toEqual(expected);
});

test("two new rows of a table have each other's texts, which a spec without them does not notice", () => {
  const place = { channel_id: "C-SUPPORT", ts: "1770000002.000100" };
  const text = "Bring the slides";
  const second: RowEvent = { ...POSTED, key: place, after: { ...POSTED.after, ...place, text } };
  const solution = solutionOf(POSTED, second, DONE, LOGGED);
  const exchanged = (...assertions: object[]) =>
    audit(specOf([...assertions, done()]), { solution })
      .survivors.map(({ change }) => change)
      .filter((change) => change.includes("have each other's"));

  const { text: _, channel_id: __, ...others } = MESSAGE;
  expect(exchanged(posted(), posted({ ...MESSAGE, channel_id: "C-SUPPORT", text }))).toEqual([]);
  expect(exchanged(posted(others, { expected_count: 2 }))).toEqual([
    "messages+1 and messages+2 have each other's text",
  ]);
});

test("unexplained changes are grouped, those of every run first", () => {
  const row = (name: string, id: string) => ({
    ...{ table: name, change: "added" as const, key: { id }, event: null, request: null },
  });
  const unsafe = (...rows: ReturnType<typeof row>[]) => ({ count: rows.length, rows });
  const found = unexplainedOf([
    { runId: "one", unsafe: unsafe(row("drafts", "a"), row("notes", "b"), row("notes", "c")) },
    { runId: "two", unsafe: unsafe(row("drafts", "d")) },
  ]);

  expect(found).toEqual([
    {
      ...{ change: "added", table: "drafts", runs: 2, rows: 2, inEvery: true },
      examples: [
        { runId: "one", key: { id: "a" } },
        { runId: "two", key: { id: "d" } },
      ],
    },
    {
      ...{ change: "added", table: "notes", runs: 1, rows: 2, inEvery: false },
      examples: [{ runId: "one", key: { id: "b" } }],
    },
  ]);
});
