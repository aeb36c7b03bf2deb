/** The audit of a test: every mutant of its solution gets the expected verdict, or survives. Pure. */
import type { JsonObject } from "~/capture/fold";
import type { OtherChanges } from "~/capture/records";
import { claimsOn } from "~/evaluation/audit/claims";
import {
  CLASSES,
  type ExpectedVerdict,
  MUTANT_CLASSES,
  type Mutant,
  type MutantClass,
  type Severity,
} from "~/evaluation/audit/mutant";
import { mutantsOf, mutationInputOf } from "~/evaluation/audit/mutants";
import { proposalFor } from "~/evaluation/audit/proposal";
import { type AuditRow, diffOf, keyOf } from "~/evaluation/audit/rows";
import type { TemplateRows } from "~/evaluation/audit/template-rows";
import type { RunCall } from "~/evaluation/calls";
import type { Keys, RunEvidence } from "~/evaluation/candidates";
import type { CompiledSpec } from "~/evaluation/compile";
import type { RunDelivery } from "~/evaluation/deliveries";
import { evaluate, type Verdict } from "~/evaluation/evaluate";
import type { Spec } from "~/evaluation/spec";

/** A run that solves a test. */
export type Solution = {
  readonly rows: readonly AuditRow[];
  /** The changes of the first half of its calls; null if that is not known, or there is only one. */
  readonly half: readonly AuditRow[] | null;
  readonly others: RunEvidence["others"];
  readonly calls: readonly RunCall[];
  readonly deliveries: readonly RunDelivery[];
};
export const NOTHING: Solution = {
  rows: [],
  half: null,
  others: null,
  calls: [],
  deliveries: [],
};

/** A survivor that the author accepts: it is as good as the solution. `mutant`: its name; `*` stands for anything. */
export type Accepted = { readonly mutant: string; readonly reason: string };

type AuditedTest = {
  readonly spec: CompiledSpec;
  readonly raw: Spec;
  readonly keys: Keys;
  readonly templateRows: TemplateRows;
  readonly actor: string | null;
  /** Null: none is known. Only what needs none is tried. */
  readonly solution: Solution | null;
  readonly accept: readonly Accepted[];
  /** Survivors that are shown. */
  readonly shownMax?: number;
};

export type Survivor = {
  readonly mutant: string;
  readonly class: MutantClass;
  readonly severity: Severity;
  readonly change: string;
  readonly expected: string;
  readonly passed: boolean;
  readonly reward: number;
  /** The number of the assertion that should have caught it; null if none is about it. */
  readonly assertion: number | null;
  readonly proposal: string;
};

export type TestAudit = {
  readonly state: "audited" | "no_solution" | "solution_fails";
  readonly mutants: number;
  readonly killed: number;
  /** Survivors that the test accepts. */
  readonly accepted: number;
  readonly s1: number;
  readonly s2: number;
  readonly classes: {
    readonly class: MutantClass;
    readonly mutants: number;
    readonly killed: number;
  }[];
  /** The first of them. */
  readonly survivors: Survivor[];
  /** Accepted names that no survivor has. */
  readonly stale: string[];
  /** Of a solution that does not pass. */
  readonly failures: string[];
  /** There are more mutants than were tried. */
  readonly isCut: boolean;
};

const MUTANTS_MAX = 5_000;
export const SURVIVORS_MAX = 50;
const FAILURES_MAX = 10;

const EXPECTED: { readonly [expected in ExpectedVerdict]: string } = {
  nothing: "not passed, reward 0",
  less: "not passed, less reward than the solution",
  same: "the verdict on the solution",
};

export function auditTest(test: AuditedTest): TestAudit {
  const { spec, keys, templateRows, solution } = test;
  const known = solution ?? (spec.expectsNothing ? NOTHING : null);
  const input = mutationInputOf(test, known?.rows ?? []);
  const evaluated = (mutant: Pick<Mutant, "class" | "rows" | "isHalf">) =>
    evaluate(spec, keys, evidenceFor(mutant, test, known ?? NOTHING));
  const solved = known && evaluated({ class: "dropped", rows: known.rows });
  if (solved && !solved.passed)
    return { ...EMPTY, state: "solution_fails", failures: solved.failures.slice(0, FAILURES_MAX) };

  const tried = new Map(MUTANT_CLASSES.map((name) => [name, { mutants: 0, killed: 0 }]));
  const survivors: Survivor[] = [];
  let isCut = false;
  let count = 0;
  for (const mutant of mutantsOf(input, known, templateRows)) {
    isCut = count === MUTANTS_MAX;
    if (isCut) break;
    count++;
    const verdict = evaluated(mutant);
    const counter = tried.get(mutant.class);
    if (!counter) continue;
    counter.mutants++;
    if (isKilled(mutant.expected, verdict, solved)) counter.killed++;
    else survivors.push(survivorOf(test, mutant, verdict));
  }
  const isAccepted = test.accept.map(({ mutant }) => ({ mutant, fits: nameMatcher(mutant) }));
  const left = survivors.filter(({ mutant }) => !isAccepted.some(({ fits }) => fits(mutant)));
  const severe = (severity: Severity) => left.filter((each) => each.severity === severity);
  const [s1, s2] = [severe("S1"), severe("S2")];
  return {
    state: known ? "audited" : "no_solution",
    mutants: count,
    killed: count - survivors.length,
    accepted: survivors.length - left.length,
    s1: s1.length,
    s2: s2.length,
    classes: [...tried].flatMap(([name, counts]) =>
      counts.mutants > 0 ? [{ class: name, ...counts }] : [],
    ),
    survivors: [...s1, ...s2].slice(0, test.shownMax ?? SURVIVORS_MAX),
    stale: isAccepted
      .filter(({ fits }) => !survivors.some(({ mutant }) => fits(mutant)))
      .map(({ mutant }) => mutant),
    failures: [],
    isCut,
  };
}

