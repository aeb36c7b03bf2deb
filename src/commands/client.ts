/** A server's platform API, for commands that call it. */
import { setTimeout as sleep } from "node:timers/promises";
import { CELL_HEADER } from "~/errors";

/** The command line is wrong, or names something that does not exist. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

type Reason = {
  readonly unreachable?: boolean;
  readonly isUnavailable?: boolean;
  readonly code?: string;
};

/** The server rejected the call, or did not answer. */
export class CallFailed extends Error {
  override readonly name = "CallFailed";
  readonly unreachable: boolean;
  /** No server answered, or one that can take no such call now. */
  readonly isUnavailable: boolean;
  /** The server's error code, if it gave one. */
  readonly code: string | undefined;
  constructor(message: string, reason: Reason = {}) {
    const { unreachable = false, isUnavailable = unreachable, code } = reason;
    super(message);
    this.unreachable = unreachable;
    this.isUnavailable = isUnavailable;
    this.code = code;
  }
}

/** Options of every command that calls a server. */
export type ServerOptions = { readonly url?: string; readonly key?: string };
/** Options of the commands that import a file. */
export type Import = ServerOptions & { readonly name?: string; readonly visibility?: string };

export type Environment = { readonly [name: string]: string | undefined };
export type Client = ReturnType<typeof createClient>;
export type Answer = { readonly [field: string]: unknown };

const TIMEOUT_MS = 120_000;
/** Of the server, or of a balancer whose server is gone. */
const UNAVAILABLE: ReadonlySet<number> = new Set([502, 503, 504]);
/** The code of a server without room for another environment. */
const FULL = "capacity_exhausted";
const ATTEMPTS_MAX = 4;
const WAIT_SECONDS = 1;
const WAIT_SECONDS_MAX = 30;
/** POSTs without a second effect: with an Idempotency-Key, or because a repetition finds what is done already. */
const REPEATABLE =
  /^\/(?:initEnv|startRun|evaluateRun|diffRun|testSuites\/import|env\/[^/]+\/(?:reset|fork|snapshots|clock))$/;

/** Milliseconds until a call may be repeated. */
function waitMs({ headers }: Response): number {
  const stated = Number(headers.get("Retry-After"));
  return 1000 * Math.min(stated > 0 ? stated : WAIT_SECONDS, WAIT_SECONDS_MAX);
}

/** Aborts with `signal`, and after a time. */
function timeoutOf(timeoutMs = TIMEOUT_MS, signal?: AbortSignal): AbortSignal {
  const timeout = AbortSignal.timeout(timeoutMs);
  return signal ? AbortSignal.any([timeout, signal]) : timeout;
}

/** Waits for so many milliseconds, or until `signal` aborts. */
export async function pause(ms: number, signal?: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => undefined);
}

async function isFull(response: Response): Promise<boolean> {
  const answer = (await response
    .clone()
    .json()
    .catch(() => ({}))) as Answer;
  return answer["error"] === FULL;
}

/**
 * The server from the options, from the environment, or on this machine. `hasOthers`: another server can take what this
 * one has no room for, so it is not waited for.
 */
export function createClient(options: ServerOptions, env: Environment, hasOthers = false) {
  const address = options.url ?? env["DIORAMA_URL"] ?? `http://127.0.0.1:${env["PORT"] ?? 3000}`;
  const url = address.replace(/\/+$/, "");
  const key = options.key ?? env["DIORAMA_API_KEY"];
  const fetchFrom = async (path: string, options: RequestInit, signal = timeoutOf()) =>
    await fetch(url + path, { ...options, signal }).catch(() => {
      throw new CallFailed(`nothing answers at ${url}; --url says where the server is`, {
        unreachable: true,
      });
    });
  return {
    url,

    /** A WebSocket of the platform's API. */
    socket: (path: string) =>
      new WebSocket(`${url.replace(/^http/, "ws")}/api/platform${path}`, {
        headers: key ? { "X-API-Key": key } : {},
      }),

    /** A text of the server, which is no part of an API. Throws CallFailed unless there is one. */
    async text(path: string): Promise<string> {
      const response = await fetchFrom(path, {});
      if (response.ok) return await response.text();
      throw new CallFailed(`${url} has no ${path}`);
    },

    /** A call of an environment by a viewer, which is not journaled. Throws CallFailed unless it succeeds. */
    async view(path: string, body: object): Promise<unknown> {
      const response = await fetchFrom(path, {
        method: "POST",
        headers: {
          ...(key && { "X-API-Key": key }),
          "Content-Type": "application/json",
          "X-Diorama-View": "1",
        },
        body: JSON.stringify(body),
      });
      if (response.ok) return await response.json();
      throw new CallFailed(`HTTP ${response.status}`);
    },

    /**
     * One call of the platform's API, or below `/openenv/`. Repeated after 502 to 504 where that has no second effect, and for its
     * own cell after it has reached another one. Throws CallFailed unless it succeeds before `signal` aborts.
     */
    async call(
      method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE",
      path: string,
      body?: object,
      { timeoutMs, signal }: { readonly timeoutMs?: number; readonly signal?: AbortSignal } = {},
    ): Promise<Answer> {
      const isRepeatable = method !== "POST" || REPEATABLE.test(path);
      const headers: Record<string, string> = {
        ...(key && { "X-API-Key": key }),
        ...(body && { "Content-Type": "application/json" }),
        ...(method === "POST" && isRepeatable && { "Idempotency-Key": crypto.randomUUID() }),
      };
      const options = { method, headers, ...(body && { body: JSON.stringify(body) }) };
      const whole = path.startsWith("/openenv/") ? path : `/api/platform${path}`;
      let response = await fetchFrom(whole, options, timeoutOf(timeoutMs, signal));
      const cell = response.headers.get(CELL_HEADER);
      if (cell !== null) {
        options.headers[CELL_HEADER] = cell;
        response = await fetchFrom(whole, options, timeoutOf(timeoutMs, signal));
      }
      for (let attempt = 1; isRepeatable && attempt < ATTEMPTS_MAX; attempt++) {
        if (!UNAVAILABLE.has(response.status) || (hasOthers && (await isFull(response)))) break;
        await pause(waitMs(response), signal);
        if (signal?.aborted) break;
        response = await fetchFrom(whole, options, timeoutOf(timeoutMs, signal));
      }
      const answer = (await response.json().catch(() => ({}))) as Answer;
      if (response.ok) return answer;
      const { error = `HTTP ${response.status}`, detail = answer["reason"] } = answer;
      throw new CallFailed(detail === undefined ? `${error}` : `${error}: ${detail}`, {
        code: `${error}`,
        isUnavailable: UNAVAILABLE.has(response.status),
      });
    },
  };
}

const PAGE = 1_000;
const LISTED_MAX = 100_000;

/** All items of a list in pages, with `query` in each call. Throws CallFailed if there are too many. */
export async function listAll<Item>(
  client: Client,
  path: string,
  field: string,
  query: { readonly [name: string]: string | undefined } = {},
): Promise<Item[]> {
  const asked = new URLSearchParams({ limit: `${PAGE}` });
  for (const [name, value] of Object.entries(query))
    if (value !== undefined) asked.set(name, value);
  const found: Item[] = [];
  for (;;) {
    const page = await client.call("GET", `${path}?${asked}`);
    found.push(...(page[field] as Item[]));
    const { nextCursor } = page;
    if (typeof nextCursor !== "string") return found;
    if (found.length >= LISTED_MAX) throw new CallFailed(`there are over ${LISTED_MAX} ${field}`);
    asked.set("cursor", nextCursor);
  }
}
