/** The tracker service, compatible with Linear's GraphQL API. */
import type { GraphQLFormattedError } from "graphql";
import { type Answer, createExecutor, type Running } from "~/graphql/execute";
import { untilUnblocked } from "~/replicas/kit/retries";
import { createReplica, type ReplicaCall } from "~/replicas/replica";
import { about } from "~/replicas/tracker/about";
import { acting } from "~/replicas/tracker/acting";
import { type Context, inContext } from "~/replicas/tracker/context";
import { DERIVED } from "~/replicas/tracker/derived";
import { formatError, shapeOf, statusOf, TrackerError } from "~/replicas/tracker/errors";
import { createFailures } from "~/replicas/tracker/events/failures";
import { events } from "~/replicas/tracker/events/index";
import { faults } from "~/replicas/tracker/faults";
import { actingUser, isToken } from "~/replicas/tracker/identity";
import { vendor } from "~/replicas/tracker/mcp/vendor";
import { trackerOperations } from "~/replicas/tracker/operations";
import { limitHeaders } from "~/replicas/tracker/rate-limit";
import { readAccounted, Unreadable } from "~/replicas/tracker/request";
import { rowWords } from "~/replicas/tracker/row-words";
import { schedule } from "~/replicas/tracker/schedule";
import { trackerSchema } from "~/replicas/tracker/schema";
import { seedTracker } from "~/replicas/tracker/seed";
import { findBusySign } from "~/replicas/tracker/store/busy-sign";
import type { TableName } from "~/replicas/tracker/store/tables";
import { findUserId, listDirectory, listPeople } from "~/replicas/tracker/store/users";
import tables from "~/replicas/tracker/tables.sql" with { type: "text" };
import { isFile, transfer, uploads } from "~/replicas/tracker/transfers";
import { dateOf } from "~/source";
import { type HttpAnswer, httpAnswer, JSON_HEADERS } from "~/wire/message";

export const tracker = createReplica<TableName>({
  service: about.service,
  about,
  tables,
  derived: DERIVED,
  seed: seedTracker,
  schedule,
  busySign: findBusySign,
  events,
  findUser: findUserId,
  listPeople,
  listDirectory,
  isToken,
  carriesSecret: uploads.matches,
  awaits: uploads.awaits,
  handle: answer,
  acting,
  words: rowWords,
  faults,
  operations: trackerOperations,
  toolProfiles: { vendor },
});

let executor: ReturnType<typeof createExecutor> | undefined;

async function answer(call: ReplicaCall<TableName>): Promise<HttpAnswer> {
  if (isFile(call.path)) return await transfer(call);
  const now = dateOf(call.session.source);
  const { account } = call;
  account.via = "graphql";
  try {
    const request = readAccounted(call);
    executor ??= createExecutor(trackerSchema());
    const execute = executor;
    const result = await untilUnblocked(
      () =>
        execute<Context>(request, {
          format: formatError,
          within: (running, work) => within(call, now, running, work),
        }),
      isHeldUp,
    );
    account.error = result.errors[0]?.message ?? null;
    account.answer = result.body;
    // The official client reads any other type as text.
    const headers = { ...JSON_HEADERS, ...limitHeaders(result.cost, now) };
    return httpAnswer(statusOf(result.errors), headers, result.body);
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
  call: ReplicaCall<TableName>,
  now: Date,
  running: Running,
  work: (context: Context) => Promise<T>,
): Promise<T> {
  const { session, account, baseUrl } = call;
  account.name = running.names.join(", ");
  account.user = actingUser(call);
  const failures = createFailures(call);
  const request = { actor: account.user, running, now, baseUrl, failures };
  return await inContext(session, request, work);
}
