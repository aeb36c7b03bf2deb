/** Changes by the agent, the clock and counterparts to the same row are told apart, alike in the log and in snapshots. */
import { expect, test } from "bun:test";
import fc from "fast-check";
import type { Actor } from "~/capture/actor";
import type { Change, TableShape } from "~/capture/change";
import type { Diff } from "~/capture/fold";
import { createFolds, type Folds, foldsOfRow } from "~/capture/folds";

type Row = readonly string[] | undefined;
type Step = readonly [actor: "agent" | Actor, before: Row, after: Row];

const COLUMNS = ["id", "title", "cycle"];
const TYPES = ["text", "text", "text"];

const copied = (row: Row) => row && [...row];

function changeOf(table: TableShape, [, before, after]: Step): Change {
  const [old, now] = [copied(before), copied(after)];
  if (old && now) return { op: "update", table, before: old, after: now };
  if (old) return { op: "delete", table, before: old };
  if (now) return { op: "insert", table, after: now };
  throw new Error("a step changes nothing");
}

function drained(folds: Folds) {
  const of = (fold: Folds["agent"] | undefined) => {
    const diff: Diff = { inserts: [], updates: [], deletes: [] };
    fold?.drain(diff);
    return diff;
  };
  return {
    agent: of(folds.agent),
    clock: of(folds.others.get("clock")),
    counterpart: of(folds.others.get("counterpart")),
  };
}

const other = (actor: Step[0]) => (actor === "agent" ? undefined : actor);

/** The table of an actor's fold, as the decoder fills it. */
function tableOf(folds: Folds, actor: Actor | undefined): TableShape {
  const table = folds.of(actor).table("issues") as TableShape;
  if (table.columns.length === 0) {
    table.columns.push(...COLUMNS);
    table.types.push(...TYPES);
  }
  return table;
}

/** As the recorder does it. */
function fromLog(steps: readonly Step[]) {
  const folds = createFolds({ issues: ["id"] });
  for (const step of steps) {
    const actor = other(step[0]);
    folds.apply(changeOf(tableOf(folds, actor), step), actor);
  }
  return drained(folds);
}

/** As a comparison does it: it knows the first and the last state, and what others than the agent have changed. */
function fromStates(steps: readonly Step[]) {
  const shape = { name: "issues", columns: COLUMNS, types: TYPES, key: ["id"] };
  const ends = [copied(steps[0]?.[1]), copied(steps.at(-1)?.[2])] as const;
  const noted = steps.flatMap(([by, before, after]) => {
    const actor = other(by);
    return actor ? [{ actor, was: copied(before), became: copied(after) }] : [];
  });
  return drained(foldsOfRow(shape, ends, noted));
}

const NOTHING = { inserts: [], updates: [], deletes: [] };
const update = (before: object, after: object) => ({
  ...NOTHING,
  updates: [{ __table__: "issues", key: { id: "1" }, before, after }],
});
const row = (title: string, cycle: string) => ({ __table__: "issues", id: "1", title, cycle });

test.each<[string, Step[], object]>([
  ["only the clock", [["clock", ["1", "a", "3"], ["1", "a", "4"]]], NOTHING],
  [
    "the agent, the clock, the agent in different columns",
    [
      ["agent", ["1", "a", "3"], ["1", "b", "3"]],
      ["clock", ["1", "b", "3"], ["1", "b", "4"]],
      ["agent", ["1", "b", "4"], ["1", "c", "4"]],
    ],
    update({ title: "a" }, { title: "c" }),
  ],
  [
    "the agent moves what the clock moves later",
    [
      ["agent", ["1", "a", "2"], ["1", "a", "3"]],
      ["clock", ["1", "a", "3"], ["1", "a", "4"]],
    ],
    update({ cycle: "2" }, { cycle: "3" }),
  ],
  [
    "the agent changes a row that the clock has inserted",
    [
      ["clock", undefined, ["1", "a", "3"]],
      ["agent", ["1", "a", "3"], ["1", "b", "3"]],
    ],
    update({ title: "a" }, { title: "b" }),
  ],
  [
    "the clock deletes a row that the agent has inserted",
    [
      ["agent", undefined, ["1", "a", "3"]],
      ["clock", ["1", "a", "3"], undefined],
    ],
    { ...NOTHING, inserts: [row("a", "3")] },
  ],
  [
    "the clock changes a row that the agent has inserted",
    [
      ["agent", undefined, ["1", "a", "3"]],
      ["clock", ["1", "a", "3"], ["1", "a", "4"]],
    ],
    { ...NOTHING, inserts: [row("a", "3")] },
  ],
  [
    "the agent deletes a row that the clock has changed",
    [
      ["clock", ["1", "a", "3"], ["1", "a", "4"]],
      ["agent", ["1", "a", "4"], undefined],
    ],
    { ...NOTHING, deletes: [row("a", "4")] },
  ],
  [
    "the agent deletes a row, and changes the one that the clock inserts in its place",
    [
      ["agent", ["1", "a", "3"], undefined],
      ["clock", undefined, ["1", "b", "4"]],
      ["agent", ["1", "b", "4"], ["1", "c", "4"]],
    ],
    update({ title: "a" }, { title: "c" }),
  ],
])("%s", (_case, steps, expected) => {
  expect(fromLog(steps).agent).toEqual(expected as Diff);
  expect(fromStates(steps)).toEqual(fromLog(steps));
});

