/**
 * Handles transactions that cannot be decoded.
 *
 * The stream would stop at such a transaction again and again. After several failures at the same position, the runs
 * whose changes it may contain fail, and the next connection takes a detour. With wal2json the detour filters out the
 * schemas whose changes cannot be decoded; other runs are not affected. Pgoutput cannot filter out tables that were
 * published when the transaction was written, so the whole transaction is skipped. Postgres does not report which
 * schemas it wrote, so every run that was recorded at that moment fails; later runs are not affected.
 */
import { formatLsn, type Lsn } from "~/capture/change";
import type { Recorder } from "~/capture/recorder";
import type { Losing, RunRecords } from "~/capture/records";
import { flushLog, RELEASE_ATTEMPTS, RELEASE_MS, type Slot } from "~/capture/slot";
import {
  connect,
  errorCode,
  isUnavailable,
  isUnreachable,
  type Pool,
  QUERY_CANCELED,
} from "~/db/connect";
import { errorFields, type Log } from "~/log";

/** After this many failures a transaction counts as undecodable. */
const ATTEMPTS = 3;
/** The same limit if Postgres or the network may be the cause, in the middle of the transaction. */
const OUTER_ATTEMPTS = 10;

/** How far after the last commit the transaction may end, in bytes; finally without a limit. */
const REACHES = [2 ** 20, 2 ** 26, undefined];
const FOUND_MAX = 8;
const PEEK_TIMEOUT = "120s";
const FILTER = "filter-tables";
const OBJECT_IN_USE = "55006";

/** The stream's content is faulty, not the connection. */
export class DecodeError extends Error {
  override readonly name = "DecodeError";
}

export type Detour = {
  /** Their changes are not decoded. */
  readonly schemas: readonly string[];
  /** Where to begin; undefined: at the slot's confirmed position. */
  readonly from: Lsn | undefined;
  /** The transaction is the first that commits after this position. */
  readonly after: Lsn;
  /** Where the transaction ends, once known: a stream that begins there needs no detour. */
  passed: Lsn | undefined;
};

export function createPoison(deps: {
  url: string;
  runs: RunRecords;
  pool: Pool;
  log: Log;
  lost: (count: number) => void;
}) {
  const { url, runs, pool, log } = deps;
  let position = -1n;
  let attempts = 0;
  let detour: Detour | undefined;

  /** Whether the failures at this position have reached the limit. */
  function isPoison(error: unknown, { lastCommit, isOpen }: Recorder): boolean {
    // Errors of our own statements are not in the log.
    if (!(error instanceof Error) || error.name === "PostgresError") return false;
    const isInner =
      error instanceof DecodeError || (errorCode(error) !== undefined && !isUnavailable(error));
    if (!isInner && !isOpen) return false;
    attempts = lastCommit > position ? 1 : attempts + 1;
    if (lastCommit > position) position = lastCommit;
    return attempts >= (isInner ? ATTEMPTS : OUTER_ATTEMPTS);
  }

  /** Then flushes: a run that is not lost has a result, perhaps not on disk, and the detour may not give it again. */
  async function lose(which: Losing): Promise<void> {
    deps.lost(await runs.lose(pool, which, "undecodable_transaction"));
    await flushLog(pool);
  }

  /**
   * Removes from the stream the schemas whose changes Postgres cannot decode. Returns false if they cannot be found.
   */
  async function leaveOut(slot: Slot, recorded: readonly string[]): Promise<boolean> {
    const schemas = await findUndecodable(url, slot, position, recorded);
    if (!schemas) return false;
    if (schemas.length === 0) return true; // it can be decoded now
    await lose({ schemas });
    detour = {
      schemas: [...new Set([...(detour?.schemas ?? []), ...schemas])],
      from: undefined,
      after: position,
      passed: undefined,
    };
    return true;
  }

  async function skip(held: readonly string[], end: Lsn): Promise<void> {
    await lose({ runs: held });
    detour = { schemas: [], from: end, after: position, passed: end };
  }

  return {
    /** The detour for a stream that begins at the confirmed position, if it needs one. */
    detour(confirmed: Lsn): Detour | undefined {
      if (detour?.passed !== undefined && confirmed >= detour.passed) detour = undefined;
      return detour;
    },

    /**
     * Records a failure of the stream. Returns false when the transaction cannot be decoded and only a new slot gets
     * past it.
     */
    async note(error: unknown, slot: Slot, recorder: Recorder): Promise<boolean> {
      if (!isPoison(error, recorder)) return true;
      attempts = 0;
      log.error("undecodable transaction", { lsn: formatLsn(position), ...errorFields(error) });
      const { openUntil } = recorder;
      if (slot.plugin === "wal2json")
        return !(error instanceof DecodeError) && (await leaveOut(slot, recorder.schemas));
      if (openUntil === undefined) return false;
      await skip(recorder.held, openUntil);
      return true;
    },
  };
}

