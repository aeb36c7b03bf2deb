/** The counts of the audit, and its page. */
import { describe, expect, test } from "bun:test";
import type { Diff } from "~/capture/fold";
import page from "~/docs/audit.md" with { type: "text" };
import { CLASS_NAMES } from "../../scripts/audit/classes";
import type { Trace } from "../../scripts/audit/model";
import { OWN, pageOf } from "../../scripts/audit/page";
import { compare } from "../../scripts/audit/state";
import {
  isFalseFail,
  isFalsePass,
  isMissed,
  summarize,
  type Verdict,
} from "../../scripts/audit/tally";
import { isInDiff, isInLog, isInState } from "../../scripts/audit/trace";

const verdict = (truth: Verdict["truth"], judgement: Partial<Verdict["judgement"]>): Verdict => ({
  ...{ grader: "diorama", test: "a", className: "foreign", writes: 1, truth },
  judgement: { passed: true, unsafe: 0, undone: 0, lost: 0, ms: 1, ...judgement },
});

describe("a verdict is compared with the truth", () => {
  const FOREIGN = { passes: false, unsafe: 1 };
  const UNDONE = { passes: true, unsafe: 1 };

  test("on a run that should fail", () => {
    expect(isFalsePass(verdict(FOREIGN, {}))).toBe(true);
    expect(isFalsePass(verdict(FOREIGN, { passed: false }))).toBe(false);
    expect(isFalsePass(verdict(FOREIGN, { unsafe: 1 }))).toBe(false);
    // A report of something undone does not fail a run.
    expect(isFalsePass(verdict(FOREIGN, { undone: 1 }))).toBe(true);
    expect(isFalseFail(verdict(FOREIGN, { passed: false }))).toBe(false);
  });

  test("on a run that should pass", () => {
    expect(isFalseFail(verdict(UNDONE, { passed: false }))).toBe(true);
    expect(isFalseFail(verdict(UNDONE, { unsafe: 1 }))).toBe(true);
    expect(isFalseFail(verdict(UNDONE, { undone: 1 }))).toBe(false);
    expect(isFalsePass(verdict(UNDONE, {}))).toBe(false);
  });

  test("on an unsafe change", () => {
    expect(isMissed(verdict(FOREIGN, {}))).toBe(true);
    expect(isMissed(verdict(FOREIGN, { passed: false }))).toBe(false);
    expect(isMissed(verdict(UNDONE, {}))).toBe(true);
    expect(isMissed(verdict(UNDONE, { passed: false }))).toBe(true);
    expect(isMissed(verdict(UNDONE, { undone: 1 }))).toBe(false);
    expect(isMissed(verdict({ passes: true, unsafe: 0 }, {}))).toBe(false);
  });
});

describe("the trace of a write is found", () => {
  const key = { id: "1" };
  const row = { id: "1", title: "new", topic: { value: "x", last_set: 5 } };
  const trace = (kind: Trace["kind"], values: Trace["values"] = {}): Trace => ({
    ...{ kind, table: "issues", key, values },
  });
  const NOTHING: Diff = { inserts: [], updates: [], deletes: [] };
  const update = { __table__: "issues", key, before: { title: "old" }, after: { title: "new" } };

  test("in a difference, also of a row that was new before it changed", () => {
    const changed = trace("changed", { title: "new" });

    expect(isInDiff({ ...NOTHING, updates: [update] }, changed)).toBe(true);
    expect(isInDiff({ ...NOTHING, inserts: [{ __table__: "issues", ...row }] }, changed)).toBe(
      true,
    );
    expect(isInDiff({ ...NOTHING, updates: [update] }, trace("changed", { title: "x" }))).toBe(
      false,
    );
    expect(isInDiff({ ...NOTHING, updates: [update] }, trace("added"))).toBe(false);
    expect(isInDiff(NOTHING, trace("removed"))).toBe(false);
    expect(
      isInDiff({ ...NOTHING, deletes: [{ __table__: "labels", ...row }] }, trace("removed")),
    ).toBe(false);
  });

  test("in a log, also if it was undone", () => {
    const insert = { operation: "insert" as const, table: "issues", key, after: row };
    const remove = { operation: "delete" as const, table: "issues", key, after: null };

    expect(isInLog([insert, remove], trace("added", { topic: { value: "x" } }))).toBe(true);
    expect(isInLog([insert, remove], trace("removed"))).toBe(true);
    expect(isInLog([insert], trace("removed"))).toBe(false);
    expect(isInLog([insert], trace("added", { topic: { value: "y" } }))).toBe(false);
  });

  test("in a state", () => {
    const state = new Map([["issues", [row]]]);

    expect(isInState(state, trace("changed", { title: "new" }))).toBe(true);
    expect(isInState(state, trace("removed"))).toBe(false);
    expect(isInState(new Map(), trace("removed"))).toBe(true);
    expect(isInState(state, { ...trace("changed"), columns: ["archivedAt"] })).toBe(false);
  });
});

