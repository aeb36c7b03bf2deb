/**
 * Runs operations by plans. graphql-js is the reference: the answers are the same, byte for byte.
 *
 * For each object of a list, graphql-js looks up the definitions of its fields, coerces their arguments and describes
 * them for the resolvers; and it puts each promise in three others. A plan does this once for each place in a document.
 */
import {
  type DocumentNode,
  type ExecutionResult,
  execute,
  type GraphQLError,
  type GraphQLObjectType,
  type GraphQLSchema,
  getVariableValues,
  type OperationDefinitionNode,
  OperationTypeNode,
} from "graphql";
import { conditionsOf, type Variables } from "~/graphql/collect";
import {
  createCompiler,
  createErrors,
  type Errors,
  isPromise,
  type Path,
  type Run,
  runSet,
  type SetPlan,
} from "~/graphql/compile";

/** Runs an operation in the context of a request. */
export type Plan = (
  contextValue: unknown,
  variableValues: Variables,
) => ExecutionResult | Promise<ExecutionResult>;

/** Plans of one operation, by the variables of its `@skip` and `@include`. Beyond it, they are compiled again. */
const VARIANTS_MAX = 8;
/** As graphql-js has it. */
const VARIABLE_ERRORS_MAX = 50;

const answerOf = (data: unknown, { list }: Errors) =>
  (list.length === 0 ? { data } : { errors: list, data }) as ExecutionResult;

/** Compiles an operation of a valid document. */
export function planOf(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
): Plan {
  const conditions = conditionsOf(document);
  const variants = new Map<string, SetPlan>();
  const root = schema.getRootType(operation.operation);
  const run = operation.operation === OperationTypeNode.MUTATION ? runInTurn : runSet;

  function variantOf(type: GraphQLObjectType, variables: Variables): SetPlan {
    const values = conditions.map((name) => [name, variables[name]]);
    const key = values.map(([, value]) => (value === true ? "1" : "0")).join("");
    const known = variants.get(key);
    if (known) return known;
    if (variants.size === VARIANTS_MAX) variants.clear();
    const compile = createCompiler(schema, document, operation, Object.fromEntries(values));
    const variant = compile(type, [operation]);
    variants.set(key, variant);
    return variant;
  }

  return (contextValue, variableValues) => {
    const { coerced, errors: invalid } = getVariableValues(
      schema,
      operation.variableDefinitions ?? [],
      variableValues,
      { maxErrors: VARIABLE_ERRORS_MAX },
    );
    if (invalid) return { errors: invalid };
    // It reports a condition without a value.
    if (!root || conditions.some((name) => typeof coerced[name] !== "boolean"))
      return execute({
        schema,
        document,
        contextValue,
        variableValues,
        operationName: operation.name?.value,
      });
    const errors = createErrors();
    const fail = (error: unknown) => {
      errors.add(error as GraphQLError, undefined);
      return answerOf(null, errors);
    };
    try {
      const given = { context: contextValue, variables: coerced, known: new Map(), errors };
      const data = run(given, variantOf(root, coerced), undefined, undefined);
      return isPromise(data)
        ? data.then((found) => answerOf(found, errors), fail)
        : answerOf(data, errors);
    } catch (error) {
      return fail(error);
    }
  };
}

/** The fields of a mutation, one after the other. */
async function runInTurn(
  run: Run,
  { fields, create }: SetPlan,
  source: unknown,
  path: Path | undefined,
): Promise<unknown> {
  const result = create();
  for (const { key, start } of fields) result[key] = await start(run, source, path);
  return result;
}
