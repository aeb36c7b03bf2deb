/** Anything thrown → the envelope. The only place where an error meets HTTP. */
import { type TSchema, Type } from "@sinclair/typebox";
import { isUnavailable } from "~/db/connect";
import { ApiError, type ErrorCode, LimitExceeded, STATUS, unavailable, WrongCell } from "~/errors";
import { Envelope, LimitBody, WrongCellBody } from "~/http/model";
import { errorFields, type Log } from "~/log";
import { ClientGone } from "~/wire/incoming";
import { type HttpAnswer, httpAnswer, JSON_HEADERS, type RequestHead } from "~/wire/message";

/** Codes that every route may answer in addition to its own. */
const COMMON: readonly ErrorCode[] = [
  "invalid_request",
  "not_authed",
  "request_timeout",
  "request_headers_too_large",
  "internal_error",
  "service_unavailable",
];

/** Codes of ids that nothing has here: something may have them in another cell. */
const IDS: ReadonlySet<ErrorCode> = new Set([
  "environment_not_found",
  "run_not_found",
  "suite_not_found",
  "test_not_found",
  "template_not_found",
]);

/** The `response` entries of a route for its error codes. */
export function failures(...codes: readonly ErrorCode[]): Record<number, TSchema> {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of new Set([...codes, ...COMMON])) {
    const status = STATUS[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  const schemas: Record<number, TSchema> = { [LIMITED]: LimitBody };
  if (codes.some((code) => IDS.has(code))) schemas[STATUS.wrong_cell] = WrongCellBody;
  for (const [status, codes] of byStatus)
    schemas[status] = Type.Object(Envelope.properties, { codes });
  return schemas;
}

/** Never sent: only for metrics and the log. nginx uses the same status. */
const CLIENT_GONE = 499;
const LIMITED = 429;

/** Rejects methods other than GET and HEAD. */
export function requireReading({ method }: RequestHead): void {
  if (method === "GET" || method === "HEAD") return;
  throw new ApiError("method_not_allowed", "The path does not take this method", {
    Allow: "GET, HEAD",
  });
}

/** The status and code that an error is answered with. */
export function kindOf(error: unknown): {
  status: number;
  code: ErrorCode | "limit_exceeded" | "client_gone";
} {
  if (error instanceof ClientGone) return { status: CLIENT_GONE, code: "client_gone" };
  if (error instanceof LimitExceeded) return { status: LIMITED, code: "limit_exceeded" };
  const { code } = toRefusal(error);
  return { status: STATUS[code], code };
}

/** The answer to a failed request, and its code. Logs bugs, and no errors that the caller caused. */
export function errorAnswer(
  error: unknown,
  log: Log,
  requestId: string,
): { answer: HttpAnswer; code?: ErrorCode | "limit_exceeded" } {
  if (error instanceof ClientGone) return { answer: httpAnswer(CLIENT_GONE, {}) };
  if (error instanceof LimitExceeded) {
    const { message, limit, current, retryAfterSeconds } = error;
    const headers: Record<string, string> = { ...JSON_HEADERS };
    if (retryAfterSeconds !== undefined) headers["Retry-After"] = String(retryAfterSeconds);
    const body = JSON.stringify({ valid: false, reason: message, limit, current });
    return { answer: httpAnswer(LIMITED, headers, body), code: "limit_exceeded" };
  }
  const refusal = toRefusal(error);
  if (refusal !== error) {
    const level = refusal.code === "internal_error" ? "error" : "warn"; // an unavailable database is no bug
    log[level]("request failed", {
      request_id: requestId,
      code: refusal.code,
      ...errorFields(error),
    });
  }
  const { code, message, headers } = refusal;
  const cell = refusal instanceof WrongCell ? refusal.cell : undefined;
  const body = JSON.stringify({ ok: false, error: code, detail: message, cell });
  return { answer: httpAnswer(STATUS[code], { ...JSON_HEADERS, ...headers }, body), code };
}

function toRefusal(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  if (isUnavailable(error)) return unavailable("The database is not available at the moment");
  return new ApiError("internal_error", "Something went wrong on our side");
}