test("what others write into a row of a fold counts toward its memory", () => {
  const folds = createFolds({ issues: ["id"] });
  folds.apply(
    changeOf(tableOf(folds, undefined), ["agent", ["1", "a", "3"], ["1", "b", "3"]]),
    undefined,
  );
  const before = folds.agent.bytes;
  const clocks = tableOf(folds, "clock");
  const step: Step = ["clock", ["1", "b", "3"], ["1", "b", "4".repeat(10_000)]];
  folds.apply(changeOf(clocks, step), "clock");

  expect(folds.agent.bytes).toBeGreaterThan(before + 9_000);
  folds.apply(changeOf(clocks, ["clock", step[2], ["1", "b", "3"]]), "clock");
  expect(folds.agent.bytes).toBe(before);
});

test("what others write into a row of a fold leaves earlier changes of it as they were", () => {
  const steps: Step[] = [
    ["agent", ["1", "a", "3"], undefined],
    ["agent", undefined, ["1", "b", "3"]],
    ["clock", ["1", "b", "3"], ["1", "b", "4"]],
  ];
  const folds = createFolds({ issues: ["id"] });
  const changes = steps.map((step) => {
    const actor = other(step[0]);
    const change = changeOf(tableOf(folds, actor), step);
    folds.apply(change, actor);
    return change;
  });

  expect(changes.slice(0, 2)).toMatchObject([
    { op: "delete", before: ["1", "a", "3"] },
    { op: "insert", after: ["1", "b", "3"] },
  ]);
});

test("each actor has what it made of a column that several have changed", () => {
  const steps: Step[] = [
    ["counterpart", ["1", "a", "1"], ["1", "a", "2"]],
    ["agent", ["1", "a", "2"], ["1", "b", "3"]],
    ["clock", ["1", "b", "3"], ["1", "b", "4"]],
    ["counterpart", ["1", "b", "4"], ["1", "c", "5"]],
  ];
  const expected = {
    agent: update({ title: "a", cycle: "2" }, { title: "b", cycle: "3" }),
    clock: update({ cycle: "3" }, { cycle: "4" }),
    counterpart: update({ title: "b", cycle: "1" }, { title: "c", cycle: "5" }),
  };
  expect<object>(fromLog(steps)).toEqual(expected);
  expect<object>(fromStates(steps)).toEqual(expected);
});

/** Steps that follow each other of the same actor as one. */
function merged(steps: readonly Step[]): Step[] {
  const found: Step[] = [];
  for (const each of steps) {
    const last = found.at(-1);
    if (last?.[0] === each[0]) found.splice(-1, 1, [last[0], last[1], each[2]]);
    else found.push(each);
  }
  const real = found.filter(
    ([, before, after]) => JSON.stringify(before) !== JSON.stringify(after),
  );
  return real.length === steps.length ? real : merged(real);
}

/** A step changes one column of the row, deletes it, or inserts it again. */
const step = fc.record({
  by: fc.constantFrom("agent", "clock", "counterpart"),
  column: fc.constantFrom(1, 2),
  value: fc.constantFrom("a", "b", "c"),
  isRemoval: fc.boolean(),
});

test("whatever the order of their changes, both ways give each actor the same, and no change to the agent that it did not make", () => {
  fc.assert(
    fc.property(fc.array(step, { minLength: 1, maxLength: 8 }), fc.boolean(), (moves, exists) => {
      let row: string[] | undefined = exists ? ["1", "a", "a"] : undefined;
      const steps = moves.flatMap(({ by, column, value, isRemoval }): Step[] => {
        const before = row;
        if (row && isRemoval) row = undefined;
        else row = (row ?? ["1", "a", "a"]).with(column, value);
        const isSame = JSON.stringify(before) === JSON.stringify(row);
        return isSame ? [] : [[by as Step[0], before, row]];
      });
      if (steps.length === 0) return;
      const found = fromLog(steps);
      // A row that one actor deletes and inserts again looks like an update in states.
      expect(fromStates(merged(steps))).toEqual(fromLog(merged(steps)));
      if (steps.every(([, before, after]) => before && after))
        expect(fromStates(steps)).toEqual(found);
      for (const actor of ["agent", "clock", "counterpart"] as const) {
        const own = steps.filter(([by]) => by === actor);
        const { inserts, updates, deletes } = found[actor];
        if (own.every(([, before]) => before)) {
          const touched = COLUMNS.filter((_, place) =>
            own.some(([, before, after]) => after && before?.[place] !== after[place]),
          );
          expect(inserts).toEqual([]);
          if (own.every(([, , after]) => after)) expect(deletes).toEqual([]);
          for (const { after } of updates)
            expect(touched).toEqual(expect.arrayContaining(Object.keys(after as object)));
        }
      }
    }),
    { numRuns: 2_000 },
  );
});