/** Of a test that was not tried. */
export const EMPTY: TestAudit = {
  state: "audited",
  mutants: 0,
  killed: 0,
  accepted: 0,
  s1: 0,
  s2: 0,
  classes: [],
  survivors: [],
  stale: [],
  failures: [],
  isCut: false,
};

/** The evidence of a run that made the mutant's changes. */
function evidenceFor(
  mutant: Pick<Mutant, "class" | "rows" | "isHalf">,
  { spec, keys, templateRows }: AuditedTest,
  { calls, others, deliveries }: Solution,
): RunEvidence {
  const isUndone = mutant.class === "undone";
  const unchanged = spec.assertions.flatMap(({ diffType, entity }) =>
    diffType === "unchanged" ? [[entity, templateRows.rowsOf(entity)] as const] : [],
  );
  const made = { empty: 0, half: Math.floor(calls.length / 2) };
  const isEmpty = mutant.class === "empty";
  return {
    ...diffOf(mutant.rows, keys),
    ...(isUndone ? undoneRows(mutant.rows, templateRows, keys, spec) : NOT_UNDONE),
    baselineRows: Object.fromEntries(unchanged),
    // Nothing has set off counterparts, and there are no events of what they did.
    others: others && isEmpty ? withoutCounterparts(others) : (others ?? null),
    events: isUndone ? NO_EVENTS : null,
    calls: mutant.class in made ? calls.slice(0, made[mutant.class as keyof typeof made]) : calls,
    deliveries: isEmpty ? [] : deliveries,
  };
}

function withoutCounterparts({ inserts, updates, deletes, unchangedColumns }: OtherChanges) {
  const isTheirs = (row: JsonObject) => row["__actor__"] === "counterpart";
  const kept = (rows: readonly JsonObject[]) => rows.filter((row) => !isTheirs(row));
  return {
    inserts: kept(inserts),
    updates: kept(updates),
    deletes: kept(deletes),
    unchangedColumns: unchangedColumns.filter((_, index) => !isTheirs(updates[index] ?? {})),
  };
}

const NO_EVENTS = '{"events":[]}';
const NOT_UNDONE = { revertedRows: [], transientRows: [] };

/** A row that was changed and restored, and one that was added and removed. */
function undoneRows(
  rows: readonly AuditRow[],
  templateRows: TemplateRows,
  keys: Keys,
  spec: CompiledSpec,
) {
  const used = new Set(rows.map(({ table }) => table));
  const table = templateRows
    .tables()
    .toSorted((a, b) => Number(used.has(a)) - Number(used.has(b)))
    .find((name) => templateRows.rowsOf(name).length > 0 && !spec.own.has(name));
  const [row] = table === undefined ? [] : templateRows.rowsOf(table);
  if (table === undefined || !row) return NOT_UNDONE;
  const key = keyOf(keys, table, templateRows.unknownRow(table, new Set()));
  return {
    revertedRows: [{ __table__: table, ...row }] as JsonObject[],
    transientRows: [{ __table__: table, ...key }] as JsonObject[],
  };
}

function isKilled(expected: ExpectedVerdict, verdict: Verdict, solved: Verdict | null): boolean {
  const { passed, reward, undone } = verdict;
  if (expected === "nothing") return !passed && reward === 0;
  if (expected === "less") return !passed && reward < (solved?.reward ?? 1);
  return passed && reward === solved?.reward && (undone ?? 0) > 0;
}

function survivorOf(test: AuditedTest, mutant: Mutant, { passed, reward }: Verdict): Survivor {
  const row = mutant.foreign ?? mutant.of?.row;
  const claims = row ? claimsOn(test.spec, row) : [];
  const claim = claims.find(({ assertion }) => assertion.min > 0) ?? claims[0];
  return {
    mutant: mutant.name,
    class: mutant.class,
    severity: CLASSES[mutant.class].severity,
    change: mutant.change,
    expected: EXPECTED[mutant.expected],
    passed,
    reward,
    assertion: claim?.number ?? null,
    proposal: proposalFor(test.raw, mutant, claim, test.keys),
  };
}

/** `*` stands for anything. Takes time in proportion to the text. */
function nameMatcher(pattern: string): (name: string) => boolean {
  const [first = "", ...rest] = pattern.split("*");
  const last = rest.pop();
  return (name) => {
    if (last === undefined) return name === first;
    if (!name.startsWith(first)) return false;
    let at = first.length;
    for (const part of rest) {
      const found = name.indexOf(part, at);
      if (found < 0) return false;
      at = found + part.length;
    }
    return name.length - last.length >= at && name.endsWith(last);
  };
}
