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
  request_too_large: 413,
  service_unavailable: 503,
  internal_error: 500,
} as const;

export type ErrorCode = keyof typeof STATUS;

/** A refusal: something the caller caused, or can wait for, told in one sentence. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly code: ErrorCode;
  /** Sent along with the envelope, e.g. `{ Allow: "POST" }`. */
  readonly headers: Record<string, string>;

  constructor(code: ErrorCode, detail: string, headers: Record<string, string> = {}) {
    super(detail);
    this.code = code;
    this.headers = headers;
  }
}

const RETRY_AFTER_SECONDS = 1;

/** A refusal for as long as something below us is out of reach. */
export function unavailable(detail: string, retryAfterSeconds = RETRY_AFTER_SECONDS): ApiError {
  return new ApiError("service_unavailable", detail, { "Retry-After": String(retryAfterSeconds) });
}

/** A used-up limit. Its answer is the one body that is not the envelope. */
export class LimitExceeded extends Error {
  override readonly name = "LimitExceeded";
  readonly limit: number;
  readonly current: number;
  /** Absent for daily limits: a client that honours it would sleep until midnight. */
  readonly retryAfterSeconds: number | undefined;

  constructor(reason: string, limit: number, current: number, retryAfterSeconds?: number) {
    super(reason);
    this.limit = limit;
    this.current = current;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}
