/** Reports of faults, in JSON. */

import type { Problem } from "~/replicas/faults";
import type { FaultWords } from "~/replicas/replica";
import { JSON_HEADERS } from "~/wire/message";

type Code = { readonly status: number; readonly error: string };

/** A service's codes. `unavailable`: with the status of the proxy that reports it. */
type FaultCodes = Readonly<
  Record<Exclude<Problem["kind"], "unavailable">, Code> & { unavailable: string }
>;

/** The responses that report problems. Clients wait for the time in `Retry-After` before they repeat a call. */
export const faultAnswers =
  (codes: FaultCodes, bodyOf: (code: Code) => object): FaultWords["answer"] =>
  (problem) => {
    const { kind } = problem;
    const code =
      kind === "unavailable" ? { status: problem.status, error: codes[kind] } : codes[kind];
    const wait = kind === "rate_limited" && { "retry-after": String(problem.retryAfter) };
    return { ...code, headers: { ...JSON_HEADERS, ...wait }, body: JSON.stringify(bodyOf(code)) };
  };
