/** The steps of an audit, as a thread gets them: a template, then its tests and their runs. */

import type { JsonObject } from "~/capture/fold";
import type { OtherChanges } from "~/capture/records";
import { type Accepted, auditTest, type Solution, type TestAudit } from "~/evaluation/audit/audit";
import { diffOf, fold, type RowEvent, type Rows, rowsOfDiff } from "~/evaluation/audit/rows";
import { createTemplateRows, type TemplateRows } from "~/evaluation/audit/template-rows";
import type { RunUnsafe } from "~/evaluation/audit/unexplained";
import type { RunCall } from "~/evaluation/calls";
import type { Keys, RunEvidence } from "~/evaluation/candidates";
import { type CompiledSpec, compile } from "~/evaluation/compile";
import type { RunDelivery } from "~/evaluation/deliveries";
import { evaluate } from "~/evaluation/evaluate";
import { SpecError } from "~/evaluation/mistakes";
import type { Spec } from "~/evaluation/spec";
import type { Vocabulary } from "~/evaluation/vocabulary";
import { NO_ALIASES, valueWithoutAliases } from "~/input/aliases";

/** A run as it is stored, as JSON texts. */
export type StoredRun = {
  readonly runId: string;
  readonly diff: string;
  /** Null if it was not kept. */
  readonly evidence: string | null;
  readonly events: string | null;
  readonly others: string | null;
};

export type TemplateJob = {
  readonly kind: "template";
  readonly vocabulary: Vocabulary;
  readonly keys: Keys;
  readonly rows: Rows;
};
export type TestJob = {
  readonly kind: "test";
  /** JSON text. */
  readonly expected: string;
  readonly actor: string | null;
  readonly accept: readonly Accepted[];
  /** Survivors that are shown. */
  readonly shownMax: number;
  readonly solution:
    | { readonly events: readonly RowEvent[]; readonly deliveries?: readonly RunDelivery[] }
    | { readonly run: StoredRun; readonly calls: readonly RunCall[] }
    | null;
};
export type RunsJob = {
  readonly kind: "runs";
  readonly expected: string;
  readonly runs: readonly StoredRun[];
};
export type Job = TemplateJob | TestJob | RunsJob;

/** `invalid`: a spec of a kind that is no longer accepted. */
export type Invalid = { readonly invalid: string };
export type JobAnswer = TestAudit | RunUnsafe[] | Invalid | null;

export function createAuditing() {
  let template: (TemplateJob & { readonly templateRows: TemplateRows }) | undefined;

  function perform(given: Job): JobAnswer {
    if (given.kind === "template") {
      const { rows, keys, vocabulary } = given;
      template = { ...given, templateRows: createTemplateRows(rows, keys, vocabulary) };
      return null;
    }
    if (!template) throw new Error("an audit begins with a template");
    const { vocabulary, keys, templateRows, rows } = template;
    const job = valueWithoutAliases(given, vocabulary.aliases ?? NO_ALIASES);
    const raw = JSON.parse(job.expected) as Spec;
    const spec = compile(raw, vocabulary);
    if (job.kind === "runs") return job.runs.map((run) => unsafeIn(run, spec, keys, rows));
    const { actor, accept, shownMax, solution } = job;
    return auditTest({
      spec,
      raw,
      keys,
      templateRows,
      actor,
      accept,
      shownMax,
      solution: solution && solutionOf(solution, keys, rows),
    });
  }

  return (job: Job): JobAnswer => {
    try {
      return perform(job);
    } catch (error) {
      if (error instanceof SpecError) return { invalid: error.message };
      throw error;
    }
  };
}

function solutionOf(given: NonNullable<TestJob["solution"]>, keys: Keys, template: Rows): Solution {
  if ("events" in given) {
    const own = given.events.filter(({ actor }) => actor === undefined);
    return {
      rows: fold(own, keys, template),
      half: halfOf(own, keys, template),
      others: othersOf(given.events, keys, template),
      calls: [],
      deliveries: given.deliveries ?? [],
    };
  }
  const { run, calls } = given;
  const { diff, unchangedColumns } = evidenceOf(run, keys, template);
  const { total, events }: LoggedEvents = JSON.parse(run.events ?? '{"total":0,"events":[]}');
  const own = events.filter(({ actor }) => actor === undefined);
  const isKnown = events.length === total && own.every(({ request }) => request !== null);
  const named = own.map((event) => ({ ...event, call: event.request ?? "" }));
  return {
    rows: rowsOfDiff(diff, unchangedColumns),
    half: isKnown ? halfOf(named, keys, template) : null,
    others: JSON.parse(run.others ?? "null"),
    calls,
    deliveries: [], // of a run, a test that counts them has no solution here
  };
}

/** The changes by others than the agent; null if there are none. */
function othersOf(events: readonly RowEvent[], keys: Keys, template: Rows): OtherChanges | null {
  const byActor = Map.groupBy(events, ({ actor }) => actor);
  byActor.delete(undefined);
  const all = { inserts: [], updates: [], deletes: [], unchangedColumns: [] } as Mutable;
  for (const [actor = "", theirs] of byActor) {
    const { diff, unchangedColumns } = diffOf(fold(theirs, keys, template), keys);
    for (const list of ["inserts", "updates", "deletes"] as const)
      all[list].push(...diff[list].map((row) => ({ __actor__: actor, ...row })));
    all.unchangedColumns.push(...unchangedColumns);
  }
  return byActor.size > 0 ? all : null;
}

type Mutable = { [list in keyof OtherChanges]: JsonObject[] };

type LoggedEvents = {
  readonly total: number;
  readonly events: readonly (Omit<RowEvent, "call"> & {
    readonly request: string | null;
    readonly actor?: string;
  })[];
};

/** The changes of the first half of the calls; null of a single call. */
function halfOf(events: readonly RowEvent[], keys: Keys, template: Rows) {
  const calls = [...new Set(events.map(({ call }) => call))];
  if (calls.length < 2) return null;
  const first = new Set(calls.slice(0, Math.floor(calls.length / 2)));
  return fold(
    events.filter(({ call }) => first.has(call)),
    keys,
    template,
  );
}

/** Columns that no evidence has are those of the template. */
function evidenceOf(
  { diff, evidence }: StoredRun,
  keys: Keys,
  template: Rows,
): Pick<RunEvidence, "diff" | "unchangedColumns"> {
  const read: RunEvidence["diff"] = JSON.parse(diff);
  if (evidence !== null) return { diff: read, ...JSON.parse(evidence) };
  const unchangedColumns = read.updates.map(({ __table__, key }) => {
    const table = String(__table__);
    const isSame = (row: object) =>
      (keys[table] ?? []).every((column) => (row as never)[column] === (key as never)[column]);
    return template[table]?.find(isSame) ?? (key as never);
  });
  return { diff: read, unchangedColumns };
}

function unsafeIn(run: StoredRun, spec: CompiledSpec, keys: Keys, template: Rows): RunUnsafe {
  const { unsafe } = evaluate(spec, keys, {
    ...evidenceOf(run, keys, template),
    revertedRows: [],
    transientRows: [],
    baselineRows: {},
    others: null,
    events: null,
    calls: [],
    deliveries: [],
  });
  return { runId: run.runId, unsafe: unsafe ?? { count: 0, rows: [] } };
}
