/** Rows of a journal: bounded each, and for a whole run. */
import { describe, expect, test } from "bun:test";
import { createBatches, type EndedCall } from "~/platform/journal/batches";
import type { JournalMode } from "~/platform/journal/store";

const MANY = 200_000;
const LONG = 400 * 1024;

const runOf = (journal: JournalMode = "calls", runId = "run") => ({ runId, journal }) as never;
const call = (given = "{}", more: Partial<EndedCall> = {}) =>
  ({ head: '{"id":"x"}', arguments: given, answer: undefined, ...more }) as EndedCall;
const batchesOf = () => createBatches(({ head }) => head);
const linesOf = (rows: readonly { readonly lines: string }[]) =>
  rows.flatMap(({ lines }) => JSON.parse(lines));

describe("the rows of a batch", () => {
  test("are one, with every line in its order", () => {
    const rows = batchesOf()(runOf(), [call('{"n":1}'), call('{"n":2}')]);

    expect(rows).toMatchObject([{ runId: "run", lineCount: 2, dropped: 0, droppedOwn: 0 }]);
    expect(linesOf(rows).map((line) => line.arguments)).toEqual([{ n: 1 }, { n: 2 }]);
  });

  test("are several where their lines are long, and what was dropped is counted once", () => {
    const long = call(JSON.stringify("x".repeat(LONG)));
    const rows = batchesOf()(runOf(), [long, long, call(), long], {
      ...{ count: 3, own: 2, began: 0, ended: 0 },
    });

    expect(rows.map(({ lineCount }) => lineCount)).toEqual([1, 2, 1]);
    expect(rows.map(({ dropped, droppedOwn }) => [dropped, droppedOwn])).toEqual([
      [3, 2],
      [0, 0],
      [0, 0],
    ]);
  });

  test("are none without a line, and one without lines for what was dropped", () => {
    expect(batchesOf()(runOf(), [])).toEqual([]);
    expect(batchesOf()(runOf(), [], { count: 1, own: 0, began: 0, ended: 0 })).toMatchObject([
      { lines: "[]", lineCount: 0, dropped: 1, droppedOwn: 0 },
    ]);
  });

  test("have the answers of a full journal only", () => {
    const answered = call("{}", { answer: { text: '{"ok":true}', characters: 11 } });

    const empty = call("{}", { answer: { text: "", characters: 0 } });

    expect(linesOf(batchesOf()(runOf("full"), [answered, call(), empty]))).toMatchObject([
      { answer: { ok: true } },
      { answer: null },
      { answer: null },
    ]);
    expect(linesOf(batchesOf()(runOf(), [answered]))[0]).not.toHaveProperty("answer");
  });
});

test("a run with very many calls has the hashes of arguments in place of them, which differ as they do", () => {
  const batches = batchesOf();
  const whole = batches(
    runOf(),
    Array.from({ length: MANY }, () => call()),
  );
  const short = linesOf(batches(runOf(), [call('{"n":1}'), call('{"n":1}'), call('{"n":2}')]));

  expect(linesOf(whole).at(-1)).not.toHaveProperty("hash");
  expect(short[0].arguments).toEqual({ truncated: true, characters: 7, beginning: "" });
  expect(short[1].hash).toBe(short[0].hash);
  expect(short[2].hash).not.toBe(short[0].hash);
  expect(linesOf(batches(runOf("calls", "other"), [call()]))[0]).not.toHaveProperty("hash");
});
