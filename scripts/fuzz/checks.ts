/** Checks for every answer, and for the server after any calls. */
import type { Sql } from "postgres";
import { TIMEOUT_MS_MAX } from "~/platform/events/waiting-model";
import { checkAnswer, commonDocument } from "../../test/support/contract";
import type { Call } from "./calls";

export type Answered = {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly milliseconds: number;
};

/** The longest time that a call may take. */
export const SLOW_MS = 2_000;
/** The longest time of a call that may create 64 environments: the schemas beyond those in the pool are built. */
const GROUP_MS = 10_000;
const CREATES_GROUP = /\/(initEnv|fork)$/;
/** The longest time of a call that takes as long as it asks for. */
const WAIT_MS = TIMEOUT_MS_MAX + SLOW_MS;
const WAITS = /\/wait$/;
/** The longest time that a probe may take during any call. */
export const LIVE_MS = 1_000;

/** Signs of a leaking bug: stack frames, our paths, messages of the driver or the database. */
const LEAKS = [
  /\bat .{1,200}\.[jt]s:\d+:\d+/,
  /node_modules|\/\$bunfs|\/src\/[a-z]+\//,
  /postgres(ql)?:\/\//,
  /PostgresError|syntax error at or near|violates .{1,40} constraint|SQLSTATE|invalid input syntax/,
  /relation \\?"|column \\?"|diorama\.[a-z_]+\b/,
  /Maximum call stack|Cannot read prop|is not a function|undefined is not (an object|a function|iterable)|\[object Object\]/,
];

export const isService = (path: string) => path.startsWith("/api/env/");

function longestOf(path: string): number {
  if (CREATES_GROUP.test(path)) return GROUP_MS;
  return WAITS.test(path) ? WAIT_MS : SLOW_MS;
}

/** Returns the fault of an answer in a sentence, or undefined. */
export async function faultOf(
  url: string,
  call: Call & { readonly filledPath: string; readonly sent: string },
  { status, headers, text, milliseconds }: Answered,
  secrets: readonly string[],
): Promise<string | undefined> {
  if (milliseconds > longestOf(call.filledPath.split("?")[0] ?? ""))
    return `took ${Math.round(milliseconds)} ms`;
  if (status === 431 || (status === 400 && text === "")) return undefined; // Bun's own
  if (call.method === "HEAD") return status >= 500 ? `status ${status}` : undefined;
  for (const secret of secrets)
    if (text.includes(secret) && !call.sent.includes(secret))
      return `leaked a secret: ${secret.slice(0, 24)}…`;
  for (const leak of LEAKS) {
    const found = leak.exec(text)?.[0];
    if (found && !call.sent.includes(found)) return `leaked internal text: ${found}`;
  }
  if (!headers.get("content-type")?.startsWith("application/json") && !isDownload(headers))
    return `content type ${headers.get("content-type")}`;
  if (!headers.get("x-request-id")) return "no X-Request-Id";
  if (isDownload(headers)) return status < 400 ? undefined : `status ${status}`;
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return `status ${status} with a body that is not JSON`;
  }
  if (status >= 500) return `status ${status}: ${text.slice(0, 200)}`;
  return isService(call.filledPath)
    ? serviceFault(call.filledPath, status, body as Body, call.sent)
    : await contractFault(url, call.method, call.filledPath, status, body);
}

const isDownload = (headers: Headers) => headers.has("content-disposition");

type Body = {
  ok?: unknown;
  error?: unknown;
  detail?: unknown;
  data?: unknown;
  errors?: { message?: unknown }[];
} | null;

const isEnvelope = (body: Body) =>
  body?.ok === false && typeof body.error === "string" && typeof body.detail === "string";

function serviceFault(path: string, status: number, body: Body, sent: string): string | undefined {
  if (typeof body !== "object" || body === null || Array.isArray(body)) return "no object";
  if (/\/mcp(?:[/?]|$)/.test(path) && !isEnvelope(body)) return toolFault(body as RpcAnswer);
  const isGraphql = path.includes("/services/tracker") && !isEnvelope(body);
  if (isGraphql) {
    if (body.errors === undefined && body.data === undefined) return "neither data nor errors";
    const messages = (body.errors ?? []).map(({ message }) => message);
    if (messages.some((message) => typeof message !== "string")) return "an error without message";
    if (messages.some((message) => /internal (server )?error|went wrong/i.test(String(message))))
      return `a bug of the tracker: ${messages.join("; ").slice(0, 200)}`;
    return undefined;
  }
  if (status === 200) {
    if (typeof body.ok !== "boolean") return "a chat answer without ok";
    const isCode = body.ok || /^[a-z][a-z0-9_]*$/.test(String(body.error));
    // api.test echoes the requested error.
    if (!isCode && !sent.includes("error"))
      return `a chat error that is not a code: ${String(body.error).slice(0, 100)}`;
    return /^(internal_error|fatal_error)$/.test(String(body.error)) ? "a bug of chat" : undefined;
  }
  return isEnvelope(body) ? undefined : `status ${status} without the envelope`;
}

type RpcAnswer = { jsonrpc?: unknown; result?: unknown; error?: { code?: unknown } };
/** JSON-RPC's code for a bug of the server. */
const INTERNAL = -32603;

function toolFault({ jsonrpc, result, error }: RpcAnswer): string | undefined {
  if (jsonrpc !== "2.0" || (result === undefined) === (error === undefined))
    return "no answer of JSON-RPC";
  return error?.code === INTERNAL ? "a bug of the tools" : undefined;
}

async function contractFault(
  url: string,
  method: string,
  path: string,
  status: number,
  body: unknown,
): Promise<string | undefined> {
  if (status >= 400 && status !== 429 && !isEnvelope(body as Body))
    return `status ${status} without the envelope`;
  try {
    const document = await commonDocument(url);
    await checkAnswer(document, method, path.replace(/^\/api\/platform/, ""), status, body);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message.slice(0, 600) : "not as documented";
  }
}

/** Returns the fault of an idle server and its database, or undefined. */
export async function restFault(url: string, sql: Sql): Promise<string | undefined> {
  const health = await fetch(`${url}/api/platform/health`).catch(() => undefined);
  if (health?.status !== 200) return `health is ${health?.status ?? "silent"}`;
  const [row] = await sql<{ open: number; waiting: number; connections: number }[]>`
    select
      count(*) filter (where state like 'idle in transaction%' and state_change < now() - interval '1 second')::int as open,
      count(*) filter (where wait_event_type = 'Lock' and state_change < now() - interval '1 second')::int as waiting,
      count(*)::int as connections
    from pg_stat_activity
    where datname = current_database() and application_name like 'diorama%' and application_name <> 'diorama builders'
  `;
  if (row && row.open > 0) return `${row.open} transactions left open`;
  if (row && row.waiting > 0) return `${row.waiting} statements wait for locks`;
  if (row && row.connections > CONNECTIONS_MAX) return `${row.connections} connections`;
  const [stray] = await sql<{ name: string }[]>`
    select schemaname || '.' || tablename as name from pg_tables where schemaname = 'public' limit 1
  `;
  return stray ? `an unexpected table: ${stray.name}` : undefined;
}

/** For the pools, the stream and the listener. */
const CONNECTIONS_MAX = 30;
