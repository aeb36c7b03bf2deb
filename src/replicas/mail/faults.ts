/** Faults in the words of the Gmail API. */
import { googleFaults } from "~/replicas/kit/google/faults";
import { pathOf } from "~/replicas/mail/answer";
import { ROUTER } from "~/replicas/mail/api/index";
import { bodyOf } from "~/replicas/mail/errors";
import type { FaultWords } from "~/replicas/replica";

const QUOTA =
  "Quota exceeded for quota metric 'Total Query Cost' and limit 'Units per minute per user' of service 'gmail.googleapis.com' for consumer 'project_number:1'.";

const words = googleFaults(ROUTER, bodyOf, {
  rateLimitExceeded: QUOTA,
  backendError: "Internal error encountered.",
});

export const faults: FaultWords = {
  ...words,
  select: (call) => words.select({ ...call, path: pathOf(call.path) }),
};
