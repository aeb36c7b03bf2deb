/**
 * The journal: notes each call to an environment, and appends it to the environment's run.
 *
 * Calls are kept in memory and appended in batches, so that a call costs no statement. Whether a run was active during
 * a call is decided when the batch is appended: another server may have started it a moment before. A call that writes
 * also names itself in the log, in its own transaction, so a crash never loses it (see `listing.ts`).
 */
import { callMark } from "~/capture/change";
import { isUnavailable, type Pool } from "~/db/connect";
import type { LogMark } from "~/db/session";
import { kindOf } from "~/http/errors";
import { errorFields, type Log } from "~/log";
import {
  answerText,
  argumentsText,
  cutJson,
  type Line,
  LOGGED_ARGUMENTS_MAX,
  shortError,
  shortName,
} from "~/platform/journal/line";
import * as store from "~/platform/journal/store";
import { type CallAccount, newAccount } from "~/replicas/replica";

export type Journal = ReturnType<typeof createJournal>;

/** A call in progress. */
export type JournaledCall = {
  /** Shown in its line. Filled in while the call is handled. */
  readonly account: CallAccount;
  /** For the session that it writes with. */
  readonly mark: LogMark;
  /** Notes its end. `status`: of the HTTP response. `bytes`: size of the request. */
  readonly end: (status: number, bytes: number) => void;
  /** Notes that it was rejected, or failed, before the service answered. */
  readonly fail: (error: unknown) => void;
};

export type JournaledEnvironment = {
  readonly environmentId: string;
  readonly schemaName: string;
  readonly service: string;
  readonly state: "live" | "expired" | "deleted";
};

/** How long a call waits for its batch. */
export const APPEND_MS = 100;
const RETRY_MS = 500;
/** Clocks differ, and a run may have ended while its calls were on their way here. */
const SLACK_MS = 60_000;
/** Calls in memory, and their size. Above it, they are appended immediately; above the double, they are dropped. */
const LINES_MAX = 5_000;
const BYTES_MAX = 8 * 1024 * 1024;
/** Memory of a call without its texts. */
const LINE_BYTES = 500;
/** Calls of one run that one server appends, and their characters. */
const RUN_LINES_MAX = 200_000;
const RUN_LENGTH_MAX = 256 * 1024 * 1024;
/** Runs with counters: beyond it, the oldest begin anew. */
const RUNS_MAX = 10_000;
/** Comparisons of the clocks that count, and those made at the start. */
const CLOCKS_MAX = 50;
const CLOCKS_AT_START = 10;
/** https://www.w3.org/TR/trace-context/#traceparent-header-field-values */
const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

/** A call that has ended. Times are those of `performance.now()`. */
type EndedCall = {
  readonly id: string;
  readonly environment: JournaledEnvironment;
  readonly request: string;
  readonly trace: string | null;
  readonly account: CallAccount;
  readonly arguments: () => string;
  readonly began: number;
  readonly ended: number;
  readonly status: number;
  readonly bytes: number;
};

/** A call of a run, once it is in the journal. */
export type CallOfRun = {
  readonly runId: string;
  readonly environmentId: string;
  readonly line: Line;
};

/** Takes calls for an export. Does not wait or throw. */
export type Spans = { readonly add: (calls: readonly CallOfRun[]) => void };

