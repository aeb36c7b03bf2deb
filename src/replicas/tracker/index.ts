/** The tracker service, compatible with Linear's GraphQL API. */
import type { GraphQLFormattedError } from "graphql";
import { type Answer, createExecutor, type Running } from "~/graphql/execute";
import { type HttpAnswer, httpAnswer, JSON_HEADERS } from "~/message";
import type { Replica, ReplicaCall } from "~/replicas/replica";
import { type Context, inContext } from "~/replicas/tracker/context";
import { DERIVED } from "~/replicas/tracker/derived";
import { formatError, shapeOf, statusOf, TrackerError } from "~/replicas/tracker/errors";
import { faults } from "~/replicas/tracker/faults";
import { actingUser, isToken } from "~/replicas/tracker/identity";
import { vendor } from "~/replicas/tracker/mcp/index";
import { trackerOperations } from "~/replicas/tracker/operations";
import { limitHeaders } from "~/replicas/tracker/rate-limit";
import { readAccounted, Unreadable } from "~/replicas/tracker/request";
import { schedule } from "~/replicas/tracker/schedule";
import { trackerSchema } from "~/replicas/tracker/schema";
import { seedTracker } from "~/replicas/tracker/seed";
import type { TrackerSession } from "~/replicas/tracker/store/tables";
import { findUserId, listPeople } from "~/replicas/tracker/store/users";
import tables from "~/replicas/tracker/tables.sql" with { type: "text" };
import { awaitsUpload, carriesSecret, isFile, transfer } from "~/replicas/tracker/uploads";
import { dateOf } from "~/source";

export const tracker: Replica = {
  service: "tracker",
  alias: "linear",
  tables,
  derived: DERIVED,
  seed: seedTracker,
  schedule,
  findUser: (session, by) => findUserId(session as TrackerSession, by),
  listPeople: (session, limit) => listPeople(session as TrackerSession, limit),
  isToken,
  carriesSecret,
  awaits: (session, path) => awaitsUpload(session as TrackerSession, path),
  handle: answer,
  faults,
  operations: trackerOperations,
  toolProfiles: { vendor },
};

/** Attempts for a change that a concurrent one blocked. */
const ATTEMPTS_MAX = 3;

let executor: ReturnType<typeof createExecutor> | undefined;

async function answer(call: ReplicaCall): Promise<HttpAnswer> {
  if (isFile(call.path)) return await transfer(call);
  const now = dateOf(call.session.source);
  const { account } = call;
  account.via = "graphql";
  try {
    const request = readAccounted(call);
    executor ??= createExecutor(trackerSchema());
    for (let attempt = 1; ; attempt++) {
      const result = await executor<Context>(request, {
        format: formatError,
        within: (running, work) => within(call, now, running, work),
      });
      if (attempt < ATTEMPTS_MAX && isHeldUp(result)) continue;
      account.error = result.errors[0]?.message ?? null;
      account.answer = result.body;
      // The official client reads any other type as text.
      const headers = { ...JSON_HEADERS, ...limitHeaders(result.cost, now) };
      return httpAnswer(statusOf(result.errors), headers, result.body);
    }
  } catch (error) {
    if (error instanceof Unreadable)
      return refused(call, error.status, new TrackerError("graphql error", error.message));
    if (error instanceof TrackerError) return refused(call, undefined, error);
    throw error;
  }
}

const isHeldUp = ({ errors }: Answer) => errors[0]?.extensions?.["type"] === "lock timeout";

function refused(
  { account }: ReplicaCall,
  status: number | undefined,
  error: TrackerError,
): HttpAnswer {
  const errors: readonly GraphQLFormattedError[] = [shapeOf(error)];
  account.error = error.message;
  account.answer = JSON.stringify({ errors });
  const headers = { ...JSON_HEADERS, ...(status === 405 && { Allow: "POST" }) };
  return httpAnswer(status ?? statusOf(errors), headers, account.answer);
}

async function within<T>(
  call: ReplicaCall,
  now: Date,
  running: Running,
  work: (context: Context) => Promise<T>,
): Promise<T> {
  const { session, account, baseUrl } = call;
  account.name = running.names.join(", ");
  const request = { actor: actingUser(call), running, now, baseUrl };
  return await inContext(session as TrackerSession, request, work);
}
