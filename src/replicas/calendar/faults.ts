/** Faults in the words of the Google Calendar API. */
import { ROUTER } from "~/replicas/calendar/api/index";
import { bodyOf } from "~/replicas/calendar/errors";
import { googleFaults, UNAVAILABLE } from "~/replicas/kit/google/faults";

export const faults = googleFaults(ROUTER, {
  rate_limited: bodyOf("rateLimitExceeded", "Rate Limit Exceeded"),
  user_rate_limited: bodyOf("userRateLimitExceeded", "User Rate Limit Exceeded"),
  server_error: bodyOf("backendError", "Backend Error"),
  unavailable: bodyOf("backendUnavailable", UNAVAILABLE),
});
