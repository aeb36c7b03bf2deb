import { describe, expect, test } from "bun:test";
import { changes, type Row, table, takeAll } from "../../../scripts/bench/measure";

const row = (name: string, ours: number, base?: number): Row => ({
  name,
  ours,
  base,
  unit: "ms",
  comparedWith: "a commit",
  bar: { most: 2 },
});

describe("takeAll", () => {
  test("repeats a measure that fails once, and takes the others when it fails again", async () => {
    let attempts = 0;
    const reports: string[] = [];

    const rows = await takeAll(
      {
        flaky: async () => {
          if (++attempts === 1) throw new Error("503");
          return row("flaky", 1);
        },
        broken: () => Promise.reject(new Error("no pgbench")),
        last: async () => [row("last", 1)],
      },
      (text) => reports.push(text),
    );

    expect(rows).toEqual([
      row("flaky", 1),
      { name: "broken", missing: "Error: no pgbench" },
      row("last", 1),
    ]);
    expect(reports).toContain("flaky failed and is repeated: Error: 503");
  });
});

describe("table", () => {
  test("shows whether a row holds its bar, and rows that were not measured with the reason", () => {
    const text = table([
      row("fast", 3, 2),
      row("slow", 6, 2),
      { name: "beside the emulator", missing: "there is no Node" },
    ]);

    expect(text.split("\n").slice(2)).toEqual([
      "| fast | 3.00 ms | 2.00 ms | a commit | 1.50 | ≤ 2 | yes |  |",
      "| slow | 6.00 ms | 2.00 ms | a commit | 3.00 | ≤ 2 | **no** |  |",
      "| beside the emulator | not measured |  |  |  |  |  | there is no Node |",
    ]);
  });
});

describe("changes", () => {
  test("compares the figures and their ratios with those of an earlier run", () => {
    const earlier = [row("call", 4, 2), { name: "other", missing: "no reason" }];

    const text = changes(earlier, [row("call", 3, 2), row("other", 1)]);

    expect(text.split("\n").slice(2)).toEqual([
      "| call | 4.00 ms | 3.00 ms | -25 % | 2.00 | 1.50 | -25 % |",
      "| other |  | 1.00 ms | new |  |  |  |",
    ]);
  });
});
