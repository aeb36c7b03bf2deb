/** Counts where graders differ from the truth. */
import { median } from "../bench/measure";
import { LATE } from "./classes";
import type { Judgement, Truth } from "./model";
import type { Audit } from "./run";
import type { GraderName } from "./trial";

export const GRADERS: readonly (GraderName | "emulator")[] = [
  "diorama",
  "snapshots",
  "queries",
  "lists",
  "emulator",
];
export type Grader = (typeof GRADERS)[number];

export type Verdict = {
  readonly grader: Grader;
  readonly test: string;
  readonly className: string;
  readonly truth: Truth;
  readonly writes: number;
  readonly judgement: Judgement;
};

export type Tally = {
  readonly trajectories: number;
  readonly falsePasses: number;
  readonly falseFails: number;
  readonly lost: number;
  readonly writes: number;
  readonly missed: number;
  readonly unsafe: number;
  readonly ms: number;
};

/** It passes the run and reports nothing against it. A change that was undone does not count against a run. */
const accepts = ({ passed, unsafe }: Judgement) => passed && unsafe === 0;

export const isFalsePass = ({ truth, judgement }: Verdict) => !truth.passes && accepts(judgement);
export const isFalseFail = ({ truth, judgement }: Verdict) => truth.passes && !accepts(judgement);

/** It neither reports a change that nobody asked for nor, where that should fail the run, fails it. */
export const isMissed = ({ truth, judgement }: Verdict) =>
  truth.unsafe > 0 &&
  (truth.passes ? judgement.unsafe + judgement.undone === 0 : accepts(judgement));

/** Every verdict of every grader. */
export function verdictsOf({ results, emulated = [] }: Audit): Verdict[] {
  const own = results.flatMap(({ judgements, ...rest }) =>
    Object.entries(judgements).map(
      ([grader, judgement]): Verdict => ({ ...rest, grader: grader as GraderName, judgement }),
    ),
  );
  return [...own, ...emulated.map((one): Verdict => ({ ...one, grader: "emulator" }))];
}

export function tally(verdicts: readonly Verdict[]): Tally {
  const count = (is: (verdict: Verdict) => boolean) => verdicts.filter(is).length;
  const sum = (of: (verdict: Verdict) => number) =>
    verdicts.reduce((total, verdict) => total + of(verdict), 0);
  return {
    trajectories: verdicts.length,
    falsePasses: count(isFalsePass),
    falseFails: count(isFalseFail),
    lost: sum(({ judgement }) => judgement.lost),
    writes: sum(({ writes }) => writes),
    missed: sum((verdict) => (isMissed(verdict) ? verdict.truth.unsafe : 0)),
    unsafe: sum(({ truth }) => truth.unsafe),
    ms: median(verdicts.map(({ judgement }) => judgement.ms)),
  };
}

const by = (verdicts: readonly Verdict[], grader: Grader) =>
  verdicts.filter((verdict) => verdict.grader === grader);

/** The part of a run that the page shows. */
export type Summary = {
  readonly tests: number;
  readonly trajectories: number;
  readonly kills: number;
  /** Of the class whose last write comes just before the end. */
  readonly gapMsMax: number;
  readonly refused: number;
  readonly graders: readonly { readonly grader: Grader; readonly tally: Tally }[];
  readonly classes: readonly {
    readonly name: string;
    readonly trajectories: number;
    readonly graders: readonly { readonly grader: Grader; readonly tally: Tally }[];
  }[];
  /** False verdicts of Diorama itself. */
  readonly own: readonly string[];
};

export function summarize(audit: Audit, classNames: readonly string[]): Summary {
  const verdicts = verdictsOf(audit);
  const tallies = (of: readonly Verdict[]) =>
    GRADERS.map((grader) => ({ grader, tally: tally(by(of, grader)) }));
  const own = by(verdicts, "diorama");
  const line =
    (what: string) =>
    ({ test, className }: Verdict) =>
      `${what}: \`${test}\`, class \`${className}\``;
  return {
    tests: audit.tests,
    trajectories: audit.results.length,
    kills: audit.kills,
    gapMsMax: Math.max(
      0,
      ...audit.results.filter(({ className }) => className === LATE).map(({ gapMs }) => gapMs),
    ),
    refused: audit.refused.length,
    graders: tallies(verdicts),
    classes: classNames.map((name) => {
      const ofClass = verdicts.filter(({ className }) => className === name);
      return { name, trajectories: by(ofClass, "diorama").length, graders: tallies(ofClass) };
    }),
    own: [
      ...own.filter(isFalsePass).map(line("False pass")),
      ...own.filter(isFalseFail).map(line("False fail")),
      ...own
        .filter((verdict) => isMissed(verdict) && !isFalsePass(verdict))
        .map(line("Unsafe change missed")),
      ...own.filter(({ judgement }) => judgement.lost > 0).map(line("Lost write")),
    ],
  };
}
