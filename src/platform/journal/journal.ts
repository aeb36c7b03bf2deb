/**
 * The journal: notes each call to an environment, and appends it to the environment's run.
 *
 * Calls are kept in memory and appended in batches, so that a call costs no statement. Whether a run was active during
 * a call is decided when the batch is appended: another server may have started it a moment before. A call that writes
 * also names itself in the log, in its own transaction, so a crash never loses it (see `listing.ts`).
 */
import { callMark } from "~/capture/change";
import { isUnavailable, type Pool } from "~/db/connect";
import type { LogMark } from "~/db/driver";
import { kindOf } from "~/http/errors";
import { errorFields, type Log } from "~/log";
import type { CallListener } from "~/platform/environments/call-listener";
import { createAppending, type Spans } from "~/platform/journal/appending";
import type { EndedCall } from "~/platform/journal/batches";
import {
  argumentsText,
  cutJson,
  keepAnswer,
  type Line,
  LOGGED_ARGUMENTS_MAX,
  rounded,
  shortError,
  shortName,
} from "~/platform/journal/line";
import { createQueue } from "~/platform/journal/queue";
import { type CallAccount, newAccount } from "~/replicas/replica";

export type Journal = ReturnType<typeof createJournal>;

/** A call in progress. */
export type JournaledCall = {
  /** Shown in its line. Filled in while the call is handled. */
  readonly account: CallAccount;
  /** For the session that it writes with. */
  readonly mark: LogMark;
  /** Notes its end, once what it sets off is done. `status`: of the HTTP response. Throws if that cannot be noted. */
  readonly end: (status: number) => Promise<void>;
  /** Notes that it was rejected, or failed, before the service answered. */
  readonly fail: (error: unknown) => Promise<void>;
};

type JournaledEnvironment = {
  readonly environmentId: string;
  readonly schemaName: string;
  readonly service: string;
  readonly state: "live" | "expired" | "deleted";
};

/** How long a call waits for its batch. */
export const APPEND_MS = 100;
const RETRY_MS = 500;
/** Memory of calls. Above it, they are appended immediately; above the double, some are dropped. */
const BYTES_MAX = 8 * 1024 * 1024;
/** Of an environment that causes a loss: no agent has so many calls under way unless it wants to. */
const OWN_BYTES = 2 * 1024 * 1024;
/** Memory of a call without its texts. */
const LINE_BYTES = 500;
/** https://www.w3.org/TR/trace-context/#traceparent-header-field-values */
const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

export function createJournal({ pool, log, spans }: { pool: Pool; log: Log; spans?: Spans }) {
  const server = crypto.randomUUID().slice(0, 8);
  const { compareClocks, append, isIdle, timeOf } = createAppending({ pool, spans });
  const queue = createQueue<EndedCall>({
    bytesMax: 2 * BYTES_MAX,
    ownBytes: OWN_BYTES,
    isIdle,
  });
  let calls = 0;
  let timer: NodeJS.Timeout | undefined;
  let appending: Promise<void> = compareClocks().catch(() => undefined);

  function note(call: EndedCall): void {
    const before = queue.size();
    queue.add(call);
    if (before < BYTES_MAX && queue.size() >= BYTES_MAX) void flush();
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
    const taken = queue.take();
    if (taken.calls.length === 0 && taken.dropped.size === 0) return;
    try {
      await append(taken);
      queue.caughtUp();
    } catch (error) {
      if (!isUnavailable(error)) {
        log.error("calls not journaled", { count: taken.calls.length, ...errorFields(error) });
        queue.lose(taken);
        return;
      }
      queue.putBack(taken);
      timer ??= setTimeout(flush, RETRY_MS);
    }
  }

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
        listener,
      }: {
        request: string;
        trace: string | null;
        name: string;
        isViewing: boolean;
        listener: CallListener;
      },
    ): JournaledCall {
      const id = `${server}${(calls++).toString(36)}`;
      const account = newAccount(name);
      const { environmentId, schemaName, service, state } = environment ?? NO_ENVIRONMENT;
      const began = performance.now();
      let text: string | undefined;
      const given = () => (text ??= argumentsText(account.arguments));
      const shown = () => ({
        ...{ service, via: account.via, name: shortName(account.name) },
        error: shortError(account.error),
      });
      const head = (ended: Pick<Line, "ms" | "status">) => ({
        ...{ id, ...ended, ...shown() },
        ...(account.fault !== undefined && { fault: account.fault }),
        request,
        trace: trace !== null && TRACEPARENT.test(trace) ? trace : null,
      });
      const named = callMark(request, () => ({
        schema: schemaName,
        id,
        line: { ...head({ ms: null, status: null }), at: timeOf(began) },
        argumentsText: cutJson(given(), LOGGED_ARGUMENTS_MAX),
      }));
      const mark = { ...named, user: () => account.user };
      const isOfAgent = state === "live" && !isViewing;
      const report = async (status: number) => {
        if (!isOfAgent || !listener.onEnd) return;
        const { fault = null } = account;
        await listener.onEnd({ ...shown(), arguments: JSON.parse(given()), status, fault });
      };
      const noteEnd = (status: number) => {
        if (!isOfAgent) return;
        const ended = performance.now();
        const line = JSON.stringify(head({ ms: rounded(ended - began), status }));
        note({
          environmentId,
          began,
          ended,
          head: line,
          arguments: given(),
          answer: account.answer === undefined ? undefined : keepAnswer(account.answer),
          bytes: LINE_BYTES + line.length + given().length,
        });
      };
      const end = async (status: number) => {
        await report(status);
        noteEnd(status);
      };
      const fail = async (error: unknown) => {
        const { status, code } = kindOf(error);
        account.error = code;
        noteEnd(status);
        await report(status);
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
