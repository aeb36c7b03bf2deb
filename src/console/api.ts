/** Calls of the server that this page came from. */
import { signal } from "@preact/signals";

/** In the storage of the tab, so that it is gone with it. */
const STORED_KEY = "diorama.key";
const TIMEOUT_MS = 60_000;
const UNAUTHORIZED = 401;

/** The API key; empty for a server in development mode. */
export const key = signal(stored()?.getItem(STORED_KEY) ?? "");
/** True when the server requires a key, or has rejected the one it got. */
export const isLocked = signal(false);

/** Undefined in a page that was saved to a file: some browsers give it no storage. */
function stored(): Storage | undefined {
  try {
    return sessionStorage;
  } catch {
    return undefined;
  }
}

export function setKey(text: string): void {
  if (text) stored()?.setItem(STORED_KEY, text);
  else stored()?.removeItem(STORED_KEY);
  key.value = text;
  isLocked.value = false;
}

/** A call that was rejected or not answered. */
export class CallError extends Error {
  /** The error code; `unreachable` if nothing answered. */
  readonly code: string;
  readonly status: number;

  constructor(code: string, status: number, detail?: string) {
    super(detail ?? code);
    this.code = code;
    this.status = status;
  }
}

export type Query = Readonly<Record<string, string | number | undefined>>;
type CallOptions = {
  readonly body?: object | undefined;
  readonly query?: Query | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly signal?: AbortSignal | undefined;
};

const PLATFORM = "/api/platform";

/** The address of a call of the platform, without the host. */
export function addressOf(path: string, query: Query = {}): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query))
    if (value !== undefined && value !== "") search.set(name, String(value));
  return PLATFORM + path + (search.size > 0 ? `?${search}` : "");
}

/** Sends a request with the key. Throws CallError if nothing answers, or if the key is rejected. */
export async function send(
  method: string,
  address: string,
  { body, headers, signal }: CallOptions = {},
): Promise<Response> {
  const all = new Headers(headers);
  if (key.value) all.set("X-API-Key", key.value);
  if (body) all.set("Content-Type", "application/json; charset=utf-8");
  let response: Response;
  try {
    response = await fetch(address, {
      method,
      headers: all,
      ...(body && { body: JSON.stringify(body) }),
      ...(signal && { signal }),
      cache: "no-store",
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new CallError("unreachable", 0, "The server does not answer.");
  }
  if (response.status === UNAUTHORIZED) isLocked.value = true;
  return response;
}

/** Calls `/api/platform<path>`. Throws CallError. */
export async function call<Answer>(
  method: string,
  path: string,
  options: CallOptions = {},
): Promise<Answer> {
  const signal = options.signal ?? AbortSignal.timeout(TIMEOUT_MS);
  const response = await send(method, addressOf(path, options.query), { ...options, signal });
  return await resultOf(response);
}

export const get = <Answer>(path: string, query?: Query, signal?: AbortSignal) =>
  call<Answer>("GET", path, { query, signal });

/** The JSON of a response; undefined if it is no JSON. */
export const jsonOf = async <Answer>(response: Response): Promise<Answer | undefined> =>
  await response.json().catch(() => undefined);

/** Throws CallError unless the status is one of success. */
async function resultOf<Answer>(response: Response): Promise<Answer> {
  const answer = await jsonOf<Answer>(response);
  if (response.ok) return answer as Answer;
  throw errorOf(response, answer);
}

export function errorOf({ status }: Response, answer: unknown): CallError {
  const { error, detail, reason } = (answer ?? {}) as Record<string, string | undefined>;
  return new CallError(error ?? `http_${status}`, status, detail ?? reason);
}

const WORDS: Readonly<Record<string, string>> = {
  environment_not_found: "There is no such environment, or it has ended.",
  run_not_found: "There is no such run among yours.",
  template_not_found: "There is no such template.",
  suite_not_found: "There is no such suite.",
  not_authed: "The server does not accept this key.",
};

/** An error as a sentence. */
export function inWords(error: unknown): string {
  if (!(error instanceof CallError)) return String(error instanceof Error ? error.message : error);
  return WORDS[error.code] ?? error.message;
}

/** Marks calls that only view an environment: a run's journal leaves their reads out. */
export const VIEW = { "X-Diorama-View": "1" };

/** Calls the platform or an environment by its path from the root. Throws CallError. */
export async function ask<Answer>(path: string, body?: object): Promise<Answer> {
  return await resultOf(await send(body ? "POST" : "GET", path, { body, headers: VIEW }));
}
