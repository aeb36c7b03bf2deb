/**
 * Runs one GraphQL request: prepares its document, checks the limits, executes it.
 *
 * A mutation request is one transaction. Errors are part of a result, so a result with errors is thrown to leave the
 * transaction: if anything fails, nothing is written and the response's data is null.
 */
import {
  type ExecutionResult,
  GraphQLError,
  type GraphQLFormattedError,
  type GraphQLSchema,
} from "graphql";
import { type Budget, createBudget } from "~/graphql/budget";
import { createTextCache } from "~/graphql/cache";
import {
  createDocuments,
  type Operation,
  type PreparedDocument,
  requireAffordable,
} from "~/graphql/documents";
import { DocumentRefused } from "~/graphql/errors";
import {
  ANSWER_LENGTH_MAX,
  DEADLINE_MS,
  ERRORS_SHOWN_MAX,
  VARIABLES_DEPTH_MAX,
} from "~/graphql/limits";
import type { Budgeted } from "~/graphql/run";
import { sizeOf } from "~/input/json";

export type GraphQLRequest = {
  readonly query: string;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly operationName: string | undefined;
};

export type Answer = {
  /** The body, as JSON text. */
  readonly body: string;
  readonly errors: readonly GraphQLFormattedError[];
  /** Cost in points, as the limits count it. */
  readonly cost: number;
};

type ExecutorOptions<C extends Budgeted> = {
  readonly schema: GraphQLSchema;
  /** An error as the client sees it; undefined for a bug, which is rethrown. */
  readonly format: (error: GraphQLError) => GraphQLFormattedError | undefined;
  /** Runs `work` with the context of one request: a mutation in a transaction that a throw rolls back. */
  readonly within: <T>(running: Running, work: (context: C) => Promise<T>) => Promise<T>;
};

/** The state of a running request. */
export type Running = {
  readonly isMutation: boolean;
  /** Of the fields that it resolves at the root. */
  readonly names: readonly string[];
  readonly budget: Budget;
};

/** Carries a result with errors out of the transaction. */
class MutationFailed extends Error {
  override readonly name = "MutationFailed";
  readonly result: ExecutionResult;
  constructor(result: ExecutionResult) {
    super("a mutation failed");
    this.result = result;
  }
}

/** Characters of all cached introspection responses: the usual response has two million. */
const INTROSPECTION_CHARACTERS_MAX = 16_000_000;

/** State that all requests to one schema share. */
export function createExecutor(schema: GraphQLSchema, deadlineMs = DEADLINE_MS) {
  const documents = createDocuments(schema);
  const introspections = createTextCache<Answer>(
    INTROSPECTION_CHARACTERS_MAX,
    ({ body }) => body.length,
  );

  return async function run<C extends Budgeted>(
    request: GraphQLRequest,
    { format, within }: Omit<ExecutorOptions<C>, "schema">,
  ): Promise<Answer> {
    const refuse = (errors: readonly GraphQLError[]) => answerOf({ errors }, 0, format);
    let prepared: PreparedDocument;
    try {
      requireShallow(request.variables, 0);
      prepared = documents(request.query);
    } catch (error) {
      return refuse([refusalOf(error)]);
    }
    const { operations, errors } = prepared;
    if (errors.length > 0) return refuse(errors);
    const operation = pick(operations, request.operationName);
    if (operation instanceof GraphQLError) return refuse([operation]);
    let cost: number;
    try {
      cost = requireAffordable(operation, request.variables);
    } catch (error) {
      return refuse([refusalOf(error)]);
    }

    const key = operation.isIntrospection && JSON.stringify(request);
    const known = key ? introspections.get(key) : undefined;
    if (known) return known;
    const running = {
      isMutation: operation.isMutation,
      names: operation.namesOf(request.variables),
      budget: createBudget(deadlineMs),
    };
    const result = await resultOf(running, within, async (context) =>
      operation.run(context, request.variables),
    );
    const answer = answerOf(result, cost, format);
    if (key) introspections.set(key, answer);
    return answer;
  };
}

/** An aborted request has no data, wherever it is aborted. */
async function resultOf<C extends Budgeted>(
  running: Running,
  within: ExecutorOptions<C>["within"],
  run: (context: C) => Promise<ExecutionResult>,
): Promise<ExecutionResult> {
  try {
    return await within(running, async (context) => {
      const result = await Promise.race([run(context), context.budget.givenUp]);
      requireShort(result);
      if (running.isMutation && result.errors) throw new MutationFailed(result);
      return result;
    });
  } catch (error) {
    if (error instanceof MutationFailed) return { data: null, errors: error.result.errors ?? [] };
    return { data: null, errors: [refusalOf(error)] };
  }
}

function requireShort({ data }: ExecutionResult): void {
  if (sizeOf(data, ANSWER_LENGTH_MAX) > ANSWER_LENGTH_MAX)
    throw new DocumentRefused(
      `The response is longer than ${ANSWER_LENGTH_MAX} characters: request smaller pages.`,
    );
}

/** The operation that a request names; the error of one that names none. */
export function pick(
  operations: readonly Operation[],
  name: string | undefined,
): Operation | GraphQLError {
  const found =
    name === undefined ? operations : operations.filter((operation) => operation.name === name);
  const [operation] = found;
  if (operation && found.length === 1) return operation;
  if (name !== undefined) return new GraphQLError(`Unknown operation named "${name}".`);
  return new GraphQLError(
    operations.length === 0
      ? "The document has no operation."
      : "Must provide operation name if query contains multiple operations.",
  );
}

/** A syntax error or an exceeded limit, in the format of GraphQL. Rethrows any other error. */
function refusalOf(error: unknown): GraphQLError {
  if (error instanceof GraphQLError) return error;
  if (error instanceof DocumentRefused)
    return new GraphQLError(error.message, { originalError: error });
  throw error;
}

function requireShallow(value: unknown, depth: number): void {
  if (typeof value !== "object" || value === null) return;
  if (depth > VARIABLES_DEPTH_MAX)
    throw new DocumentRefused(`The variables are nested deeper than ${VARIABLES_DEPTH_MAX}.`);
  for (const item of Object.values(value)) requireShallow(item, depth + 1);
}

/** Throws the cause of an error that has no message for the client. */
function answerOf(
  { data, errors = [] }: ExecutionResult,
  cost: number,
  format: ExecutorOptions<never>["format"],
): Answer {
  const shown = errors.slice(0, ERRORS_SHOWN_MAX).map((error) => {
    const formatted = format(error);
    if (!formatted) throw error.originalError ?? error;
    return formatted;
  });
  const result = shown.length > 0 ? { errors: shown, data } : { data };
  return { body: JSON.stringify(result), errors: shown, cost };
}
