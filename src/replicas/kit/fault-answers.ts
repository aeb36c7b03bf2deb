/** Reports of faults, in JSON. */

import type { Problem } from "~/replicas/faults";
import type { FaultWords } from "~/replicas/replica";
import { JSON_HEADERS } from "~/wire/message";

/** `error`: the service's name of the problem. */
type Report = { readonly status: number; readonly error: string; readonly body: object };

/** The responses that report problems. Clients wait for the time in `Retry-After` before they repeat a call. */
export const faultAnswers =
  (reportOf: (problem: Problem) => Report): FaultWords["answer"] =>
  (problem) => {
    const wait = problem.kind === "rate_limited" && { "retry-after": String(problem.retryAfter) };
    const { body, ...report } = reportOf(problem);
    return { ...report, headers: { ...JSON_HEADERS, ...wait }, body: JSON.stringify(body) };
  };
