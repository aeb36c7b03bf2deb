/** Compiles the selections of a document to functions that complete its values. */
import {
  type DocumentNode,
  defaultFieldResolver,
  defaultTypeResolver,
  type FieldNode,
  type GraphQLAbstractType,
  GraphQLError,
  type GraphQLField,
  type GraphQLLeafType,
  type GraphQLNonNull,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
  locatedError,
  type OperationDefinitionNode,
  SchemaMetaFieldDef,
  TypeMetaFieldDef,
  TypeNameMetaFieldDef,
} from "graphql";
import { coercionOf, type Given } from "~/graphql/arguments";
import { collect, type Selecting, type Variables } from "~/graphql/collect";

/** The description of a field that resolvers get: what is the same for each object. */
export type FieldInfo = Pick<
  GraphQLResolveInfo,
  "fieldName" | "fieldNodes" | "returnType" | "parentType" | "schema" | "fragments" | "operation"
>;

export type Path = { readonly above: Path | undefined; readonly key: string | number };
/** One execution. */
export type Run = Given & { readonly context: unknown; readonly errors: Errors };

/** Completes a value, perhaps later. Throws what makes its place null. */
type Complete = (run: Run, value: unknown, path: Path) => unknown;
/** The value of a field of an object, perhaps later. */
type Field = (run: Run, source: unknown, above: Path | undefined) => unknown;
/** The fields of an object, in the order of the response. */
export type SetPlan = {
  readonly fields: readonly { readonly key: string; readonly start: Field }[];
  readonly create: () => Record<string, unknown>;
};
type NullableOutput = Exclude<GraphQLOutputType, GraphQLNonNull<never>>;
type Resolve = (source: unknown, args: unknown, context: unknown, info: FieldInfo) => unknown;

export type Errors = ReturnType<typeof createErrors>;

/** The errors of a request, without those below a place that is already null. */
export function createErrors() {
  const places = new Set<Path | undefined>();
  const list: GraphQLError[] = [];
  return {
    list,
    add(error: GraphQLError, path: Path | undefined): void {
      for (let place = path; place; place = place.above) if (places.has(place)) return;
      if (places.has(undefined)) return;
      places.add(path);
      list.push(error);
    },
  };
}

export const isPromise = (value: unknown): value is Promise<unknown> =>
  typeof value === "object" &&
  value !== null &&
  typeof (value as { then?: unknown }).then === "function";

function keysOf(path: Path): (string | number)[] {
  const keys: (string | number)[] = [];
  for (let at: Path | undefined = path; at; at = at.above) keys.unshift(at.key);
  return keys;
}

/** The fields of an object, started together. */
export function runSet(
  run: Run,
  { fields, create }: SetPlan,
  source: unknown,
  path: Path | undefined,
): unknown {
  const result = create();
  let waiting: Promise<void>[] | undefined;
  try {
    for (const { key, start } of fields) {
      const value = start(run, source, path);
      result[key] = value;
      if (isPromise(value)) {
        waiting ??= [];
        waiting.push(
          value.then((found) => {
            result[key] = found;
          }),
        );
      }
    }
  } catch (error) {
    if (!waiting) throw error;
    return Promise.all(waiting).finally(() => {
      throw error;
    });
  }
  return waiting ? Promise.all(waiting).then(() => result) : result;
}

