/** Faults in the words of Google's APIs. */
import type { Problem } from "~/replicas/faults";
import { faultAnswers } from "~/replicas/kit/fault-answers";
import { CREDENTIAL_INVALID } from "~/replicas/kit/google/credentials";
import { faultsOf } from "~/replicas/kit/rest-contract";
import type { Router } from "~/replicas/kit/router";
import type { FaultWords } from "~/replicas/replica";

export const UNAVAILABLE = "The service is currently unavailable.";

type Reason = "rateLimitExceeded" | "backendError" | "backendUnavailable";

/** `bodyOf`: of the service's errors. `messages`: those in which APIs differ. */
export function googleFaults<Context>(
  router: Router<Context>,
  bodyOf: (reason: Reason, message: string) => object,
  messages: Readonly<Record<Exclude<Reason, "backendUnavailable">, string>>,
): FaultWords {
  const all: Readonly<Record<Reason, string>> = { ...messages, backendUnavailable: UNAVAILABLE };
  const codes = {
    rate_limited: { status: 429, error: "rateLimitExceeded" },
    server_error: { status: 500, error: "backendError" },
    token_expired: { status: 401, error: "authError" },
    unavailable: "backendUnavailable",
  } satisfies Readonly<Record<Problem["kind"], object | Reason>>;
  const answer = faultAnswers(codes, ({ error }) =>
    error === "authError" ? CREDENTIAL_INVALID : bodyOf(error as Reason, all[error as Reason]),
  );
  return faultsOf(router, answer);
}
