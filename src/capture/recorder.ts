/**
 * What the stream means for runs: marks open and end recordings, changes go to the recording of their schema.
 *
 * Knows positions but no connection and no clock. A new one begins with every connection: after a loss the stream
 * is read again from the start mark of the oldest run, and the folds are built anew.
 */
import type { Change, Decode, Lsn, Mark, Message, Relations, TableShape } from "~/capture/change";
import { createEvents, type Events } from "~/capture/events";
import { createFold, type Fold } from "~/capture/fold";
import { RUN_BYTES_MAX, RUN_ROWS_MAX, TOTAL_BYTES_MAX } from "~/capture/limits";
import { type Loss, Lost, lossOf } from "~/capture/loss";
import { lossBetween } from "~/capture/relations";

/** How the marks of calls begin, of which there are many. */
const CALL = '{"k":"call"';

type Recording = {
  readonly run: string;
  readonly schema: string;
  readonly relations: Relations | null;
  /** Reading must go on from here to see the whole run again. */
  readonly hold: Lsn;
  fold: Fold | undefined;
  readonly events: Events;
  /** Memory that is counted for it. */
  bytes: number;
  /** Why the run cannot be answered for. */
  lost: Loss | undefined;
};

/** A run whose end mark was read. */
export type Ended = {
  readonly run: string;
  /** The server that waits for the result. */
  readonly instance: string;
  /** The call that gives a verdict on it, if one does. */
  readonly evaluate: string | undefined;
  /** Its tables when it began and when it ended, where they have to be looked at before its changes are believed. */
  readonly altered: Altered | undefined;
};

type Altered = { readonly schema: string; readonly before: Relations; readonly after: Relations };

export type Taken = { readonly lost: Loss } | { readonly fold: Fold; readonly events: Events };

export type Recorder = ReturnType<typeof createRecorder>;

type Listener = {
  seen: (mark: Extract<Mark, { k: "start" }>) => void;
  /** The recording is kept, and the position held, until `release`. */
  ended: (ended: Ended) => void;
  /** Of a run that cannot be answered for any more. */
  lost: (run: string, loss: Loss, error: unknown) => void;
};

/**
 * `position`: up to where the stream was read and confirmed before. `needsPublication`: the plugin sends only the
 * tables of the publication. `unread`: schemas whose changes are not sent.
 */
