import { quoted } from "~/input/nearest";

/** Every error code of the platform and its HTTP status. A code that is not here cannot be answered. */
export const STATUS = {
  not_authed: 401,
  invalid_environment_path: 400,
  environment_not_found: 404,
  environment_already_deleted: 400,
  run_not_found: 404,
  run_already_exists: 400,
  run_already_completed: 400,
  no_test_defined: 400,
  template_not_found: 404,
  template_name_exists: 400,
  invalid_template_name: 400,
  missing_impersonate: 400,
  impersonate_not_found: 400,
  invalid_service: 400,
  suite_not_found: 404,
  test_not_found: 404,
  invalid_assertion: 400,
  invalid_request: 400,
  not_found: 404,
  method_not_allowed: 405,
  request_timeout: 408,
  request_too_large: 413,
  request_headers_too_large: 431,
  wrong_cell: 421,
  service_unavailable: 503,
  capacity_exhausted: 503,
  internal_error: 500,
} as const;

export type ErrorCode = keyof typeof STATUS;

/** The condition behind each code, as the OpenAPI document explains it. */
export const MEANING: Readonly<Record<ErrorCode, string>> = {
  not_authed: "The API key is missing, invalid or expired",
  invalid_environment_path: "The environment's id is malformed",
  environment_not_found: "The environment does not exist, or it has expired",
  environment_already_deleted: "The environment has already been deleted",
  run_not_found: "The run does not exist",
  run_already_exists: "A run of this environment is already active",
  run_already_completed: "The run has already ended",
  no_test_defined: "The run has no test, and the body has no expectedOutput",
  template_not_found: "The template does not exist",
  template_name_exists: "A template of this name already exists",
  invalid_template_name: "A template's name has characters that are not allowed",
  missing_impersonate: "The body has neither impersonateUserId nor impersonateEmail",
  impersonate_not_found: "The template has no such user",
  invalid_service: "The service is unknown, or not the one of this environment",
  suite_not_found: "The test suite does not exist",
  test_not_found: "The test does not exist",
  invalid_assertion: "An assertion is malformed, or does not fit the template's tables",
  invalid_request: "The request does not fit the documented shape",
  not_found: "The path does not exist",
  method_not_allowed: "The path does not take this method",
  request_timeout: "The request did not arrive in time",
  request_too_large: "The body is larger than allowed",
  request_headers_too_large: "The headers are larger than allowed",
  wrong_cell: "The id belongs to another cell of the deployment, which the answer names",
  service_unavailable:
    "The server cannot answer at the moment; try again after Retry-After seconds",
  capacity_exhausted:
    "There are as many environments as the database carries; try again after Retry-After seconds",
  internal_error: "The server failed",
};

/** A rejection: an error that the caller caused, or can wait out, in one sentence. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly code: ErrorCode;
  /** Sent with the envelope, e.g. `{ Allow: "POST" }`. */
  readonly headers: Record<string, string>;

  constructor(code: ErrorCode, detail: string, headers: Record<string, string> = {}) {
    super(detail);
    this.code = code;
    this.headers = headers;
  }
}

/** The rejection of an id or a name that nothing has. */
export class NotFound extends ApiError {
  readonly id: string | undefined;

  constructor(code: ErrorCode, detail: string, id?: string) {
    super(code, detail);
    this.id = id;
  }
}

/** Names a cell: in the answer to a call that reached another one, and in its repetition, for the balancer. */
export const CELL_HEADER = "X-Diorama-Cell";

/** The rejection of an id of another cell. Its response also has `cell`, the first digits of the id. */
export class WrongCell extends ApiError {
  readonly cell: string;

  constructor(cell: string, own: string) {
    super("wrong_cell", `The id belongs to the cell ${cell}; this one is ${own}`, {
      [CELL_HEADER]: cell,
    });
    this.cell = cell;
  }
}

/** An id as a sentence names it. Text that is no id could be anything, a secret too, and is not repeated. */
export const namedId = (id: string | undefined): string =>
  id !== undefined && /^[0-9a-f-]{32,36}$/.test(id) ? quoted(id) : "with this id";

export const runNotFound = (runId: string) =>
  new NotFound(
    "run_not_found",
    `There is no run ${namedId(runId)}; GET /api/platform/runs lists yours`,
    runId,
  );

const RETRY_AFTER_SECONDS = 1;

/** A rejection while a dependency is unavailable. */
export function unavailable(detail: string, retryAfterSeconds = RETRY_AFTER_SECONDS): ApiError {
  return new ApiError("service_unavailable", detail, { "Retry-After": String(retryAfterSeconds) });
}

const AUTH_FAILURES = {
  missing: "API key required",
  invalid: "Invalid API key",
  expired: "API key has expired",
  remote:
    "An API key is needed: without one this server answers only calls from its own machine to localhost, 127.0.0.1 and [::1], and no page of another site",
} as const;

/** A call without a valid credential. */
export class NotAuthed extends ApiError {
  readonly reason: keyof typeof AUTH_FAILURES;

  constructor(reason: keyof typeof AUTH_FAILURES, headers: Record<string, string> = {}) {
    super("not_authed", AUTH_FAILURES[reason], headers);
    this.reason = reason;
  }
}

export const USAGE_LIMITS = [
  "hourly request",
  "daily request",
  "daily environment",
  "concurrent environment",
  "environment snapshot",
  "key snapshot",
  "event stream",
  "OpenEnv session",
  "event socket",
  "app with an address",
  "wait",
] as const;
export type UsageLimit = (typeof USAGE_LIMITS)[number];

/** An exceeded limit. Its response is the only error body that is not the envelope. */
export class LimitExceeded extends Error {
  override readonly name = "LimitExceeded";
  /** `other`: a limit of the control plane's. */
  readonly reason: UsageLimit | "other";
  readonly limit: number;
  readonly current: number;
  /** Absent for daily limits: a client that honours it would sleep until midnight. */
  readonly retryAfterSeconds: number | undefined;

  constructor(
    reason: UsageLimit | { readonly other: string },
    limit: number,
    current: number,
    retryAfterSeconds?: number,
  ) {
    super(typeof reason === "string" ? usageLimitMessage(reason) : reason.other);
    this.reason = typeof reason === "string" ? reason : "other";
    this.limit = limit;
    this.current = current;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

export const usageLimitMessage = (limit: UsageLimit) => `${limit} limit reached`;
