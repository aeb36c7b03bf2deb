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
  locatedError,
  type OperationDefinitionNode,
  SchemaMetaFieldDef,
  TypeMetaFieldDef,
  TypeNameMetaFieldDef,
} from "graphql";
import { coercionOf, type Given } from "~/graphql/arguments";
import { collect, fragmentsOf, type Variables } from "~/graphql/collect";

/** The description of a field that resolvers get: what is the same for each object. */
export type FieldInfo = Pick<
  GraphQLResolveInfo,
  "fieldName" | "fieldNodes" | "returnType" | "parentType" | "schema" | "fragments" | "operation"
>;

export type Path = { readonly above: Path | undefined; readonly key: Key };
type Key = string | number;
/** One execution. */
export type Run = Given & { readonly context: unknown; readonly errors: Errors };

/** Completes the value at a place, perhaps later. Throws what makes the place null. Most places never need a path. */
type Complete = (run: Run, value: unknown, above: Path | undefined, key: Key) => unknown;
/** The value of a field of an object, perhaps later. */
type Field = (run: Run, source: unknown, above: Path | undefined) => unknown;
/** The fields of an object, in the order of the response. */
export type SetPlan = {
  readonly fields: readonly { readonly key: string; readonly start: Field }[];
  readonly create: () => Record<string, unknown>;
};
type NullableOutput = Exclude<GraphQLOutputType, GraphQLNonNull<never>>;
type Resolve = (source: unknown, args: unknown, context: unknown, info: FieldInfo) => unknown;

/** The parts of a resolver that charges the budget of the request: a plan needs no promise between them. */
export type Charge = {
  readonly resolve: Resolve;
  /** A promise that never settles, once the budget is used up. */
  readonly refusal: (context: unknown) => Promise<never> | undefined;
  /** Awaited, if it is a promise, before the value is completed. */
  readonly spend: (value: unknown, context: unknown, info: FieldInfo) => Promise<void> | undefined;
};
/** By resolver. */
export const charges = new WeakMap<object, Charge>();

export type Errors = ReturnType<typeof createErrors>;

/** The errors of a request, without those below a place that is already null. */
export function createErrors() {
  /** The keys of places that are null, by the path above them. */
  const places = new Map<Path | undefined, Set<Key>>();
  const list: GraphQLError[] = [];
  let isOver = false;
  return {
    list,
    /** `path`: undefined if nothing is left of the answer. */
    add(error: GraphQLError, path: Path | undefined): void {
      if (isOver) return;
      for (let at = path; at; at = at.above) if (places.get(at.above)?.has(at.key)) return;
      if (path) places.set(path.above, (places.get(path.above) ?? new Set()).add(path.key));
      else isOver = true;
      list.push(error);
    },
  };
}

export const isPromise = (value: unknown): value is Promise<unknown> =>
  typeof value === "object" &&
  value !== null &&
  typeof (value as { then?: unknown }).then === "function";

function keysOf(path: Path): Key[] {
  const keys: Key[] = [];
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
  let waiting: string[] | undefined;
  try {
    for (const { key, start } of fields) {
      const value = start(run, source, path);
      result[key] = value;
      if (!isPromise(value)) continue;
      waiting ??= [];
      waiting.push(key);
    }
  } catch (error) {
    if (!waiting) throw error;
    return settled(result, waiting).finally(() => {
      throw error;
    });
  }
  return waiting ? settled(result, waiting) : result;
}

/** The object, once these fields have their values: one promise for all of them. */
function settled(result: Record<string, unknown>, waiting: readonly string[]): Promise<unknown> {
  return new Promise((resolve, reject) => {
    let left = waiting.length;
    for (const key of waiting)
      (result[key] as Promise<unknown>).then((value) => {
        result[key] = value;
        if (--left === 0) resolve(result);
      }, reject);
  });
}

/** Returns a function that compiles the selections of some nodes on a type. */
export function createCompiler(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  variables: Variables,
) {
  const fragments = fragmentsOf(document);
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
    const charge = definition.resolve && charges.get(definition.resolve);
    const resolve = (charge?.resolve ?? definition.resolve ?? defaultFieldResolver) as Resolve;
    const coerce = coercionOf(definition, fieldNodes[0] as FieldNode);
    const completeValue = completion(returnType, info);
    const complete = charge ? charging(charge, completeValue, info) : completeValue;
    const handle = handlerOf(returnType, fieldNodes);

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
        const refusal = charge?.refusal(run.context);
        if (refusal !== undefined) return refusal;
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

  /** Charges the budget for the fields of a value before it is completed. */
  function charging({ spend }: Charge, complete: Complete, info: FieldInfo): Complete {
    return (run, value, above, key) => {
      const turn = spend(value, run.context, info);
      return turn !== undefined
        ? turn.then(() => complete(run, value, above, key))
        : complete(run, value, above, key);
    };
  }

  function completion(type: GraphQLOutputType, info: FieldInfo): Complete {
    if (isNonNullType(type)) {
      const complete = completion(type.ofType, info);
      const { parentType, fieldName } = info;
      const missing = `Cannot return null for non-nullable field ${parentType.name}.${fieldName}.`;
      return (run, value, above, key) => {
        const completed = complete(run, value, above, key);
        if (completed === null) throw new Error(missing);
        return completed;
      };
    }
    if (isLeafType(type)) return completionOfLeaf(type);
    const complete = completionOfPresent(type, info);
    return (run, value, above, key) => {
      if (value instanceof Error) throw value;
      return value === null || value === undefined ? null : complete(run, value, above, key);
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
    return (run, items, place, name) => {
      if (typeof items !== "object" || items === null || !(Symbol.iterator in items))
        throw new GraphQLError(
          `Expected Iterable, but did not find one for field "${parentType.name}.${fieldName}".`,
        );
      const above = { above: place, key: name };
      let waits = false;
      const completed = Array.from(items as Iterable<unknown>, (item, key) => {
        try {
          const value = isPromise(item)
            ? item.then((found) => complete(run, found, above, key))
            : complete(run, item, above, key);
          if (!isPromise(value)) return value;
          waits = true;
          return value.then(undefined, (error) => handle(run, error, above, key));
        } catch (error) {
          return handle(run, error, above, key);
        }
      });
      return waits ? Promise.all(completed) : completed;
    };
  }

  /** Compiled when it is first reached: a document may select much that an answer does not have. */
  function completionOfObject(type: GraphQLObjectType, nodes: readonly FieldNode[]): Complete {
    let set: SetPlan | undefined;
    return (run, value, above, key) => {
      set ??= compile(type, nodes);
      return runSet(run, set, value, { above, key });
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

    return (run, value, above, key) => {
      const name = resolveType(value, run.context, info as GraphQLResolveInfo, type);
      return isPromise(name)
        ? name.then((found) => completeAs(found)(run, value, above, key))
        : completeAs(name)(run, value, above, key);
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
  return (run: Run, error: unknown, above: Path | undefined, key: Key): null => {
    const path = { above, key };
    const located = locatedError(error, nodes, keysOf(path));
    if (isRequired) throw located;
    run.errors.add(located, path);
    return null;
  };
}