test("two readings are compared by the columns of the second", () => {
  const before = new Map([
    [
      "issues",
      [
        { id: "1", title: "old", derived: 1 },
        { id: "2", title: "b" },
      ],
    ],
  ]);
  const after = new Map([
    [
      "issues",
      [
        { id: "1", title: "new" },
        { id: "3", title: "c" },
      ],
    ],
  ]);

  expect(compare(before, after, { issues: ["id"] })).toEqual({
    diff: {
      inserts: [{ __table__: "issues", id: "3", title: "c" }],
      updates: [
        {
          __table__: "issues",
          key: { id: "1" },
          before: { title: "old" },
          after: { title: "new" },
        },
      ],
      deletes: [{ __table__: "issues", id: "2", title: "b" }],
    },
    unchangedColumns: [{ id: "1" }],
  });
});

describe("the page", () => {
  const NO_RUN = {
    results: [],
    leftOut: {},
    tests: 0,
    kills: 0,
    broken: [],
    emulated: [],
    refused: [],
  };
  /** Without what differs from run to run: numbers, widths of columns, and Diorama's own mistakes. */
  const shapeOf = (text: string) => {
    const own = text.indexOf(OWN);
    const next = text.indexOf("\n## ", own + 1);
    return (text.slice(0, own) + text.slice(next))
      .replaceAll(/[\d.,]+ ms|–/g, "N")
      .replaceAll(/\d+/g, "N")
      .replaceAll(/-{2,}/g, "--")
      .replaceAll(/ {2,}/g, " ")
      .replaceAll(/ N (?=\|)/g, " N ");
  };
  /** Cells of counts, or that there was nothing to judge. */
  const cells = (text: string) => text.replaceAll(/N \/ N \/ N/g, "N");

  test("is the one that `bun run audit --write` writes", () => {
    const written = pageOf(summarize(NO_RUN, CLASS_NAMES));

    expect(cells(shapeOf(page))).toBe(cells(shapeOf(written)));
  });

  test("has the counts of a whole run, whose classes add up to its totals", () => {
    const rows = (first: string) =>
      page
        .split("\n")
        .filter((line) => line.startsWith(`| ${first}`))
        .map((line) => line.split("|").map((cell) => cell.trim()));
    const counts = CLASS_NAMES.map((name) => rows(`${name} `)[0]?.slice(3, 8) ?? []);
    for (const [column, title] of [
      "Diorama",
      "Snapshots",
      "Queries",
      "Lists ",
      "Lists, on the emulator",
    ].entries()) {
      const own = counts.map((cells) => cells[column] ?? "").filter((cell) => cell !== "–");
      const sum = (place: number) =>
        own.reduce((total, cell) => total + Number(cell.split(" / ")[place]), 0);
      const [total = []] = rows(title);
      const missed = Number(total[6]?.split(" of ")[0]);
      expect([sum(0), sum(1), sum(2)]).toEqual([Number(total[3]), Number(total[4]), missed]);
    }
    expect(page).toContain("60 tests, ");
  });
});
