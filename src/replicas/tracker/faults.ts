/** Faults in the words of the GraphQL API. */
import { GraphQLError } from "graphql";
import { createDocuments, type Operation } from "~/graphql/documents";
import { type GraphQLRequest, pick } from "~/graphql/execute";
import type { Problem, Selection } from "~/replicas/faults";
import type { FaultWords, UnleasedCall } from "~/replicas/replica";
import { KINDS, notAuthenticated, shapeOf, TrackerError } from "~/replicas/tracker/errors";
import { exhausted } from "~/replicas/tracker/rate-limit";
import { readAccounted, Unreadable } from "~/replicas/tracker/request";
import { trackerSchema } from "~/replicas/tracker/schema";
import { isFile } from "~/replicas/tracker/transfers";
import { dateOf, REAL } from "~/source";

/** Of the cached documents: only environments with faults need them. */
const CHARACTERS_MAX = 200_000;

let documents: ReturnType<typeof createDocuments> | undefined;

export const faults: FaultWords = {
  selector: "operation",
  *names() {
    const schema = trackerSchema();
    for (const type of [schema.getQueryType(), schema.getMutationType()])
      yield* Object.keys(type?.getFields() ?? {});
  },
  select,
  answer(problem) {
    if (problem.kind === "unavailable") return unavailable(problem.status);
    const error = errorOf(problem);
    const limits = problem.kind === "rate_limited" && exhausted(problem.retryAfter, dateOf(REAL));
    return {
      status: KINDS[error.type].status,
      headers: { "Content-Type": "application/json; charset=utf-8", ...limits },
      body: JSON.stringify({ errors: [shapeOf(error)] }),
      error: error.message,
    };
  },
};

/** The service's proxy answers in plain text: the official client then goes by the status. */
function unavailable(status: 503 | 504) {
  const error = status === 503 ? "Service Unavailable" : "Gateway Timeout";
  return {
    status,
    headers: { "Content-Type": "text/plain; charset=utf-8" },
    body: error,
    error,
  };
}

function errorOf({ kind }: Exclude<Problem, { kind: "unavailable" }>): TrackerError {
  switch (kind) {
    case "rate_limited":
      return new TrackerError("ratelimited", "Rate limit exceeded", "Rate limit exceeded.");
    case "server_error":
      return new TrackerError("internal error", "Internal server error", "Internal server error.");
    default:
      return notAuthenticated("The access token has expired.");
  }
}

async function select(call: UnleasedCall): Promise<Selection | undefined> {
  if (isFile(call.path)) return undefined;
  const { account } = call;
  account.via = "graphql";
  try {
    const request = readAccounted(call);
    const operation = operationOf(request);
    if (!operation) return undefined;
    const names = operation.namesOf(request.variables);
    account.name = names.join(", ");
    return { by: "operation", names, isReading: !operation.isMutation };
  } catch (error) {
    if (error instanceof Unreadable) return undefined;
    throw error;
  }
}

/** Undefined if there is none, or the document is rejected. */
function operationOf({ query, operationName }: GraphQLRequest): Operation | undefined {
  documents ??= createDocuments(trackerSchema(), CHARACTERS_MAX);
  try {
    const { operations, errors } = documents(query);
    if (errors.length > 0) return undefined;
    const operation = pick(operations, operationName);
    return operation instanceof GraphQLError ? undefined : operation;
  } catch {
    return undefined; // the service says why
  }
}
