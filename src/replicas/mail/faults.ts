/** Faults in the words of the Gmail API. */
import { googleFaults, UNAVAILABLE } from "~/replicas/kit/google/faults";
import { pathOf } from "~/replicas/mail/answer";
import { ROUTER } from "~/replicas/mail/api/index";
import { bodyOf } from "~/replicas/mail/errors";
import type { FaultWords } from "~/replicas/replica";

const QUOTA =
  "Quota exceeded for quota metric 'Total Query Cost' and limit 'Units per minute per user' of service 'gmail.googleapis.com' for consumer 'project_number:1'.";

/** Unlike the other limit, it is reported as forbidden, in a domain of its own. */
function userLimit() {
  const { error } = bodyOf("rateLimitExceeded", QUOTA);
  const errors = error.errors.map((item) => ({ ...item, domain: "usageLimits" }));
  return { error: { ...error, code: 403, errors } };
}

const words = googleFaults(ROUTER, {
  rate_limited: bodyOf("rateLimitExceeded", "Resource has been exhausted (e.g. check quota)."),
  user_rate_limited: userLimit(),
  server_error: bodyOf("backendError", "Internal error encountered."),
  unavailable: bodyOf("backendUnavailable", UNAVAILABLE),
});

export const faults: FaultWords = {
  ...words,
  select: (call) => words.select({ ...call, path: pathOf(call.path) }),
};
