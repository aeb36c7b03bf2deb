/**
 * Applies the stream to runs: marks open and end recordings, and changes go to the recording of their schema.
 *
 * Uses positions but no connection and no clock. Each connection gets a new recorder: after a loss the stream is read
 * again from the start mark of the oldest run, and the folds are rebuilt.
 */
import type { Actor } from "~/capture/actor";
import {
  calledSchema,
  type Decode,
  isOfActor,
  type Lsn,
  type Mark,
  type Message,
  type TableShape,
} from "~/capture/change";
import type { LoggedCall } from "~/capture/events";
import { RUN_BYTES_MAX } from "~/capture/limits";
import { Lost, lossOf } from "~/capture/loss";
import { createRecordings, type Listener, type Recording } from "~/capture/recordings";

/** Of a parsed mark: its texts, and the objects around them. */
const BYTES_PER_CHARACTER = 3;

export type Recorder = ReturnType<typeof createRecorder>;

/**
 * `position`: the stream was read and confirmed up to here. `needsPublication`: the plugin sends only the tables of the
 * publication. `unread`: schemas whose changes are not sent.
 */
export function createRecorder(
  position: Lsn,
  needsPublication: boolean,
  unread: readonly string[],
  decode: Decode,
  listener: Listener,
) {
  const recordings = createRecordings(needsPublication, unread, listener);
  let committed = position;
  /** Of the open transaction: they count from its commit. */
  let marks: Mark[] = [];
  let lastCommit = position;
  let open: Extract<Message, { kind: "begin" }> | undefined;
  /** Increases with every commit. */
  let transaction = 0;
  /** The call that the open transaction belongs to, if the log names one. */
  let call: LoggedCall | null = null;
  /** The actor that the open transaction belongs to; undefined: the agent. */
  let actor: Actor | undefined;
  /** The recording that the message being read belongs to. */
  let current: Recording | undefined;
  const changed = new Set<string>();

  /** The table of a schema that is being recorded. */
  const lookup = (schema: string, table: string, length: number): TableShape | undefined => {
    changed.add(schema);
    const recording = recordings.of(schema);
    if (!recording?.folds) return undefined;
    current = recording;
    if (length > RUN_BYTES_MAX) throw new Lost("too_many_bytes");
    const shape = recording.folds.of(actor).table(table);
    if (!shape) throw new Lost("table_created");
    return shape;
  };

  return {
    has: recordings.has,
    bytesOf: recordings.bytesOf,
    take: recordings.take,
    release: recordings.close,

    /** Schemas that are being recorded. */
    get schemas() {
      return recordings.schemas();
    },

    /** The number of schemas of which it has read changes, also of those that no run records. */
    get changed() {
      return changed.size;
    },

    /** Runs that hold the position back, oldest first. */
    get held() {
      return recordings.held();
    },

    /** How many they are. */
    get holding() {
      return recordings.holding();
    },

    /** Log before this position is no longer needed. */
    get safe(): Lsn {
      return recordings.safe(committed);
    },

    /** Postgres reported that it omitted a change of a schema because its old row is not in the log. */
    leftOut(schema: string): void {
      recordings.loseIn(schema, "incomplete_row");
    },

    /**
     * Reads one message of the stream and returns its kind; undefined if it concerns no run. An error in a change of a
     * run loses only that run. Throws on errors that belong to no run.
     */
    read(data: Buffer, lsn: Lsn): Message["kind"] | undefined {
      current = undefined;
      try {
        const message = decode(data, lookup);
        if (message) apply(message, lsn);
        return message?.kind;
      } catch (error) {
        if (!current) throw error;
        recordings.lose(current, lossOf(error, "unreadable_change"), error);
        return undefined;
      }
    },

    /** The server has sent everything up to here, except the rest of an open transaction. */
    caughtUp(lsn: Lsn): void {
      if (!open && lsn > committed) committed = lsn;
    },

    /** Everything before this position has been read. */
    get committed() {
      return committed;
    },

    /** End of the last transaction that was read. */
    get lastCommit() {
      return lastCommit;
    },

    /** A transaction is being read. */
    get isOpen() {
      return open !== undefined;
    },

    /** Where to begin to skip the open transaction; undefined if unknown. */
    get openUntil() {
      return open?.until;
    },
  };

  function apply(message: Message, lsn: Lsn): void {
    switch (message.kind) {
      case "begin":
        open = message;
        return;
      case "mark": {
        const { content } = message;
        const schema = calledSchema(content);
        if (schema !== undefined && !recordings.of(schema)) return;
        const mark = parseMark(content);
        if (mark && isOfActor(mark)) actor = mark.k;
        else if (mark?.k === "call")
          call = { ...mark, bytes: BYTES_PER_CHARACTER * content.length };
        else if (mark) marks.push(mark);
        return;
      }
      case "change":
        recordings.record(message.change, message.schema, { number: transaction, call, actor });
        return;
      case "truncate":
        for (const schema of message.schemas) recordings.loseIn(schema, "truncate");
        return;
      case "commit":
        for (const mark of marks) {
          if (mark.k === "start") recordings.start(mark, committed);
          else if (mark.k === "end") recordings.end(mark);
          else if (mark.k === "close") recordings.close(mark.run);
        }
        marks = [];
        committed = lsn;
        lastCommit = lsn;
        open = undefined;
        transaction++;
        call = null;
        actor = undefined;
    }
  }
}

/** Parses a mark. Returns undefined for a foreign message with our prefix. */
function parseMark(content: string): Mark | undefined {
  try {
    return JSON.parse(content) as Mark;
  } catch {
    return undefined;
  }
}
