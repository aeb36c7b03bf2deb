/** Compiles the selections of a document to functions that complete its values. */
import {
  type DocumentNode,
  defaultFieldResolver,
  type FieldNode,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  isCompositeType,
  isIntrospectionType,
  Kind,
  type OperationDefinitionNode,
  SchemaMetaFieldDef,
  type SelectionSetNode,
  TypeMetaFieldDef,
  TypeNameMetaFieldDef,
} from "graphql";
import { coercionOf } from "~/graphql/arguments";
import { collect, fragmentsOf, type Variables } from "~/graphql/collect";
import { completionOf, handlerOf } from "~/graphql/complete";
import { createDescribe, type FieldInfo } from "~/graphql/info";
import type { Path } from "~/graphql/path";
import { type Complete, type Field, isPromise, type Run, type SetPlan } from "~/graphql/run";

/** An operation of a valid document. */
export type Source = {
  readonly schema: GraphQLSchema;
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
  /** How many fields a selection has, fragments included: the budget is charged for them. */
  readonly fieldsOf: (set: SelectionSetNode) => number;
};

type Resolve = (source: unknown, args: unknown, context: unknown, info: FieldInfo) => unknown;

/** Returns a function that compiles the selections of some nodes on a type. */
export function createCompiler(
  { schema, document, operation, fieldsOf }: Source,
  variables: Variables,
) {
  const fragments = fragmentsOf(document);
  const selecting = { schema, fragments, variables };
  const definitions = [operation, ...Object.values(fragments)];
  const describe = createDescribe(schema, { kind: Kind.DOCUMENT, definitions }, fragments);

  function compile(
    type: GraphQLObjectType,
    nodes: readonly (FieldNode | OperationDefinitionNode)[],
  ): SetPlan {
    const sets = nodes.flatMap(({ selectionSet }) => selectionSet ?? []);
    const fields = [...collect(selecting, type, sets)].flatMap(([key, fieldNodes]) => {
      const [first] = fieldNodes;
      const field = first && definitionOf(schema, type, first.name.value);
      return field ? [{ key, start: compileField(type, key, field, fieldNodes) }] : [];
    });
    // An object with a prototype is faster to write as JSON; one without can have any key.
    const isPlain = fields.every(({ key }) => !(key in Object.prototype));
    return { fields, create: () => (isPlain ? {} : Object.create(null)) };
  }

  function compileField(
    parentType: GraphQLObjectType,
    key: string,
    field: GraphQLField<unknown, unknown>,
    nodes: readonly FieldNode[],
  ): Field {
    const info = describe(parentType, field, nodes);
    const resolve = (field.resolve ?? defaultFieldResolver) as unknown as Resolve;
    const coerce = coercionOf(field, nodes[0] as FieldNode);
    const type = getNamedType(field.type);
    const isCharged = isCompositeType(type) && !isIntrospectionType(type);
    const completeValue = completionOf(field.type, { info, nodes, compile });
    const complete = isCharged ? charging(completeValue, nodes) : completeValue;
    const handle = handlerOf(field.type, nodes);

    function finish(run: Run, value: unknown, above: Path | undefined): unknown {
      try {
        const completed = complete(run, value, above, key);
        return isPromise(completed)
          ? completed.then(undefined, (error) => handle(run, error, above, key))
          : completed;
      } catch (error) {
        return handle(run, error, above, key);
      }
    }

    return (run, source, above) => {
      let value: unknown;
      try {
        const args = coerce(run);
        if (isCharged && run.context.budget.isOver()) return run.context.budget.never;
        value = resolve(source, args, run.context, info);
      } catch (error) {
        return handle(run, error, above, key);
      }
      return isPromise(value)
        ? value.then(
            (found) => finish(run, found, above),
            (error) => handle(run, error, above, key),
          )
        : finish(run, value, above);
    };
  }

  /** Charges the budget for the fields of an object, or of a list of them, before they are completed. */
  function charging(complete: Complete, nodes: readonly FieldNode[]): Complete {
    const sets = nodes.flatMap(({ selectionSet }) => selectionSet ?? []);
    const fields = sets.reduce((sum, set) => sum + fieldsOf(set), 0);
    return (run, value, above, key) => {
      if (value === null || value === undefined) return complete(run, value, above, key);
      const objects = Array.isArray(value) ? value.length : 1;
      const turn = run.context.budget.spend(objects * fields);
      return turn === undefined
        ? complete(run, value, above, key)
        : turn.then(() => complete(run, value, above, key));
    };
  }

  return compile;
}

function definitionOf(schema: GraphQLSchema, type: GraphQLObjectType, name: string) {
  if (name === TypeNameMetaFieldDef.name) return TypeNameMetaFieldDef;
  if (type === schema.getQueryType())
    for (const meta of [SchemaMetaFieldDef, TypeMetaFieldDef]) if (meta.name === name) return meta;
  return type.getFields()[name];
}
