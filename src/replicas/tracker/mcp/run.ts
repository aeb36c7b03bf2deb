/** Runs a tool: one context, in one transaction if the tool writes. */

import { GraphQLError, type GraphQLFormattedError } from "graphql";
import type { Tx } from "~/db/connect";
import { createBudget } from "~/graphql/budget";
import type { Variables } from "~/graphql/collect";
import { createDocuments } from "~/graphql/documents";
import type { Caller } from "~/replicas/caller";
import { untilUnblocked } from "~/replicas/kit/retries";
import { type Context, inContext } from "~/replicas/tracker/context";
import { formatError, type ValidationError } from "~/replicas/tracker/errors";
import { Rejected, type Tool, type Work } from "~/replicas/tracker/mcp/tool";
import { trackerSchema } from "~/replicas/tracker/schema";
import type { TableName } from "~/replicas/tracker/store/tables";
import { dateOf } from "~/source";

type Caching = ReturnType<typeof createDocuments>;
let documents: Caching | undefined;
const prepared: Caching = (text) => {
  documents ??= createDocuments(trackerSchema());
  return documents(text);
};

/** The result of a tool. Throws Rejected, after which nothing is written. */
export async function runTool(
  { session, actor, baseUrl }: Caller<TableName>,
  tool: Tool,
  values: object,
  { writes }: { readonly writes: boolean },
): Promise<unknown> {
  const now = dateOf(session.source);
  const once = () => {
    const running = { names: [], isMutation: writes, budget: createBudget() };
    return inContext(session, { actor, running, now, baseUrl }, (context) =>
      Promise.race([tool(values, workIn(context)), context.budget.givenUp]),
    );
  };
  const result = await untilUnblocked(
    () => once().catch(rejectionOf),
    (given) => given instanceof Rejected && given.isHeldUp,
  );
  if (result instanceof Rejected) throw result;
  return result;
}

function workIn(context: Context): Work {
  const ask: Work["ask"] = async (text, variables = {}) => {
    const { operations, errors: mistakes } = prepared(text);
    const [operation] = operations;
    if (mistakes[0] || !operation) throw new Error(`${mistakes[0]?.message} in ${text}`);
    const work = operation.run(context, variables as Variables);
    const { data, errors } = await Promise.race([work, context.budget.givenUp]);
    if (errors?.[0]) throw rejectionOf(errors[0]);
    return data;
  };
  const attempt: Work["attempt"] = async (work) => {
    try {
      // A rejected statement ends a transaction, unless it is inside a savepoint.
      await (context.session.sql as Tx).savepoint(() => work());
      return undefined;
    } catch (error) {
      context.read.clear();
      const rejection = rejectionOf(error);
      if (rejection.isHeldUp) throw rejection;
      return rejection.message;
    }
  };
  return { context, ask, attempt };
}

/** An error as the agent reads it. Throws the cause of an error that is a bug. */
function rejectionOf(error: unknown): Rejected {
  if (error instanceof Rejected) return error;
  const wrapped =
    error instanceof GraphQLError
      ? error
      : new GraphQLError(String(error), {
          originalError: error instanceof Error ? error : undefined,
        });
  const formatted = formatError(wrapped);
  if (!formatted) throw wrapped.originalError ?? wrapped;
  const isHeldUp = formatted.extensions?.["type"] === "lock timeout";
  return new Rejected(messageOf(formatted), { upstream: true, isHeldUp });
}

/** The value of a variable that GraphQL rejects: the name of the field, and the problem. */
const COERCION =
  /^Variable "\$(\w+)" got invalid value .*?(?: at "[^"]*?(\w+)(?:\[\d+\]|\.gte|\.eq)*")?; (.*?)\.?$/s;

function messageOf({ message, extensions = {} }: GraphQLFormattedError): string {
  const [broken] = (extensions["validationErrors"] ?? []) as readonly ValidationError[];
  const presentable = String(extensions["userPresentableMessage"] ?? message);
  if (broken && "isCursor" in broken.constraints)
    return `${broken.property} is not a valid pagination cursor identifier.`;
  if (broken) return `Argument Validation Error - ${presentable}`;
  const [, variable, field, problem] = COERCION.exec(message) ?? [];
  return problem === undefined
    ? presentable
    : `Argument Validation Error - ${field ?? variable}: ${problem}.`;
}
