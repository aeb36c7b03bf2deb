/** Reasons why a run is lost: metrics count the code, and the run's failure shows the text. */
import {
  megabytes,
  RESULT_LENGTH_MAX,
  RUN_BYTES_MAX,
  RUN_ROWS_MAX,
  SHARE_BYTES_MAX,
  TOTAL_BYTES_MAX,
} from "~/capture/limits";

export const LOSSES = {
  database_changed: "database changed",
  slot_dropped: "slot dropped",
  slot_invalidated: "slot invalidated by max_slot_wal_keep_size",
  wal_budget: "wal budget",
  undecodable_transaction: "undecodable transaction",
  unreadable_change: "a change could not be read",
  /** The table's replica identity is not full. */
  incomplete_row: "the old row of a change is not complete in the log",
  unpublished: "its tables are not in the publication",
  incomplete_identity: "a table is unlogged or its replica identity is not full",
  truncate: "truncate",
  table_created: "a table was created",
  table_replaced: "a table was dropped or created",
  table_altered: "a table was altered",
  too_many_rows: `more than ${RUN_ROWS_MAX} changed rows`,
  too_many_bytes: `more than ${megabytes(RUN_BYTES_MAX)} of changed rows`,
  too_many_bytes_in_total: `more than ${megabytes(TOTAL_BYTES_MAX)} of changed rows in all runs together`,
  too_large_share: `more than ${megabytes(SHARE_BYTES_MAX)} of changed rows, and more than ${megabytes(TOTAL_BYTES_MAX)} in all runs together`,
  diff_too_long: `its diff is larger than ${megabytes(RESULT_LENGTH_MAX)}`,
  evidence_too_long: `what its verdict needs is larger than ${megabytes(RESULT_LENGTH_MAX)}`,
  too_many_calls: "more calls, or longer ones, than its journal keeps",
  too_many_events: "more events, or longer ones, than are kept, or than a verdict can count",
  changes_missing: "its changes are missing",
  comparison_failed: "its states could not be compared",
  result_unwritable: "its result could not be written",
  result_not_stored: "its result could not be stored",
  result_overdue: "its result was not stored in time",
  log_unread: "the log is not being read",
  verdict_failed: "its verdict could not be given",
} as const;

export type Loss = keyof typeof LOSSES;

/** Limits that only a run's own calls and changes can exceed: it fails by its agent's doing. */
const OF_AGENT: ReadonlySet<Loss> = new Set([
  "too_many_rows",
  "too_many_bytes",
  "too_large_share",
  "diff_too_long",
  "evidence_too_long",
  "too_many_calls",
  "too_many_events",
]);

export const isByAgent = (loss: Loss) => OF_AGENT.has(loss);

/** The loss as the failure of a run. */
export const failureOf = (loss: Loss) =>
  `${isByAgent(loss) ? "agent_limit" : "capture_lost"}: ${LOSSES[loss]}`;

/** The result of a run cannot be guaranteed. */
export class Lost extends Error {
  override readonly name = "Lost";
  readonly loss: Loss;
  constructor(loss: Loss, options?: ErrorOptions) {
    super(LOSSES[loss], options);
    this.loss = loss;
  }
}

export const lossOf = (error: unknown, otherwise: Loss): Loss =>
  error instanceof Lost ? error.loss : otherwise;

/** The label under which metrics count a loss. */
export const lossLabel = (loss: Loss) => `capture_${loss}`;
