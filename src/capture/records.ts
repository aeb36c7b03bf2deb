/**
 * The rows that capture reads and writes: runs, the leader's epoch, and copies of environments. Their owner passes these
 * functions in (`platform/runs/records.ts`). Each takes its connection, so that capture can make it part of a
 * transaction.
 */
import type { Actor } from "~/capture/actor";
import type { Calls } from "~/capture/events";
import type { Diff, JsonObject } from "~/capture/fold";
import type { Loss } from "~/capture/loss";
import type { Plugin, Slot } from "~/capture/slot";
import type { Pool, Sql } from "~/db/connect";

export type Records = {
  readonly runs: RunRecords;
  readonly leadership: LeadershipRecords;
  readonly snapshots: SnapshotRecords;
};

/** A run is active while it is `running` or `ending`: capture is responsible for it. */
export type RunRecords = {
  /** Whether any run that is recorded from the log is active. */
  hasActive(sql: Sql): Promise<boolean>;
  /** The running run of a schema that compares snapshots. */
  comparedIn(sql: Sql, schema: string): Promise<string | undefined>;
  /** The active runs that are recorded from the log, and a position behind the start marks of all of them. */
  activeRuns(sql: Sql): Promise<{ runs: string[]; until: string }>;
  /** Those of the given runs that are active. */
  activeAmong(sql: Sql, runs: readonly string[]): Promise<string[]>;
  /** Fails active runs whose changes may be incomplete. Returns how many. */
  lose(sql: Sql, which: Losing, loss: Loss): Promise<number>;
  /**
   * Stores the result of a run that ended, or that it was lost, and closes its recording in the log. False when the run
   * is not waiting for one, or a newer leader has taken over.
   */
  store(
    sql: Sql,
    epoch: string,
    run: string,
    outcome: Result | { readonly lost: Loss },
    how: Storing,
  ): Promise<boolean>;
  /** Stores the result of a run whose recording ended in this very transaction. */
  complete(sql: Sql, run: string, result: Result): Promise<unknown>;
  isStored(sql: Sql, run: string): Promise<boolean>;
  /** Calls `listener` when another server has stored the result of a run. */
  onStored(
    pool: Pool,
    listener: (run: string) => void,
  ): Promise<{ unlisten: () => Promise<unknown> }>;
};

/**
 * `notify`: another server waits for the result. `isRepeatable`: the log gives the same result again, so that the commit
 * need not wait for the disk.
 */
export type Storing = { readonly notify: boolean; readonly isRepeatable: boolean };

/** `all` and `schemas`: of the runs that are recorded from the log. */
export type Losing =
  | { readonly run: string }
  /** This run, unless its end is marked. */
  | { readonly running: string }
  | { readonly runs: readonly string[] }
  | { readonly schemas: readonly string[] }
  | "all";

/** The verdict on a run. */
export type StoredVerdict = {
  readonly passed: boolean;
  readonly success: boolean;
  readonly score: object;
  readonly attack: string | null;
  readonly reward: number;
  readonly unsafe: object | null;
  readonly undone: number | null;
  readonly failures: readonly string[];
  readonly explanations: readonly object[];
  readonly stateVerdict?: object;
  /** Why the run is not gradable, or failed by a limit. */
  readonly cause?: string;
};

/**
 * The net changes by others than the agent: rows as a diff shows them, with `__actor__`; and of each update the columns
 * that it did not change.
 */
export type OtherChanges = Diff & { readonly unchangedColumns: readonly JsonObject[] };

/** The result of a run, as JSON text. */
export type Result = {
  readonly diff: string;
  /** Undefined if it was too long to be kept. */
  readonly evidence: string | undefined;
  /** Its verdict follows later. */
  readonly isPending: boolean;
  /** Changes by others than the agent, which the diff leaves out: see OtherChanges. */
  readonly others?: string | undefined;
  readonly events?: string;
  readonly calls?: Calls;
  readonly verdict?: StoredVerdict;
};

export type Leader = {
  readonly epoch: string;
  readonly state: "idle" | "streaming";
  readonly instance: string | null;
  readonly plugin: Plugin | null;
  readonly slotName: string | null;
  readonly systemId: string | null;
  readonly timeline: number | null;
};

export type LeadershipRecords = {
  leader(sql: Sql): Promise<Leader>;
  /** Begins a new epoch and returns it. Writes of an earlier leader have no effect from here on. */
  beginEpoch(
    sql: Sql,
    by: { instance: string; slot: Slot; system: { id: string; timeline: number } },
  ): Promise<string>;
  /** The leader of this epoch has stopped reading. */
  endEpoch(sql: Sql, epoch: string): Promise<unknown>;
  /** Publishes how far the leader has read. Null: it keeps up. */
  setReadTo(sql: Sql, epoch: string, lsn: string | null): Promise<unknown>;
  /** Bytes of log that were written and not read yet: 0 while the leader keeps up. */
  unreadBytes(sql: Sql): Promise<number>;
};

export type SnapshotTable = { name: string; columns: string[]; types: string[]; key: string[] };

/** Copies of environments. Parts of larger statements are SQL text. */
export type SnapshotRecords = {
  insertTable(sql: Sql, run: string, table: SnapshotTable): Promise<unknown>;
  tablesOf(sql: Sql, run: string): Promise<SnapshotTable[]>;
  /** Copies every row of `from`; `key` and `row` are expressions. */
  copyRows(run: string, table: string, from: string, key: string, row: string): string;
  /** The trigger function that notes the order of changes. */
  noteOrder(run: string, key: readonly string[]): string;
  /** Selects `key` and `row` of each copied row. */
  rows(run: string, table: string): string;
  /** Selects `key` and `position` of each row that was changed. */
  order(run: string, table: string): string;
  /** Copies every row before another actor than the agent acts. */
  copyForStep(run: string, table: string, from: string, key: string, row: string): string;
  /** Keeps those that differ from the copy, as the actor's next step. */
  keepStep(run: string, table: string, from: string, key: string, row: string, by: Actor): string;
  dropCopies(sql: Sql, run: string): Promise<unknown>;
  /** Selects `key` and `steps` of each row that others have changed: `{actor, was, became}` in their order, as JSON. */
  steps(run: string, table: string): string;
  drop(sql: Sql, run: string): Promise<void>;
};
