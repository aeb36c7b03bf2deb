/** Writes, judges and stores the results of runs that have ended. */
import type { Folds } from "~/capture/folds";
import type { Garbage } from "~/capture/garbage";
import { RUN_BYTES_MAX } from "~/capture/limits";
import { diffLists, evidenceLists, otherChanges } from "~/capture/lists";
import { LOSSES, lossOf } from "~/capture/loss";
import type { Recorder } from "~/capture/recorder";
import type { Ended, Taken } from "~/capture/recordings";
import { findWidened } from "~/capture/relations";
import { createStoring, type Outcome } from "~/capture/storing";
import type { Evaluate, StreamEvent } from "~/capture/stream-events";
import { errorFields } from "~/log";
import { createSemaphore } from "~/semaphore";

/** Memory of a run that may be read again to replace a lost result: little, so that others fail before it. */
const REPEATABLE_BYTES_MAX = 64 * 1024;
/** Texts up to this length are passed on; for a longer one the waiting server reads the row. */
const PASS_LENGTH_MAX = 8 * 2 ** 20;

type Deps = Parameters<typeof createStoring>[0] & {
  readonly recorder: Recorder;
  readonly garbage: Garbage;
  readonly emit: (event: StreamEvent) => void;
  readonly evaluate: Evaluate;
  /** The server process that this thread belongs to. */
  readonly instance: string;
};

export function createResults(deps: Deps) {
  const { recorder, garbage, pool, log, emit, instance, isClosed } = deps;
  const keep = createStoring(deps);
  /** A result exists twice while it is stored, as rows and as text: large ones go one at a time. */
  const largeOnes = createSemaphore(1);

  /** Stores the result of a run whose end mark was read. */
  return async function store(ended: Ended): Promise<void> {
    const isLarge = recorder.bytesOf(ended.run) > RUN_BYTES_MAX / 8;
    await (isLarge ? largeOnes(() => conclude(ended)) : conclude(ended));
  };

  async function conclude({ run, instance: waiting, evaluate, altered }: Ended) {
    const isSmall = recorder.bytesOf(run) <= REPEATABLE_BYTES_MAX;
    let taken = isClosed() ? undefined : recorder.take(run);
    if (!taken) return;
    if (altered && "folds" in taken && !(await isHarmless(altered, taken.folds)))
      taken = { lost: "table_altered" };
    const { result, changes } = await written(taken, run, waiting, evaluate);
    const isRepeatable = isSmall && altered === undefined && "diff" in result;
    const outcome = await keep(run, result, { notify: waiting !== instance, isRepeatable });
    if ("diff" in result) garbage.add(result.diff.length * 3);
    if (isClosed() && outcome === undefined) return; // the next connection reads it again
    if (outcome === undefined) log.info("result was not needed", { run_id: run });
    else if ("lost" in outcome) emit({ type: "lost", by: 1, loss: outcome.lost });
    else emit({ type: "count", what: "changes", by: changes });
    if (waiting === instance) {
      // A run that waits for its verdict is not done: the caller reads its row.
      const diff = outcome && "diff" in outcome && !outcome.isPending ? outcome.diff : undefined;
      const isShort = diff !== undefined && diff.length <= PASS_LENGTH_MAX;
      emit({ type: "stored", run, ...(isShort && { diff }) });
    }
  }

  /** Whether only columns were added and all changes of those tables are complete. */
  async function isHarmless(
    altered: NonNullable<Ended["altered"]>,
    folds: Folds,
  ): Promise<boolean> {
    const { schema, before, after } = altered;
    const widened = await findWidened(pool, schema, before, after).catch(() => undefined);
    return widened !== undefined && !widened.some(folds.isBare);
  }

  /**
   * Builds the result to store, with the evidence for verdicts, and with the verdict itself if this server waits for it.
   */
  async function written(
    taken: Taken,
    run: string,
    waiting: string,
    evaluate: string | undefined,
  ): Promise<{ result: Outcome; changes: number }> {
    if ("lost" in taken) return { result: taken, changes: 0 };
    const { folds } = taken;
    const changes = folds.agent.size;
    try {
      const lists = { diff: diffLists(), evidence: evidenceLists(evaluate !== undefined) };
      folds.agent.drain(lists.diff.lists, lists.evidence.lists);
      const others = otherChanges();
      others.add(folds);
      garbage.add((lists.diff.length + lists.evidence.length) * 2);
      const evidence = lists.evidence.isGivenUp ? undefined : lists.evidence.text();
      const result = {
        diff: lists.diff.text(),
        evidence,
        others: others.text(),
        ...taken.events.written(),
        isPending: false,
      };
      if (evaluate === undefined || evidence === undefined) return { result, changes };
      // Copied to the server's thread: only what a verdict needs.
      const recorded = {
        diff: result.diff,
        others: result.others,
        events: result.events,
        evidence,
      };
      const length = result.diff.length + evidence.length + result.events.length;
      const verdict =
        waiting === instance && length <= PASS_LENGTH_MAX
          ? await deps.evaluate(evaluate, recorded)
          : undefined;
      return { result: { ...result, ...(verdict ? { verdict } : { isPending: true }) }, changes };
    } catch (error) {
      const lost = lossOf(error, "result_unwritable");
      log.error("run lost", { run_id: run, reason: LOSSES[lost], ...errorFields(error) });
      return { result: { lost }, changes };
    }
  }
}