/**
 * Finds the schemas whose changes make wal2json fail after `position`, trying `likely` ones first. Returns an empty
 * list if it does not fail, undefined if they cannot be found. Peeks at the slot's changes, which does not move the
 * slot.
 */
async function findUndecodable(
  url: string,
  slot: Slot,
  position: Lsn,
  likely: readonly string[],
): Promise<string[] | undefined> {
  const session = connect(url, { max: 1, name: "capture", patient: true });
  let upto: string | null = null;

  async function fails(option: "add-tables" | typeof FILTER, schemas: readonly string[]) {
    if (schemas.length === 0 && option === "add-tables") return false;
    const options = ["format-version", "2", "include-transaction", "false"];
    if (schemas.length > 0) options.push(option, tablesOf(schemas));
    for (let attempt = 1; ; attempt++)
      try {
        return await peek(options);
      } catch (error) {
        const code = errorCode(error) ?? "";
        const isInUse = code === OBJECT_IN_USE;
        if (isUnreachable(error) || code === QUERY_CANCELED) throw error;
        if (!isInUse) return true;
        if (attempt === RELEASE_ATTEMPTS) throw error;
        await Bun.sleep(RELEASE_MS);
      }
  }

  /** Returns false when everything could be decoded. */
  async function peek(options: readonly string[]): Promise<false> {
    await session`select set_config('statement_timeout', ${PEEK_TIMEOUT}, false)`;
    await session`
        select count(*) from pg_logical_slot_peek_changes(${slot.name}, ${upto}::pg_lsn, null, variadic ${[...options]}::text[])
      `;
    return false;
  }

  async function findOne(schemas: readonly string[]): Promise<string | undefined> {
    let suspects = schemas;
    if (!(await fails("add-tables", suspects))) return undefined;
    while (suspects.length > 1) {
      const half = suspects.slice(0, suspects.length / 2);
      suspects = (await fails("add-tables", half)) ? half : suspects.slice(half.length);
    }
    return suspects[0];
  }

  try {
    let isFailing = false;
    for (const reach of REACHES) {
      upto = reach === undefined ? null : formatLsn(position + BigInt(reach));
      isFailing = await fails(FILTER, []);
      if (isFailing) break;
    }
    const names = await session<{ name: string }[]>`
      select nspname as name from pg_namespace where nspname !~ '^(pg_|information_schema$)'
    `;
    const others = names.map(({ name }) => name).filter((name) => !likely.includes(name));
    const found: string[] = [];
    while (isFailing) {
      const left = (schemas: readonly string[]) => schemas.filter((name) => !found.includes(name));
      const one = (await findOne(left(likely))) ?? (await findOne(left(others)));
      if (one === undefined || found.length === FOUND_MAX) return undefined;
      found.push(one);
      isFailing = await fails(FILTER, found);
    }
    return found;
  } finally {
    await session.end({ timeout: 1 });
  }
}

type Options = { readonly [option: string]: string };

/** Adds a detour to the options of a stream. */
export const withDetour = (options: Options, detour: Detour | undefined): Options =>
  detour && detour.schemas.length > 0
    ? {
        ...options,
        [FILTER]: [options[FILTER], tablesOf(detour.schemas)].filter(Boolean).join(","),
      }
    : options;

/** Lists all tables of some schemas in the syntax of wal2json's filters. */
const tablesOf = (schemas: readonly string[]) =>
  schemas.map((name) => `${name.replace(/[\\ ',.*]/g, "\\$&")}.*`).join(",");
