/**
 * What the stream means for runs: marks open and end recordings, changes go to the recording of their schema.
 *
 * Knows positions but no connection and no clock. A new one begins with every connection: after a loss the stream
 * is read again from the start mark of the oldest run, and the folds are built anew.
 */
import type { Change, Lsn, Mark, Message, TableShape } from "~/capture/change";
import { createEvents, type Events } from "~/capture/events";
import { createFold, type Fold } from "~/capture/fold";

/** A run that changes more rows than this fails, before it takes the memory of all the others. */
export const RUN_ROWS_MAX = 200_000;

/** How the marks of calls begin, of which there are many. */
const CALL = '{"k":"call"';

type Recording = {
  readonly run: string;
  readonly schema: string;
  readonly relations: string;
  /** Reading must go on from here to see the whole run again. */
  readonly hold: Lsn;
  fold: Fold | undefined;
  readonly events: Events;
  /** Why the run cannot be answered for. */
  lost: string | undefined;
};

export type Outcome =
  | { readonly run: string; readonly lost: string }
  | {
      readonly run: string;
      readonly fold: Fold;
      readonly events: Events;
      /** The call that gives a verdict on it, if one does. */
      readonly evaluate: string | undefined;
    };

export type Recorder = ReturnType<typeof createRecorder>;

type Listener = {
  seen: (mark: Extract<Mark, { k: "start" }>) => void;
  /** The recording is kept, and the position held, until `release`. */
  ended: (outcome: Outcome, instance: string) => void;
};

/**
 * `position`: up to where the stream was read and confirmed before. `needsPublication`: the plugin sends only the
 * tables of the publication.
 */
export function createRecorder(position: Lsn, needsPublication: boolean, events: Listener) {
  const runs = new Map<string, Recording>();
  const bySchema = new Map<string, Recording>();
  let committed = position;
  let marks: Mark[] = [];
  let open = false;
  /** Counts up with every commit. */
  let transaction = 0;
  /** The call that the open transaction belongs to, if it says so. */
  let request: string | null = null;

  const lose = (recording: Recording, reason: string) => {
    recording.lost ??= reason;
    recording.fold = undefined;
  };

  const close = (run: string) => {
    const recording = runs.get(run);
    runs.delete(run);
    if (recording && bySchema.get(recording.schema) === recording)
      bySchema.delete(recording.schema);
  };

  const start = (mark: Extract<Mark, { k: "start" }>, before: Lsn) => {
    const { run, schema, relations } = mark;
    const recording = {
      run,
      schema,
      relations,
      hold: before,
      fold: createFold(mark.keys),
      events: createEvents(mark.keys),
      lost: undefined,
    };
    runs.set(run, recording);
    bySchema.set(schema, recording);
    if (needsPublication && !mark.published)
      lose(recording, "its tables are not in the publication");
    events.seen(mark);
  };

  const end = (mark: Extract<Mark, { k: "end" }>) => {
    const recording = runs.get(mark.run);
    if (!recording) return; // its start was not seen: the check after connecting fails it
    if (bySchema.get(recording.schema) === recording) bySchema.delete(recording.schema);
    if (mark.relations !== recording.relations) lose(recording, "a table was dropped or created");
    const { run, fold, events: changes, lost } = recording;
    const outcome = fold
      ? { run, fold, events: changes, evaluate: mark.evaluate }
      : { run, lost: lost ?? "unknown" };
    events.ended(outcome, mark.instance);
  };

  return {
    /** The table of a schema that is being recorded. */
    lookup(schema: string, table: string): TableShape | undefined {
      const recording = bySchema.get(schema);
      if (!recording?.fold) return undefined;
      const shape = recording.fold.table(table);
      if (!shape) lose(recording, "a table was created");
      return shape;
    },

    read(message: Message, lsn: Lsn): void {
      switch (message.kind) {
        case "begin":
          open = true;
          return;
        case "mark": {
          if (runs.size === 0 && message.content.startsWith(CALL)) return;
          const mark = JSON.parse(message.content) as Mark;
          if (mark.k === "call") request = mark.request;
          else marks.push(mark);
          return;
        }
        case "change":
          record(message.schema, message.change);
          return;
        case "truncate":
          for (const schema of message.schemas) {
            const recording = bySchema.get(schema);
            if (recording) lose(recording, "truncate");
          }
          return;
        case "commit":
          for (const mark of marks) {
            if (mark.k === "start") start(mark, committed);
            else if (mark.k === "end") end(mark);
            else if (mark.k === "close") close(mark.run);
          }
          marks = [];
          committed = lsn;
          open = false;
          transaction++;
          request = null;
      }
    },

    /** The server has nothing more to send up to here, except the rest of a transaction under way. */
    caughtUp(lsn: Lsn): void {
      if (!open && lsn > committed) committed = lsn;
    },

    /** Everything before this position has been read. */
    get committed() {
      return committed;
    },

    /** The stream may forget what lies before this position. */
    get safe(): Lsn {
      let safe = committed;
      for (const { hold } of runs.values()) if (hold < safe) safe = hold;
      return safe;
    },

    /** Runs that hold the position back, oldest first. */
    get held(): readonly string[] {
      return [...runs.keys()];
    },

    has: (run: string) => runs.has(run),

    /** The run's result is stored, or nobody waits for it any more. */
    release: close,
  };

  function record(schema: string, change: Change): void {
    const recording = bySchema.get(schema);
    if (!recording?.fold) return;
    recording.fold.apply(change);
    recording.events.add(change, transaction, request);
    if (recording.fold.size > RUN_ROWS_MAX)
      lose(recording, `more than ${RUN_ROWS_MAX} changed rows`);
  }
}
