/**
 * The rate limits that the service reports to its clients. Nothing is counted: clients read the numbers, and they are
 * generous.
 */
import { COST_MAX } from "~/graphql/limits";

const HOUR_MS = 60 * 60 * 1000;
export const REQUESTS_PER_HOUR = 5_000;
export const POINTS_PER_HOUR = 3_000_000;

/** The end of the current hour, in epoch milliseconds. */
export const resetAt = (now: Date) => Math.ceil((now.getTime() + 1) / HOUR_MS) * HOUR_MS;

/** The headers of a response to a client that has no requests left for some seconds. */
export const exhausted = (retryAfter: number, now: Date): Record<string, string> => ({
  ...limitHeaders(0, now),
  "x-ratelimit-requests-remaining": "0",
  "x-ratelimit-requests-reset": String(now.getTime() + retryAfter * 1000),
  "retry-after": String(retryAfter),
});

/** The headers of a response with this cost. */
export function limitHeaders(cost: number, now: Date): Record<string, string> {
  const points = Math.ceil(cost);
  const reset = String(resetAt(now));
  return {
    "x-complexity": String(points),
    "x-ratelimit-requests-limit": String(REQUESTS_PER_HOUR),
    "x-ratelimit-requests-remaining": String(REQUESTS_PER_HOUR - 1),
    "x-ratelimit-requests-reset": reset,
    "x-ratelimit-complexity-limit": String(POINTS_PER_HOUR),
    "x-ratelimit-complexity-remaining": String(POINTS_PER_HOUR - Math.min(points, COST_MAX)),
    "x-ratelimit-complexity-reset": reset,
  };
}
