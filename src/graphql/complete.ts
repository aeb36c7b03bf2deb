/** Completes the values of fields by their types, as graphql-js does. */
import {
  defaultTypeResolver,
  type FieldNode,
  type GraphQLAbstractType,
  GraphQLError,
  type GraphQLLeafType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLResolveInfo,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  locatedError,
} from "graphql";
import type { FieldInfo } from "~/graphql/info";
import { type Key, keysOf, type Path } from "~/graphql/path";
import { type Complete, isPromise, type Run, runSet, type SetPlan } from "~/graphql/run";

/** A field of a document whose values are completed. */
export type Place = {
  readonly info: FieldInfo;
  readonly nodes: readonly FieldNode[];
  /** Compiles the selections of the nodes on a type. */
  readonly compile: (type: GraphQLObjectType, nodes: readonly FieldNode[]) => SetPlan;
};

export function completionOf(type: GraphQLOutputType, place: Place): Complete {
  if (isNonNullType(type)) {
    const complete = completionOf(type.ofType, place);
    const { parentType, fieldName } = place.info;
    const missing = `Cannot return null for non-nullable field ${parentType.name}.${fieldName}.`;
    return (run, value, above, key) => {
      const completed = complete(run, value, above, key);
      if (completed === null) throw new Error(missing);
      return completed;
    };
  }
  if (isLeafType(type)) return completionOfLeaf(type);
  if (isListType(type)) return completionOfPresent(completionOfList(type.ofType, place));
  if (isObjectType(type)) return completionOfPresent(completionOfObject(type, place));
  return completionOfPresent(completionOfAbstract(type, place));
}

const completionOfPresent =
  (complete: Complete): Complete =>
  (run, value, above, key) => {
    if (value instanceof Error) throw value;
    return value === null || value === undefined ? null : complete(run, value, above, key);
  };

const completionOfLeaf =
  (type: GraphQLLeafType): Complete =>
  (_run, value) => {
    if (value instanceof Error) throw value;
    if (value === null || value === undefined) return null;
    const serialized = type.serialize(value);
    if (serialized === null || serialized === undefined)
      throw new Error(`${type.name}.serialize(${value}) returned ${serialized}`);
    return serialized;
  };

function completionOfList(type: GraphQLOutputType, place: Place): Complete {
  const { parentType, fieldName } = place.info;
  const complete = completionOf(type, place);
  const handle = handlerOf(type, place.nodes);
  return (run, items, outer, name) => {
    if (typeof items !== "object" || items === null || !(Symbol.iterator in items))
      throw new GraphQLError(
        `Expected Iterable, but did not find one for field "${parentType.name}.${fieldName}".`,
      );
    const above = { above: outer, key: name };
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
function completionOfObject(type: GraphQLObjectType, { compile, nodes }: Place): Complete {
  let set: SetPlan | undefined;
  return (run, value, above, key) => {
    set ??= compile(type, nodes);
    return runSet(run, set, value, { above, key });
  };
}

function completionOfAbstract(type: GraphQLAbstractType, place: Place): Complete {
  const { info, nodes } = place;
  const { schema, parentType, fieldName } = info;
  const byName = new Map<unknown, Complete>();
  const resolveType = type.resolveType ?? defaultTypeResolver;

  function completeAs(name: unknown): Complete {
    const known = byName.get(name);
    if (known) return known;
    const found = typeof name === "string" ? schema.getType(name) : undefined;
    if (!isObjectType(found) || !schema.isSubType(type, found))
      throw new GraphQLError(
        `Abstract type "${type.name}" was resolved to "${name}" for field "${parentType.name}.${fieldName}".`,
        { nodes },
      );
    const complete = completionOfObject(found, place);
    byName.set(name, complete);
    return complete;
  }

  return (run, value, above, key) => {
    const name = resolveType(value, run.context, info as unknown as GraphQLResolveInfo, type);
    return isPromise(name)
      ? name.then((found) => completeAs(found)(run, value, above, key))
      : completeAs(name)(run, value, above, key);
  };
}

/** Notes the error of a field or an item that may be null, which it returns. Rethrows that of any other. */
export function handlerOf(type: GraphQLOutputType, nodes: readonly FieldNode[]) {
  const isRequired = isNonNullType(type);
  return (run: Run, error: unknown, above: Path | undefined, key: Key): null => {
    const path = { above, key };
    const located = locatedError(error, nodes, keysOf(path));
    if (isRequired) throw located;
    run.errors.add(located, path);
    return null;
  };
}
