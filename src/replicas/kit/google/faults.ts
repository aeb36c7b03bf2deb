/** Faults in the words of Google's APIs. */
import type { Problem } from "~/replicas/faults";
import { faultAnswers } from "~/replicas/kit/fault-answers";
import { CREDENTIAL_INVALID } from "~/replicas/kit/google/credentials";
import { faultsOf } from "~/replicas/kit/rest-contract";
import type { Router } from "~/replicas/kit/router";
import type { FaultWords } from "~/replicas/replica";

export const UNAVAILABLE = "The service is currently unavailable.";

type ErrorBody = {
  readonly error: {
    readonly code: number;
    readonly errors: readonly { readonly reason: string }[];
  };
};

/** The bodies of an API's errors, which it words in its own way. */
type Bodies = Readonly<
  Record<Exclude<Problem["kind"], "token_expired"> | "user_rate_limited", ErrorBody>
>;

export function googleFaults<Context>(router: Router<Context>, bodies: Bodies): FaultWords {
  const answer = faultAnswers((problem) => {
    const body = bodyOf(bodies, problem);
    const { code, errors } = body.error;
    return { status: code, error: errors[0]?.reason ?? "", body };
  });
  return { ...faultsOf(router, answer), hasUserLimit: true };
}

function bodyOf(bodies: Bodies, problem: Problem): ErrorBody {
  switch (problem.kind) {
    case "rate_limited":
      return problem.isPerUser ? bodies.user_rate_limited : bodies.rate_limited;
    case "token_expired":
      return CREDENTIAL_INVALID;
    case "unavailable":
      return { error: { ...bodies.unavailable.error, code: problem.status } };
    default:
      return bodies.server_error;
  }
}
