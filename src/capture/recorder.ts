/**
 * Applies the stream to runs: marks open and end recordings, and changes go to the recording of their schema.
 *
 * Uses positions but no connection and no clock. Each connection gets a new recorder: after a loss the stream is read
 * again from the start mark of the oldest run, and the folds are rebuilt.
 */
import {
  type Change,
  calledSchema,
  type Decode,
  type Lsn,
  type Mark,
  type Message,
  type Relations,
  type TableShape,
} from "~/capture/change";
import { createEvents, type Events, type LoggedCall } from "~/capture/events";
import { createFold, type Fold } from "~/capture/fold";
import { RUN_BYTES_MAX, RUN_ROWS_MAX, SHARE_BYTES_MAX, TOTAL_BYTES_MAX } from "~/capture/limits";
import { type Loss, Lost, lossOf } from "~/capture/loss";
import { lossBetween } from "~/capture/relations";

/** Of a parsed mark: its texts, and the objects around them. */
const BYTES_PER_CHARACTER = 3;

type Recording = {
  readonly run: string;
  readonly schema: string;
  readonly relations: Relations | null;
  /** Reading must resume here to see the whole run again. */
  readonly hold: Lsn;
  fold: Fold | undefined;
  /** Changes by the environment's clock, if there are any. */
  ofClock: Fold | undefined;
  readonly keys: Extract<Mark, { k: "start" }>["keys"];
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

export type Taken =
  | { readonly lost: Loss }
  | { readonly fold: Fold; readonly ofClock: Fold | undefined; readonly events: Events };

export type Recorder = ReturnType<typeof createRecorder>;

type Listener = {
  seen: (mark: Extract<Mark, { k: "start" }>) => void;
  /** The recording and its position are kept until `release`. */
  ended: (ended: Ended) => void;
  /** A run was lost. */
  lost: (run: string, loss: Loss, error: unknown) => void;
};

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
  const runs = new Map<string, Recording>();
  const bySchema = new Map<string, Recording>();
  let committed = position;
  let marks: Mark[] = [];
  let lastCommit = position;
  let open: Extract<Message, { kind: "begin" }> | undefined;
  /** Increases with every commit. */
  let transaction = 0;
  /** The call that the open transaction belongs to, if the log names one. */
  let call: LoggedCall | null = null;
  /** The open transaction belongs to the clock of an environment. */
  let isClock = false;
  /** Memory of all recordings. */
  let bytes = 0;
  /** The recording that the message being read belongs to. */
  let current: Recording | undefined;

  const count = (recording: Recording) => {
    bytes -= recording.bytes;
    recording.bytes =
      (recording.fold?.bytes ?? 0) + (recording.ofClock?.bytes ?? 0) + recording.events.bytes;
    bytes += recording.bytes;
  };

  const lose = (recording: Recording, loss: Loss, error?: unknown) => {
    if (recording.lost !== undefined) return;
    recording.lost = loss;
    recording.fold = undefined;
    recording.ofClock = undefined;
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
      fold: createFold(mark.keys),
      ofClock: undefined,
      keys: mark.keys,
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

  /** The fold that the open transaction belongs to. */
  const foldFor = (recording: Recording, ofAgent: Fold): Fold => {
    if (!isClock) return ofAgent;
    recording.ofClock ??= createFold(recording.keys);
    return recording.ofClock;
  };

  /** The table of a schema that is being recorded. */
  const lookup = (schema: string, table: string, length: number): TableShape | undefined => {
    const recording = bySchema.get(schema);
    if (!recording?.fold) return undefined;
    current = recording;
    if (length > RUN_BYTES_MAX) throw new Lost("too_many_bytes");
    const shape = foldFor(recording, recording.fold).table(table);
    if (!shape) throw new Lost("table_created");
    return shape;
  };

  return {
    /** Postgres reported that it omitted a change of a schema because its old row is not in the log. */
    leftOut(schema: string): void {
      const recording = bySchema.get(schema);
      if (recording) lose(recording, "incomplete_row");
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
        lose(current, lossOf(error, "unreadable_change"), error);
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

    /** Schemas that are being recorded. */
    get schemas(): readonly string[] {
      return [...bySchema.keys()];
    },

    /** Log before this position is no longer needed. */
    get safe(): Lsn {
      let safe = committed;
      for (const { hold } of runs.values()) if (hold < safe) safe = hold;
      return safe;
    },

    /** Runs that hold the position back, oldest first. */
    get held(): readonly string[] {
      return [...runs.keys()];
    },

    /** How many they are. */
    get holding() {
      return runs.size;
    },

    has: (run: string) => runs.has(run),

    /** Memory counted for a run. */
    bytesOf: (run: string) => runs.get(run)?.bytes ?? 0,

    /** Returns the recorded changes of a run that has ended; undefined if it was closed meanwhile. */
    take(run: string): Taken | undefined {
      const recording = runs.get(run);
      if (!recording) return undefined;
      const { fold, ofClock, events, lost } = recording;
      recording.fold = undefined;
      recording.ofClock = undefined;
      bytes -= recording.bytes;
      recording.bytes = 0;
      return fold ? { fold, ofClock, events } : { lost: lost ?? "changes_missing" };
    },

    /** Releases a run: its result is stored, or no longer needed. */
    release: close,
  };

  function apply(message: Message, lsn: Lsn): void {
    switch (message.kind) {
      case "begin":
        open = message;
        return;
      case "mark": {
        const { content } = message;
        const schema = calledSchema(content);
        if (schema !== undefined && !bySchema.has(schema)) return;
        const mark = parseMark(content);
        if (mark?.k === "clock") isClock = true;
        else if (mark?.k === "call")
          call = { ...mark, bytes: BYTES_PER_CHARACTER * content.length };
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
        call = null;
        isClock = false;
    }
  }

  function record(schema: string, change: Change): void {
    const recording = bySchema.get(schema);
    if (!recording?.fold) return;
    foldFor(recording, recording.fold).apply(change, recording.ofClock !== undefined);
    if (isClock) recording.fold.follow(change);
    recording.events.add(change, transaction, call, isClock);
    count(recording);
    const rows = recording.fold.size + (recording.ofClock?.size ?? 0);
    if (rows > RUN_ROWS_MAX) lose(recording, "too_many_rows");
    else if (recording.fold.bytes + (recording.ofClock?.bytes ?? 0) > RUN_BYTES_MAX)
      lose(recording, "too_many_bytes");
    makeRoom();
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
