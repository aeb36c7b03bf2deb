/** Events of the thread that reads the log, for the server's thread. */
import type { Loss } from "~/capture/loss";
import type { Result, StoredVerdict } from "~/capture/records";
import type { Plugin } from "~/capture/slot";

/**
 * idle: no runs, no slot. starting: about to stream. streaming: this server reads the slot. following: another server
 * does. busy: the slot cannot be created yet. failing: the last attempt ended with an error.
 */
export type StreamState = "idle" | "starting" | "streaming" | "following" | "busy" | "failing";

export type StreamEvent =
  | {
      readonly type: "state";
      readonly state: StreamState;
      readonly reason?: string;
      /** Plugin of the slot that is read, here or elsewhere. */
      readonly plugin?: Plugin;
    }
  /** The changes of a run of this server, for its verdict. */
  | { readonly type: "evaluate"; readonly call: string; readonly recorded: Recorded }
  /** The result of a run of this server is stored. */
  | {
      readonly type: "stored";
      readonly run: string;
      /** JSON text, if that was stored. */
      readonly diff?: string;
    }
  /** Increments a metric. */
  | {
      readonly type: "count";
      readonly what: Counted;
      readonly by: number;
      readonly label?: string;
    }
  /** Runs that failed. */
  | { readonly type: "lost"; readonly by: number; readonly loss: Loss };

/**
 * messages: read, by kind. skipped: of no run. changes: rows of a run's result. reconnects: streams that ended early,
 * by reason. poison: undecodable transactions. marker: seconds from writing a start mark to reading it.
 */
export type Counted = "messages" | "skipped" | "changes" | "reconnects" | "poison" | "marker";
/** JSON text. */
export type Recorded = Pick<Result, "diff" | "others" | "events"> & { readonly evidence: string };
/** Returns undefined if there is no verdict in time. */
export type Evaluate = (run: string, recorded: Recorded) => Promise<StoredVerdict | undefined>;
