/** Faults in the words of the Google Calendar API. */
import { ROUTER } from "~/replicas/calendar/api/index";
import { bodyOf, type Reason } from "~/replicas/calendar/errors";
import type { Problem } from "~/replicas/faults";
import { faultAnswers } from "~/replicas/kit/fault-answers";
import { CREDENTIAL_INVALID } from "~/replicas/kit/google/credentials";
import { faultsOf } from "~/replicas/kit/rest-contract";

export const UNAVAILABLE = "The service is currently unavailable.";

const MESSAGES: { readonly [reason: string]: string } = {
  rateLimitExceeded: "Rate Limit Exceeded",
  backendError: "Backend Error",
  backendUnavailable: UNAVAILABLE,
};

export const faults = faultsOf(
  ROUTER,
  faultAnswers(
    {
      rate_limited: { status: 429, error: "rateLimitExceeded" },
      server_error: { status: 500, error: "backendError" },
      token_expired: { status: 401, error: "authError" },
      unavailable: "backendUnavailable",
    } satisfies Readonly<Record<Problem["kind"], object | Reason>>,
    ({ error }) =>
      error === "authError" ? CREDENTIAL_INVALID : bodyOf(error as Reason, MESSAGES[error] ?? ""),
  ),
);
