/** Calls of the platform API, with retries where they are safe. */

/** Settings of a client. */
export type Options = {
  /** Address of the server. Default: `DIORAMA_URL`, else `http://127.0.0.1:3000`. */
  readonly url?: string | undefined;
  /** An API key. Default: `DIORAMA_API_KEY`; a server in development mode needs none. */
  readonly key?: string | undefined;
};

/** A call that the server rejected or did not answer. */
export class DioramaError extends Error {
  override readonly name = "DioramaError";
  /** The error code, such as `environment_not_found`; `unreachable` if nothing answered. */
  readonly code: string;
  /** HTTP status; 0 if nothing answered. */
  readonly status: number;
  /** Finds the call in the server's log. */
  readonly requestId: string | undefined;

  constructor(
    message: string,
    fields: { code: string; status: number; requestId?: string | undefined; cause?: unknown },
  ) {
    super(message, { cause: fields.cause });
    this.code = fields.code;
    this.status = fields.status;
    this.requestId = fields.requestId;
  }
}

type Method = "GET" | "POST" | "PATCH" | "PUT" | "DELETE";
type Query = { readonly [name: string]: string | number | boolean | undefined };
export type Call = {
  readonly body?: object | undefined;
  readonly query?: Query | undefined;
  /** Sent with an `Idempotency-Key`, so that it can be repeated. */
  readonly hasKey?: boolean;
  /** A POST without a second effect. */
  readonly isRepeatable?: boolean;
};

/** `diffRun` may wait this long for the log, and a little for the way. */
const TIMEOUT_MS = 120_000;
const ATTEMPTS_MAX = 4;
const DELAY_MS = 200;
/** Of a server that says how long it needs. */
const DELAY_MS_MAX = 60_000;
/** Of the server, or of a balancer whose server is gone. */
const UNAVAILABLE: ReadonlySet<number> = new Set([502, 503, 504]);
/** In the answer of a cell that an id does not belong to: its own one. A balancer finds it by this header. */
const CELL = "X-Diorama-Cell";

export type Http = ReturnType<typeof createHttp>;

export function createHttp(options: Options) {
  const env = globalThis.process?.env ?? {};
  const url = (options.url ?? env["DIORAMA_URL"] ?? "http://127.0.0.1:3000").replace(/\/+$/, "");
  const key = options.key ?? env["DIORAMA_API_KEY"];

  /** One attempt. */
  async function send(method: Method, address: string, headers: Headers, body: string | undefined) {
    try {
      return await fetch(address, {
        method,
        headers,
        ...(body !== undefined && { body }),
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
    } catch (cause) {
      return cause;
    }
  }

  return {
    url,
    key,

    /**
     * Calls `/api/platform<path>`. Repeats a call that got no answer or 502 to 504, if repeating it has no second effect, and one
     * that has reached another cell. Throws DioramaError.
     */
    async call<Answer>(method: Method, path: string, call: Call = {}): Promise<Answer> {
      const { body, query = {}, hasKey = false } = call;
      const search = new URLSearchParams();
      for (const [name, value] of Object.entries(query))
        if (value !== undefined) search.set(name, String(value));
      const address = `${url}/api/platform${path}${search.size > 0 ? `?${search}` : ""}`;
      const headers = new Headers();
      if (key !== undefined) headers.set("X-API-Key", key);
      if (body) headers.set("Content-Type", "application/json");
      if (hasKey) headers.set("Idempotency-Key", crypto.randomUUID());
      const isRepeatable = method !== "POST" || hasKey || call.isRepeatable === true;
      const text = body && JSON.stringify(body);

      for (let attempt = 1; ; attempt++) {
        const response = await send(method, address, headers, text);
        const isFailed = !(response instanceof Response) || UNAVAILABLE.has(response.status);
        if (isFailed && isRepeatable && attempt < ATTEMPTS_MAX) {
          await sleep(delayMs(response, attempt));
          continue;
        }
        if (!(response instanceof Response))
          throw new DioramaError(`Nothing answers at ${url}`, {
            code: "unreachable",
            status: 0,
            cause: response,
          });
        const cell = response.headers.get(CELL);
        if (cell !== null && !headers.has(CELL)) {
          headers.set(CELL, cell);
          continue;
        }
        const answer: unknown = await response.json().catch(() => undefined);
        if (response.ok) return answer as Answer;
        throw errorOf(response, answer);
      }
    },
  };
}

function delayMs(response: unknown, attempt: number): number {
  const seconds = response instanceof Response ? Number(response.headers.get("Retry-After")) : 0;
  const wanted = seconds > 0 ? seconds * 1000 : DELAY_MS * 2 ** (attempt - 1);
  return Math.min(wanted, DELAY_MS_MAX);
}

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

function errorOf({ status, headers }: Response, answer: unknown): DioramaError {
  const { error, detail, reason } = (answer ?? {}) as Record<string, string | undefined>;
  const code = error ?? (status === 429 ? "limit_exceeded" : `http_${status}`);
  const words = detail ?? reason;
  return new DioramaError(words === undefined ? code : `${code}: ${words}`, {
    code,
    status,
    requestId: headers.get("X-Request-Id") ?? undefined,
  });
}
