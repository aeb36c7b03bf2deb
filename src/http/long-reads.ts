/**
 * Answers that may have many megabytes, and take several times as much while they are made: few at a time, and of one
 * key in turn, so that a key with many requests delays another by one of them.
 */
import { unavailable } from "~/errors";
import { findPrincipal } from "~/http/principal";
import { createFairSemaphore } from "~/semaphore";
import type { HttpRequest } from "~/wire/message";

const LONG =
  /^\/api\/platform\/(?:results\/[^/]+|runs\/[^/]+\/(?:calls|events|evaluations)|testSuites\/[^/]+)$/;
const AT_ONCE = 2;
export const WAITING_MAX = 100;

export function createLongReads() {
  const pass = createFairSemaphore({ limit: AT_ONCE, waitingMax: WAITING_MAX }, () =>
    unavailable(`${WAITING_MAX} reads of this key wait for others, the maximum`),
  );

  /** Performs a request: in turn, if its answer may be long. Throws 503 if too many wait. */
  return async <T>(request: HttpRequest, work: () => Promise<T>): Promise<T> => {
    if (request.method !== "GET" || !LONG.test(request.pathname)) return await work();
    return await pass(findPrincipal(request)?.keyId ?? "", work);
  };
}
