/** Runs a tool: one context, in one transaction if the tool writes. */

import { execute, GraphQLError, type GraphQLFormattedError } from "graphql";
import type { Tx } from "~/db/connect";
import { createBudget } from "~/graphql/budget";
import { createDocuments } from "~/graphql/documents";
import type { Caller } from "~/replicas/caller";
import { type Context, inContext } from "~/replicas/tracker/context";
import { formatError, type ValidationError } from "~/replicas/tracker/errors";
import { Rejected, type Tool, type Work } from "~/replicas/tracker/mcp/tool";
import { trackerSchema } from "~/replicas/tracker/schema";
import type { TrackerSession } from "~/replicas/tracker/store/tables";
import { dateOf } from "~/source";

/** Attempts for a change that a concurrent one blocked. */
const ATTEMPTS_MAX = 3;

type Caching = ReturnType<typeof createDocuments>;
let documents: Caching | undefined;
const prepared: Caching = (text) => {
  documents ??= createDocuments(trackerSchema());
  return documents(text);
};

/** The result of a tool. Throws Rejected, after which nothing is written. */
export async function runTool(
  { session, actor, baseUrl }: Caller,
  tool: Tool,
  values: object,
  writes: boolean,
): Promise<unknown> {
  const now = dateOf(session.source);
  const once = () => {
    const running = { names: [], isMutation: writes, budget: createBudget(), fieldsOf: () => 0 };
    return inContext(session as TrackerSession, { actor, running, now, baseUrl }, (context) =>
      Promise.race([tool(values, workIn(context)), context.budget.givenUp]),
    );
  };
  for (let attempt = 1; ; attempt++)
    try {
      return await once();
    } catch (error) {
      const rejection = rejectionOf(error);
      if (!rejection.isHeldUp || attempt === ATTEMPTS_MAX) throw rejection;
    }
}

function workIn(context: Context): Work {
  const ask: Work["ask"] = async (text, variables = {}) => {
    const { document, fieldsOf, errors: mistakes } = prepared(text);
    if (mistakes[0]) throw new Error(`${mistakes[0].message} in ${text}`);
    const work = execute({
      schema: trackerSchema(),
      document,
      contextValue: { ...context, fieldsOf },
      variableValues: variables as Record<string, unknown>,
    });
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
  return new Rejected(
    messageOf(formatted),
    true,
    formatted.extensions?.["type"] === "lock timeout",
  );
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