export function createJournal({ pool, log, spans }: { pool: Pool; log: Log; spans?: Spans }) {
  const server = crypto.randomUUID().slice(0, 8);
  const clock = createClock();
  /** Calls, and their characters, that this server has appended to each run. */
  const appended = new Map<string, { lines: number; length: number }>();
  let calls = 0;
  let waiting: EndedCall[] = [];
  let bytes = 0;
  /** By environment. */
  let dropped = new Map<string, number>();
  let timer: NodeJS.Timeout | undefined;
  let appending: Promise<void> = compareClocks().catch(() => undefined);

  async function compareClocks(): Promise<void> {
    for (let n = 0; n < CLOCKS_AT_START; n++) {
      const sent = performance.now();
      const { now } = await store.findActive(pool, [], 0);
      clock.compare(sent, performance.now(), now);
    }
  }

  function note(call: EndedCall): void {
    if (waiting.length >= 2 * LINES_MAX || bytes >= 2 * BYTES_MAX) {
      const { environmentId } = call.environment;
      dropped.set(environmentId, (dropped.get(environmentId) ?? 0) + 1);
      return;
    }
    waiting.push(call);
    bytes += call.bytes;
    if (waiting.length === LINES_MAX || (bytes >= BYTES_MAX && bytes - call.bytes < BYTES_MAX))
      void flush();
    else timer ??= setTimeout(flush, APPEND_MS);
  }

  /** Appends everything noted so far. Keeps it while the database is not available. */
  function flush(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    appending = appending.then(appendWaiting);
    return appending;
  }

  async function appendWaiting(): Promise<void> {
    const [batch, lost] = [waiting, dropped];
    if (batch.length === 0 && lost.size === 0) return;
    [waiting, bytes, dropped] = [[], 0, new Map()];
    try {
      await append(batch, lost);
    } catch (error) {
      if (!isUnavailable(error)) {
        log.error("calls not journaled", { count: batch.length, ...errorFields(error) });
        return;
      }
      waiting = [...batch, ...waiting];
      for (const each of batch) bytes += each.bytes;
      for (const [environmentId, count] of lost)
        dropped.set(environmentId, (dropped.get(environmentId) ?? 0) + count);
      timer ??= setTimeout(flush, RETRY_MS);
    }
  }

  async function append(
    batch: readonly EndedCall[],
    lost: ReadonlyMap<string, number>,
  ): Promise<void> {
    const asked = performance.now();
    const oldest = batch.reduce((least, { began }) => Math.min(least, began), asked);
    const environmentIds = new Set(lost.keys());
    for (const { environment } of batch) environmentIds.add(environment.environmentId);
    const { now, runs } = await store.findActive(
      pool,
      [...environmentIds],
      asked - oldest + SLACK_MS,
    );
    clock.compare(asked, performance.now(), now);
    if (runs.length === 0) return;
    const lines = new Map(runs.map((run) => [run, [] as string[]]));
    const runsOf = Map.groupBy(runs, ({ environmentId }) => environmentId);
    const traced: CallOfRun[] = [];
    for (const call of batch) {
      const run = runsOf.get(call.environment.environmentId)?.find((run) => isDuring(run, call));
      if (!run) continue;
      const line = lineOf(call);
      lines.get(run)?.push(textOf(line, call, run.journal));
      if (spans) traced.push({ runId: run.runId, environmentId: run.environmentId, line });
    }
    const batches = [...lines].flatMap(([run, texts]) => {
      const isNewest = runsOf.get(run.environmentId)?.[0] === run;
      return batchOf(run.runId, texts, isNewest ? (lost.get(run.environmentId) ?? 0) : 0);
    });
    if (batches.length > 0) await store.append(pool, batches);
    if (traced.length > 0) spans?.add(traced);
  }

  function batchOf(runId: string, texts: readonly string[], lost: number): store.Batch[] {
    const count = appended.get(runId) ?? { lines: 0, length: 0 };
    const kept = texts.filter((text) => {
      if (count.lines >= RUN_LINES_MAX || count.length + text.length > RUN_LENGTH_MAX) return false;
      count.lines++;
      count.length += text.length;
      return true;
    });
    appended.set(runId, count);
    const [oldest] = appended.keys();
    if (appended.size > RUNS_MAX && oldest !== undefined) appended.delete(oldest);
    const missing = lost + texts.length - kept.length;
    if (kept.length === 0 && missing === 0) return [];
    return [{ runId, lines: `[${kept.join(",")}]`, lineCount: kept.length, dropped: missing }];
  }

  function isDuring({ startedAt, endedAt }: store.JournaledRun, call: EndedCall) {
    return clock.at(call.ended) >= startedAt && clock.at(call.began) <= (endedAt ?? Infinity);
  }

  const lineOf = (call: EndedCall): Line => ({
    ...headOf(call),
    ms: rounded(call.ended - call.began),
    status: call.status,
  });

  function textOf(line: Line, call: EndedCall, mode: store.JournaledRun["journal"]): string {
    const answer = mode === "full" ? `,"answer":${answerText(call.account)}` : "";
    return `${JSON.stringify(line).slice(0, -1)},"arguments":${call.arguments()}${answer}}`;
  }

  const headOf = ({
    id,
    began,
    environment,
    request,
    trace,
    account,
  }: Omit<EndedCall, "ended" | "status" | "bytes" | "arguments">) => ({
    id,
    at: rounded(clock.at(began)),
    ms: null,
    service: environment.service,
    via: account.via,
    name: shortName(account.name),
    status: null,
    error: shortError(account.error),
    ...(account.fault !== undefined && { fault: account.fault }),
    request,
    trace,
  });

  return {
    /**
     * Begins to note a call; it gets no line if there is no such live environment. `name`: until more is known. `trace`:
     * the caller's `traceparent`. `isViewing`: by a viewer; only what it writes gets a line, from the log.
     */
    begin(
      environment: JournaledEnvironment | undefined,
      {
        request,
        trace,
        name,
        isViewing,
      }: { request: string; trace: string | null; name: string; isViewing: boolean },
    ): JournaledCall {
      const id = `${server}${(calls++).toString(36)}`;
      const account = newAccount(name);
      let text: string | undefined;
      const call = {
        id,
        environment: environment ?? NO_ENVIRONMENT,
        request,
        trace: trace !== null && TRACEPARENT.test(trace) ? trace : null,
        account,
        arguments: () => (text ??= argumentsText(account.arguments)),
        began: performance.now(),
      };
      const mark = callMark(() => ({
        schema: call.environment.schemaName,
        id,
        request,
        line: headOf(call),
        argumentsText: cutJson(call.arguments(), LOGGED_ARGUMENTS_MAX),
      }));
      const end = (status: number, size: number) => {
        if (call.environment.state !== "live" || isViewing) return;
        const bytes = LINE_BYTES + size + (account.answer?.length ?? 0);
        note({ ...call, ended: performance.now(), status, bytes });
      };
      const fail = (error: unknown) => {
        const { status, code } = kindOf(error);
        account.error = code;
        end(status, 0);
      };
      return { account, mark, end, fail };
    },

    flush,

    async stop(): Promise<void> {
      await flush();
      clearTimeout(timer);
    },
  };
}

const NO_ENVIRONMENT: JournaledEnvironment = {
  environmentId: "",
  schemaName: "",
  service: "",
  state: "deleted",
};

const rounded = (ms: number) => Math.round(ms * 1000) / 1000;

/**
 * Translates times of `performance.now()` to those of the database's clock, which all servers share. Each comparison
 * limits the difference from both sides; together they limit it to a fraction of a round trip.
 */
function createClock() {
  let compared: { least: number; most: number }[] = [];
  let offset = Date.now() - performance.now();
  return {
    /** The database's clock showed `now` between `sent` and `received`. */
    compare(sent: number, received: number, now: number): void {
      const newest = { least: now - received, most: now - sent };
      compared = [...compared.slice(1 - CLOCKS_MAX), newest];
      const least = Math.max(...compared.map((each) => each.least));
      const most = Math.min(...compared.map((each) => each.most));
      // One of the clocks was set: only the newest comparison still holds.
      if (least > most) compared = [newest];
      offset = least > most ? (newest.least + newest.most) / 2 : (least + most) / 2;
    },
    at: (time: number) => time + offset,
  };
}
