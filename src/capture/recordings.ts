/** The recordings of runs: what each holds, the memory that they take together, and why one is lost. */
import type { Actor } from "~/capture/actor";
import type { Change, Lsn, Mark, Relations } from "~/capture/change";
import { createEvents, type Events, type LoggedCall } from "~/capture/events";
import { createFolds, type Folds } from "~/capture/folds";
import { RUN_BYTES_MAX, RUN_ROWS_MAX, SHARE_BYTES_MAX, TOTAL_BYTES_MAX } from "~/capture/limits";
import type { Loss } from "~/capture/loss";
import { lossBetween } from "~/capture/relations";

export type Recording = {
  readonly run: string;
  readonly schema: string;
  readonly relations: Relations | null;
  /** Reading must resume here to see the whole run again. */
  readonly hold: Lsn;
  folds: Folds | undefined;
  readonly events: Events;
  /** Memory counted for it. */
  bytes: number;
  /** Why the run is lost. */
  lost: Loss | undefined;
};

/** A run whose end mark was read. */
export type Ended = {
  readonly run: string;
  /** The server that waits for the result. */
  readonly instance: string;
  /** The call that evaluates it, if one does. */
  readonly evaluate: string | undefined;
  /** Its tables at its beginning and end, if they must be compared before its changes can be trusted. */
  readonly altered: Altered | undefined;
};

type Altered = { readonly schema: string; readonly before: Relations; readonly after: Relations };

export type Taken = { readonly lost: Loss } | { readonly folds: Folds; readonly events: Events };

export type Listener = {
  seen: (mark: Extract<Mark, { k: "start" }>) => void;
  /** The recording and its position are kept until `release`. */
  ended: (ended: Ended) => void;
  /** A run was lost. */
  lost: (run: string, loss: Loss, error: unknown) => void;
};

/** The transaction that a change belongs to. */
type Transaction = {
  readonly number: number;
  /** The call that it belongs to, if the log names one. */
  readonly call: LoggedCall | null;
  /** That it belongs to; undefined: the agent. */
  readonly actor: Actor | undefined;
};

/**
 * `needsPublication`: the plugin sends only the tables of the publication. `unread`: schemas whose changes are not sent.
 */
export function createRecordings(
  needsPublication: boolean,
  unread: readonly string[],
  listener: Listener,
) {
  const runs = new Map<string, Recording>();
  const bySchema = new Map<string, Recording>();
  /** Memory of all recordings. */
  let bytes = 0;

  const count = (recording: Recording) => {
    bytes -= recording.bytes;
    recording.bytes = (recording.folds?.bytes ?? 0) + recording.events.bytes;
    bytes += recording.bytes;
  };

  const lose = (recording: Recording, loss: Loss, error?: unknown) => {
    if (recording.lost !== undefined) return;
    recording.lost = loss;
    recording.folds = undefined;
    recording.events.giveUp();
    count(recording);
    listener.lost(recording.run, loss, error);
  };

  /** Frees memory: only the run that holds the most ever fails. */
  const makeRoom = () => {
    while (bytes > TOTAL_BYTES_MAX) {
      let heaviest: Recording | undefined;
      for (const each of runs.values()) if (each.bytes > (heaviest?.bytes ?? 0)) heaviest = each;
      if (!heaviest) return;
      if (heaviest.events.bytes > 0) heaviest.events.giveUp();
      else lose(heaviest, lossOfHeaviest(heaviest));
      count(heaviest);
    }
  };

  /** The heaviest of only a few runs has more than its share, that of many may not. */
  const lossOfHeaviest = ({ bytes: own }: Recording): Loss =>
    own > SHARE_BYTES_MAX ? "too_large_share" : "too_many_bytes_in_total";

  const close = (run: string) => {
    const recording = runs.get(run);
    if (!recording) return;
    runs.delete(run);
    bytes -= recording.bytes;
    if (bySchema.get(recording.schema) === recording) bySchema.delete(recording.schema);
  };

  const start = (mark: Extract<Mark, { k: "start" }>, before: Lsn) => {
    const { run, schema, relations } = mark;
    const recording: Recording = {
      run,
      schema,
      relations,
      hold: before,
      folds: createFolds(mark.keys),
      events: createEvents(mark.keys, mark.journaled),
      bytes: 0,
      lost: undefined,
    };
    runs.set(run, recording);
    bySchema.set(schema, recording);
    if (needsPublication && !mark.published) lose(recording, "unpublished");
    if (unread.includes(schema)) lose(recording, "undecodable_transaction");
    if (relations && !relations.whole) lose(recording, "incomplete_identity");
    listener.seen(mark);
  };

  const end = (mark: Extract<Mark, { k: "end" }>) => {
    const recording = runs.get(mark.run);
    if (!recording) return; // its start was not seen; the check after connecting fails it
    if (bySchema.get(recording.schema) === recording) bySchema.delete(recording.schema);
    const { run, instance, evaluate, relations: after } = mark;
    const { schema, relations: before } = recording;
    const loss = before ? lossBetween(before, after) : "table_replaced";
    const altered =
      loss === "table_altered" && before && after ? { schema, before, after } : undefined;
    if (loss !== undefined && !altered) lose(recording, loss);
    listener.ended({ run, instance, evaluate, altered });
  };

  return {
    start,
    end,
    lose,

    /** Releases a run: its result is stored, or no longer needed. */
    close,

    /** The recording that changes of a schema belong to. */
    of: (schema: string) => bySchema.get(schema),

    loseIn(schema: string, loss: Loss): void {
      const recording = bySchema.get(schema);
      if (recording) lose(recording, loss);
    },

    record(change: Change, schema: string, transaction: Transaction): void {
      const recording = bySchema.get(schema);
      if (!recording?.folds) return;
      const { folds } = recording;
      const { number, call, actor } = transaction;
      folds.apply(change, actor);
      recording.events.add(change, number, call, actor);
      count(recording);
      if (folds.size > RUN_ROWS_MAX) lose(recording, "too_many_rows");
      else if (folds.bytes > RUN_BYTES_MAX) lose(recording, "too_many_bytes");
      makeRoom();
    },

    /** Schemas that are being recorded. */
    schemas: (): readonly string[] => [...bySchema.keys()],

    /** Log before this position is no longer needed, of the log read up to `committed`. */
    safe(committed: Lsn): Lsn {
      let safe = committed;
      for (const { hold } of runs.values()) if (hold < safe) safe = hold;
      return safe;
    },

    /** Runs that hold the position back, oldest first. */
    held: (): readonly string[] => [...runs.keys()],

    /** How many they are. */
    holding: () => runs.size,

    has: (run: string) => runs.has(run),

    /** Memory counted for a run. */
    bytesOf: (run: string) => runs.get(run)?.bytes ?? 0,

    /** Returns the recorded changes of a run that has ended; undefined if it was closed meanwhile. */
    take(run: string): Taken | undefined {
      const recording = runs.get(run);
      if (!recording) return undefined;
      const { folds, events, lost } = recording;
      recording.folds = undefined;
      bytes -= recording.bytes;
      recording.bytes = 0;
      return folds ? { folds, events } : { lost: lost ?? "changes_missing" };
    },
  };
}
