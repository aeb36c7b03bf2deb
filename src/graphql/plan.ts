/**
 * Runs operations by plans. graphql-js is the reference in tests: the answers are the same, byte for byte.
 *
 * For each object of a list, graphql-js looks up the definitions of its fields, coerces their arguments and describes
 * them for the resolvers; and it puts each promise in three others. A plan does this once for each place in a document.
 */
import {
  type ExecutionResult,
  GraphQLError,
  type GraphQLObjectType,
  getVariableValues,
  OperationTypeNode,
} from "graphql";
import { conditionsOf, type Variables } from "~/graphql/collect";
import { createCompiler, type Source } from "~/graphql/compile";
import { createErrors, type Errors } from "~/graphql/path";
import { type Budgeted, isPromise, runInTurn, runSet, type SetPlan } from "~/graphql/run";

/** Runs an operation in the context of a request. */
export type Plan = (
  context: Budgeted,
  variableValues: Variables,
) => ExecutionResult | Promise<ExecutionResult>;

/** Plans of one operation, by the variables of its `@skip` and `@include`. Beyond it, they are compiled again. */
const VARIANTS_MAX = 8;
/** As graphql-js has it. */
const VARIABLE_ERRORS_MAX = 50;

const answerOf = (data: unknown, { list }: Errors) =>
  (list.length === 0 ? { data } : { errors: list, data }) as ExecutionResult;

/** Compiles an operation of a valid document. */
export function planOf(source: Source): Plan {
  const { schema, document, operation } = source;
  const conditions = conditionsOf(document);
  const variants = new Map<string, SetPlan>();
  const root = schema.getRootType(operation.operation);
  const run = operation.operation === OperationTypeNode.MUTATION ? runInTurn : runSet;

  function variantOf(type: GraphQLObjectType, variables: Variables): SetPlan {
    const given = conditions.filter((name) => Object.hasOwn(variables, name));
    const values = given.map((name) => [name, variables[name]]);
    const key = JSON.stringify(values);
    const known = variants.get(key);
    if (known) return known;
    if (variants.size === VARIANTS_MAX) variants.clear();
    const variant = createCompiler(source, Object.fromEntries(values))(type, [operation]);
    variants.set(key, variant);
    return variant;
  }

  return (context, variableValues) => {
    const { coerced: variables, errors: invalid } = getVariableValues(
      schema,
      operation.variableDefinitions ?? [],
      variableValues,
      { maxErrors: VARIABLE_ERRORS_MAX },
    );
    if (invalid) return { errors: invalid };
    const errors = createErrors();
    const fail = (error: unknown) => {
      errors.add(error as GraphQLError, undefined);
      return answerOf(null, errors);
    };
    try {
      if (!root)
        throw new GraphQLError(
          `Schema is not configured to execute ${operation.operation} operation.`,
          { nodes: operation },
        );
      const given = { context, variables, known: new Map(), errors };
      const data = run(given, variantOf(root, variables), undefined, undefined);
      return isPromise(data)
        ? data.then((found) => answerOf(found, errors), fail)
        : answerOf(data, errors);
    } catch (error) {
      return fail(error);
    }
  };
}
