/** Faults in the words of the Gmail API. */
import type { Problem } from "~/replicas/faults";
import { faultAnswers } from "~/replicas/kit/fault-answers";
import { faultsOf } from "~/replicas/kit/rest-contract";
import { pathOf } from "~/replicas/mail/answer";
import { ROUTER } from "~/replicas/mail/api/index";
import { bodyOf, type Reason } from "~/replicas/mail/errors";
import type { FaultWords } from "~/replicas/replica";

const QUOTA =
  "Quota exceeded for quota metric 'Total Query Cost' and limit 'Units per minute per user' of service 'gmail.googleapis.com' for consumer 'project_number:1'.";
const CREDENTIAL =
  "Request had invalid authentication credentials. Expected OAuth 2 access token, login cookie or other valid authentication credential. See https://developers.google.com/identity/sign-in/web/devconsole-project.";

const MESSAGES: { readonly [reason: string]: string } = {
  rateLimitExceeded: QUOTA,
  authError: CREDENTIAL,
  backendError: "Internal error encountered.",
  backendUnavailable: "The service is currently unavailable.",
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
    ({ error }) => bodyOf(error as Reason, MESSAGES[error] ?? ""),
  ),
);

export const faults: FaultWords = {
  ...words,
  select: (call) => words.select({ ...call, path: pathOf(call.path) }),
};
