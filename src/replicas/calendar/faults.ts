/** Faults in the words of the Google Calendar API. */
import { ROUTER } from "~/replicas/calendar/api/index";
import { bodyOf } from "~/replicas/calendar/errors";
import { googleFaults } from "~/replicas/kit/google/faults";

export const faults = googleFaults(ROUTER, bodyOf, {
  rateLimitExceeded: "Rate Limit Exceeded",
  backendError: "Backend Error",
});
