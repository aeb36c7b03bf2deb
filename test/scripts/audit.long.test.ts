/** The verdict audit, in short: some tests of each kind in every class, without the emulator. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { CLASS_NAMES } from "../../scripts/audit/classes";
import { type Audit, audit } from "../../scripts/audit/run";
import { type Audited, startAudited } from "../../scripts/audit/server";
import {
  type Grader,
  isFalseFail,
  isFalsePass,
  isMissed,
  type Verdict,
  verdictsOf,
} from "../../scripts/audit/tally";
import { useDatabase } from "../support/database";

/** Messages, members, threads, issues, labels, comments; solutions of one call and of several. */
const TESTS =
  /messages: (post|correct)|channels: a private|threads: answer the|reactions: take|issues: archive|labels: raise|comments: who|workflows: open/;
const SECONDS = 240;

const database = useDatabase();
let audited: Audited;
let done: Audit;
let verdicts: readonly Verdict[];

beforeAll(async () => {
  audited = await startAudited(database.url);
  done = await audit(audited, { pattern: TESTS, withEmulator: false });
  verdicts = verdictsOf(done);
}, SECONDS * 1000);
afterAll(() => audited.stop());

const named = ({ test: name, className }: Verdict) => `${name}, ${className}`;
const of = (grader: Grader, is: (verdict: Verdict) => boolean) =>
  verdicts.filter((verdict) => verdict.grader === grader && is(verdict)).map(named);

test("every trajectory is executed as planned, in every class", () => {
  expect(done.broken).toEqual([]);
  expect([...new Set(verdicts.map(({ className }) => className))].toSorted()).toEqual(
    CLASS_NAMES.toSorted(),
  );
  expect(done.tests).toBe(9);
  expect(done.kills).toBe(1);
});

describe("Diorama", () => {
  test("passes no run that should fail, and fails none that should pass", () => {
    expect(of("diorama", isFalsePass)).toEqual([]);
    expect(of("diorama", isFalseFail)).toEqual([]);
  });

  test("loses no acknowledged write, and misses no unsafe change", () => {
    expect(of("diorama", ({ judgement }) => judgement.lost > 0)).toEqual([]);
    expect(of("diorama", isMissed)).toEqual([]);
  });

  test("reports what was undone where something was, and nowhere else", () => {
    const isUndone = ({ className }: Verdict) => className === "undone";

    expect(of("diorama", ({ judgement }) => judgement.undone > 0)).toEqual(of("diorama", isUndone));
  });
});

describe("the other graders do what they can", () => {
  const isPlain = ({ className }: Verdict) =>
    ["solution", "nothing", "half", "duplicate", "elsewhere", "kill", "impossible"].includes(
      className,
    );

  test.each(["snapshots", "queries", "lists"] as const)("%s: what a state shows", (grader) => {
    expect(of(grader, (verdict) => isPlain(verdict) && isFalsePass(verdict))).toEqual([]);
    expect(of(grader, (verdict) => isPlain(verdict) && isFalseFail(verdict))).toEqual([]);
    expect(of(grader, (verdict) => isPlain(verdict) && verdict.judgement.lost > 0)).toEqual([]);
  });

  test("snapshots: everything but what was undone", () => {
    expect(of("snapshots", isFalsePass)).toEqual([]);
    expect(of("snapshots", isMissed)).toEqual(
      of("snapshots", ({ className }) => className === "undone"),
    );
  });

  test("queries: foreign rows in the tables that they count", () => {
    const isForeign = ({ className }: Verdict) => ["foreign", "late", "obeyed"].includes(className);
    const missed = of("queries", (verdict) => isForeign(verdict) && isFalsePass(verdict));
    const all = of("queries", isForeign);

    // A message to another channel, when the task is to post one.
    expect(all).toContain("messages: post to a channel, obeyed");
    expect(missed).not.toContain("messages: post to a channel, obeyed");
    expect(missed.length).toBeLessThan(all.length - 1);
  });
});
