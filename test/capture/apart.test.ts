/** Changes by the clock and by the agent to the same row are told apart, alike in the log and in snapshots. */
import { expect, test } from "bun:test";
import { withoutClock } from "~/capture/apart";
import type { Change, Image, TableShape } from "~/capture/change";
import { createFold, type Diff } from "~/capture/fold";

type Row = readonly string[] | undefined;
type Step = readonly [actor: "agent" | "clock", before: Row, after: Row];

const COLUMNS = ["id", "title", "cycle"];

function foldOf(): { fold: ReturnType<typeof createFold>; table: TableShape } {
  const fold = createFold({ issues: ["id"] });
  const table = fold.table("issues") as TableShape;
  table.columns.push(...COLUMNS);
  table.types.push("text", "text", "text");
  return { fold, table };
}

const changeOf = (table: TableShape, [, before, after]: Step): Change => {
  const [old, now] = [before && [...before], after && [...after]];
  if (old && now) return { op: "update", table, before: old, after: now };
  return old ? { op: "delete", table, before: old } : { op: "insert", table, after: now as Image };
};

const drained = (fold: ReturnType<typeof createFold>) => {
  const diff: Diff = { inserts: [], updates: [], deletes: [] };
  fold.drain(diff);
  return diff;
};

/** As the recorder does it. */
function fromLog(steps: readonly Step[]): Diff {
  const agent = foldOf();
  const clock = foldOf();
  for (const step of steps) {
    if (step[0] === "agent") agent.fold.apply(changeOf(agent.table, step), true);
    else {
      const change = changeOf(clock.table, step);
      clock.fold.apply(change, true);
      agent.fold.follow(change);
    }
  }
  return drained(agent.fold);
}

/** As a comparison does it: it knows the states, and what the clock has changed. */
function fromStates(steps: readonly Step[]): Diff {
  const [, moved, became] = steps.find(([actor]) => actor === "clock") as Step;
  const last = steps.at(-1)?.[2];
  const parts = withoutClock(
    steps[0]?.[1] && [...steps[0][1]],
    last && [...last],
    moved && [...moved],
    became && [...became],
  );
  const { fold, table } = foldOf();
  const { before, after } = parts;
  const step = ["agent", before as string[] | undefined, after as string[] | undefined] as const;
  if (before || after) fold.apply(changeOf(table, step));
  return drained(fold);
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
])("%s", (_case, steps, expected) => {
  expect(fromLog(steps)).toEqual(expected as Diff);
  expect(fromStates(steps)).toEqual(expected as Diff);
});