export function createRecorder(
  position: Lsn,
  needsPublication: boolean,
  unread: readonly string[],
  decode: Decode,
  listener: Listener,
) {
  const runs = new Map<string, Recording>();
  const bySchema = new Map<string, Recording>();
  let committed = position;
  let marks: Mark[] = [];
  let lastCommit = position;
  let open: Extract<Message, { kind: "begin" }> | undefined;
  /** Counts up with every commit. */
  let transaction = 0;
  /** The call that the open transaction belongs to, if it says so. */
  let request: string | null = null;
  /** Memory of all recordings. */
  let bytes = 0;
  /** The recording that the message being read belongs to. */
  let current: Recording | undefined;

  const count = (recording: Recording) => {
    bytes -= recording.bytes;
    recording.bytes = (recording.fold?.bytes ?? 0) + recording.events.bytes;
    bytes += recording.bytes;
  };

  const lose = (recording: Recording, loss: Loss, error?: unknown) => {
    if (recording.lost !== undefined) return;
    recording.lost = loss;
    recording.fold = undefined;
    recording.events.giveUp();
    count(recording);
    listener.lost(recording.run, loss, error);
  };

  /** However much the others hold, a run that holds less than another one is not the one to fail. */
  const makeRoom = () => {
    while (bytes > TOTAL_BYTES_MAX) {
      let heaviest: Recording | undefined;
      for (const each of runs.values()) if (each.bytes > (heaviest?.bytes ?? 0)) heaviest = each;
      if (!heaviest) return;
      if (heaviest.events.bytes > 0) heaviest.events.giveUp();
      else lose(heaviest, "too_many_bytes_in_total");
      count(heaviest);
    }
  };

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
      fold: createFold(mark.keys),
      events: createEvents(mark.keys),
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
    if (!recording) return; // its start was not seen: the check after connecting fails it
    if (bySchema.get(recording.schema) === recording) bySchema.delete(recording.schema);
    const { run, instance, evaluate, relations: after } = mark;
    const { schema, relations: before } = recording;
    const loss = before ? lossBetween(before, after) : "table_replaced";
    const altered =
      loss === "table_altered" && before && after ? { schema, before, after } : undefined;
    if (loss !== undefined && !altered) lose(recording, loss);
    listener.ended({ run, instance, evaluate, altered });
  };

  /** The table of a schema that is being recorded. */
  const lookup = (schema: string, table: string, length: number): TableShape | undefined => {
    const recording = bySchema.get(schema);
    if (!recording?.fold) return undefined;
    current = recording;
    if (length > RUN_BYTES_MAX) throw new Lost("too_many_bytes");
    const shape = recording.fold.table(table);
    if (!shape) throw new Lost("table_created");
    return shape;
  };

  return {
    /** Postgres reports that it left a change of a schema out, because its old row is not in the log. */
    leftOut(schema: string): void {
      const recording = bySchema.get(schema);
      if (recording) lose(recording, "incomplete_row");
    },

    /**
     * Reads one message of the stream and returns its kind; undefined for what concerns no run. What goes wrong with a
     * change of a run loses that run only. Throws on what cannot be read and belongs to no run.
     */
    read(data: Buffer, lsn: Lsn): Message["kind"] | undefined {
      current = undefined;
      try {
        const message = decode(data, lookup);
        if (message) apply(message, lsn);
        return message?.kind;
      } catch (error) {
        if (!current) throw error;
        lose(current, lossOf(error, "unreadable_change"), error);
        return undefined;
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

    /** Where the last transaction ended that was read. */
    get lastCommit() {
      return lastCommit;
    },

    /** A transaction is being read. */
    get isOpen() {
      return open !== undefined;
    },

    /** Where to begin in order to skip the transaction that is being read; undefined when that is not known. */
    get openUntil() {
      return open?.until;
    },

    /** Schemas that are being recorded. */
    get schemas(): readonly string[] {
      return [...bySchema.keys()];
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

    /** Memory that is counted for a run. */
    bytesOf: (run: string) => runs.get(run)?.bytes ?? 0,

    /** Hands over what was recorded of a run that has ended; undefined when it was closed since. */
    take(run: string): Taken | undefined {
      const recording = runs.get(run);
      if (!recording) return undefined;
      const { fold, events, lost } = recording;
      recording.fold = undefined;
      bytes -= recording.bytes;
      recording.bytes = 0;
      return fold ? { fold, events } : { lost: lost ?? "changes_missing" };
    },

    /** The run's result is stored, or nobody waits for it any more. */
    release: close,
  };

  function apply(message: Message, lsn: Lsn): void {
    switch (message.kind) {
      case "begin":
        open = message;
        return;
      case "mark": {
        if (runs.size === 0 && message.content.startsWith(CALL)) return;
        const mark = parseMark(message.content);
        if (mark?.k === "call") request = mark.request;
        else if (mark) marks.push(mark);
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
        lastCommit = lsn;
        open = undefined;
        transaction++;
        request = null;
    }
  }

  function record(schema: string, change: Change): void {
    const recording = bySchema.get(schema);
    if (!recording?.fold) return;
    recording.fold.apply(change);
    recording.events.add(change, transaction, request);
    count(recording);
    if (recording.fold.size > RUN_ROWS_MAX) lose(recording, "too_many_rows");
    else if (recording.fold.bytes > RUN_BYTES_MAX) lose(recording, "too_many_bytes");
    makeRoom();
  }
}

/** Undefined for what is none of ours, although it has our prefix. */
function parseMark(content: string): Mark | undefined {
  try {
    return JSON.parse(content) as Mark;
  } catch {
    return undefined;
  }
}