/** Returns a function that compiles the selections of some nodes on a type. */
export function createCompiler(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  variables: Variables,
) {
  const fragments: Selecting["fragments"] = Object.assign(
    Object.create(null),
    Object.fromEntries(
      document.definitions.flatMap((node) =>
        node.kind === Kind.FRAGMENT_DEFINITION ? [[node.name.value, node]] : [],
      ),
    ),
  );
  const selecting = { schema, fragments, variables };

  function definitionOf(type: GraphQLObjectType, name: string) {
    if (name === TypeNameMetaFieldDef.name) return TypeNameMetaFieldDef;
    if (type === schema.getQueryType())
      for (const meta of [SchemaMetaFieldDef, TypeMetaFieldDef])
        if (meta.name === name) return meta;
    return type.getFields()[name];
  }

  function compile(
    type: GraphQLObjectType,
    nodes: readonly (FieldNode | OperationDefinitionNode)[],
  ): SetPlan {
    const sets = nodes.flatMap(({ selectionSet }) => selectionSet ?? []);
    const fields = [...collect(selecting, type, sets)].flatMap(([key, fieldNodes]) => {
      const [first] = fieldNodes;
      const definition = first && definitionOf(type, first.name.value);
      return definition ? [{ key, start: compileField(type, key, definition, fieldNodes) }] : [];
    });
    // An object with a prototype is faster to write as JSON; one without can have any key.
    const isPlain = fields.every(({ key }) => !(key in Object.prototype));
    return { fields, create: () => (isPlain ? {} : Object.create(null)) };
  }

  function compileField(
    parentType: GraphQLObjectType,
    key: string,
    definition: GraphQLField<unknown, unknown>,
    fieldNodes: readonly FieldNode[],
  ): Field {
    const { name: fieldName, type: returnType } = definition;
    const info = { fieldName, fieldNodes, returnType, parentType, schema, fragments, operation };
    const resolve = (definition.resolve ?? defaultFieldResolver) as Resolve;
    const coerce = coercionOf(definition, fieldNodes[0] as FieldNode);
    const complete = completion(returnType, info);
    const handle = handlerOf(returnType, fieldNodes);
    return (run, source, above) => {
      const path = { above, key };
      const fail = (error: unknown) => handle(run, error, path);
      const finish = (value: unknown) => {
        try {
          const completed = complete(run, value, path);
          return isPromise(completed) ? completed.then(undefined, fail) : completed;
        } catch (error) {
          return fail(error);
        }
      };
      try {
        const value = resolve(source, coerce(run), run.context, info);
        return isPromise(value) ? value.then(finish, fail) : finish(value);
      } catch (error) {
        return fail(error);
      }
    };
  }

  function completion(type: GraphQLOutputType, info: FieldInfo): Complete {
    if (isNonNullType(type)) {
      const complete = completion(type.ofType, info);
      const { parentType, fieldName } = info;
      const missing = `Cannot return null for non-nullable field ${parentType.name}.${fieldName}.`;
      return (run, value, path) => {
        const completed = complete(run, value, path);
        if (completed === null) throw new Error(missing);
        return completed;
      };
    }
    if (isLeafType(type)) return completionOfLeaf(type);
    const complete = completionOfPresent(type, info);
    return (run, value, path) => {
      if (value instanceof Error) throw value;
      return value === null || value === undefined ? null : complete(run, value, path);
    };
  }

  function completionOfPresent(
    type: Exclude<NullableOutput, GraphQLLeafType>,
    info: FieldInfo,
  ): Complete {
    if (isListType(type)) return completionOfList(type.ofType, info);
    if (isObjectType(type)) return completionOfObject(type, info.fieldNodes);
    return completionOfAbstract(type, info);
  }

  function completionOfList(type: GraphQLOutputType, info: FieldInfo): Complete {
    const { parentType, fieldName, fieldNodes } = info;
    const complete = completion(type, info);
    const handle = handlerOf(type, fieldNodes);
    return (run, items, above) => {
      if (typeof items !== "object" || items === null || !(Symbol.iterator in items))
        throw new GraphQLError(
          `Expected Iterable, but did not find one for field "${parentType.name}.${fieldName}".`,
        );
      let waits = false;
      const completed = Array.from(items as Iterable<unknown>, (item, key) => {
        const path = { above, key };
        const fail = (error: unknown) => handle(run, error, path);
        try {
          const value = isPromise(item)
            ? item.then((found) => complete(run, found, path))
            : complete(run, item, path);
          if (!isPromise(value)) return value;
          waits = true;
          return value.then(undefined, fail);
        } catch (error) {
          return fail(error);
        }
      });
      return waits ? Promise.all(completed) : completed;
    };
  }

  /** Compiled when it is first reached: a document may select much that an answer does not have. */
  function completionOfObject(type: GraphQLObjectType, nodes: readonly FieldNode[]): Complete {
    let set: SetPlan | undefined;
    return (run, value, path) => {
      set ??= compile(type, nodes);
      return runSet(run, set, value, path);
    };
  }

  function completionOfAbstract(type: GraphQLAbstractType, info: FieldInfo): Complete {
    const { parentType, fieldName, fieldNodes } = info;
    const byName = new Map<unknown, Complete>();
    const resolveType = type.resolveType ?? defaultTypeResolver;

    function completeAs(name: unknown): Complete {
      const known = byName.get(name);
      if (known) return known;
      const found = typeof name === "string" ? schema.getType(name) : undefined;
      if (!isObjectType(found) || !schema.isSubType(type, found))
        throw new GraphQLError(
          `Abstract type "${type.name}" was resolved to "${name}" for field "${parentType.name}.${fieldName}".`,
          { nodes: fieldNodes },
        );
      const complete = completionOfObject(found, fieldNodes);
      byName.set(name, complete);
      return complete;
    }

    return (run, value, path) => {
      const name = resolveType(value, run.context, info as GraphQLResolveInfo, type);
      return isPromise(name)
        ? name.then((found) => completeAs(found)(run, value, path))
        : completeAs(name)(run, value, path);
    };
  }

  return compile;
}

const leaves = new WeakMap<GraphQLLeafType, Complete>();

/** The same for each field of a type. */
function completionOfLeaf(type: GraphQLLeafType): Complete {
  const known = leaves.get(type);
  if (known) return known;
  const complete: Complete = (_run, value) => {
    if (value instanceof Error) throw value;
    if (value === null || value === undefined) return null;
    const serialized = type.serialize(value);
    if (serialized === null || serialized === undefined)
      throw new Error(`${type.name}.serialize(${value}) returned ${serialized}`);
    return serialized;
  };
  leaves.set(type, complete);
  return complete;
}

/** Notes the error of a field or an item that may be null, which it returns. Rethrows that of any other. */
function handlerOf(type: GraphQLOutputType, nodes: readonly FieldNode[]) {
  const isRequired = isNonNullType(type);
  return (run: Run, error: unknown, path: Path): null => {
    const located = locatedError(error, nodes, keysOf(path));
    if (isRequired) throw located;
    run.errors.add(located, path);
    return null;
  };
}
