/** Faults in the words of the Gmail API. */
import type { Problem } from "~/replicas/faults";
import { faultAnswers } from "~/replicas/kit/fault-answers";
import { CREDENTIAL_INVALID } from "~/replicas/kit/google/credentials";
import { faultsOf } from "~/replicas/kit/rest-contract";
import { pathOf } from "~/replicas/mail/answer";
import { ROUTER } from "~/replicas/mail/api/index";
import { bodyOf, type Reason } from "~/replicas/mail/errors";
import type { FaultWords } from "~/replicas/replica";

const QUOTA =
  "Quota exceeded for quota metric 'Total Query Cost' and limit 'Units per minute per user' of service 'gmail.googleapis.com' for consumer 'project_number:1'.";

export const UNAVAILABLE = "The service is currently unavailable.";

const MESSAGES: { readonly [reason: string]: string } = {
  rateLimitExceeded: QUOTA,
  backendError: "Internal error encountered.",
  backendUnavailable: UNAVAILABLE,
};

const words = faultsOf(
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

export const faults: FaultWords = {
  ...words,
  select: (call) => words.select({ ...call, path: pathOf(call.path) }),
};
