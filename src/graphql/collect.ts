/** The fields that a selection has on an object of a type, as graphql-js collects them. */
import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLDirective,
  GraphQLIncludeDirective,
  type GraphQLObjectType,
  type GraphQLSchema,
  GraphQLSkipDirective,
  getDirectiveValues,
  isAbstractType,
  Kind,
  type OperationDefinitionNode,
  type SelectionNode,
  type SelectionSetNode,
  visit,
} from "graphql";

export type Fragments = Readonly<Record<string, FragmentDefinitionNode>>;
export type Variables = Readonly<Record<string, unknown>>;

/** The inputs that decide about the fields of a selection. `variables`: those of its `@skip` and `@include`. */
type Selecting = {
  readonly schema: GraphQLSchema;
  readonly fragments: Fragments;
  readonly variables: Variables;
  /** A condition without a value does not hide anything; by default it throws GraphQLError. */
  readonly isLenient?: boolean;
};

/** The variables that decide which fields a document selects. */
export function conditionsOf(document: DocumentNode): readonly string[] {
  const names = new Set<string>();
  visit(document, {
    Directive({ name, arguments: given = [] }) {
      if (name.value !== GraphQLSkipDirective.name && name.value !== GraphQLIncludeDirective.name)
        return;
      for (const { value } of given) if (value.kind === Kind.VARIABLE) names.add(value.name.value);
    },
  });
  return [...names];
}

/** Of the document of a valid operation. */
export const fragmentsOf = (document: DocumentNode): Fragments =>
  Object.assign(
    Object.create(null),
    Object.fromEntries(
      document.definitions.flatMap((node) =>
        node.kind === Kind.FRAGMENT_DEFINITION ? [[node.name.value, node]] : [],
      ),
    ),
  );

function conditionOf(
  { variables, isLenient = false }: Selecting,
  node: SelectionNode,
  directive: GraphQLDirective,
): unknown {
  try {
    return getDirectiveValues(directive, node, variables)?.["if"];
  } catch (error) {
    if (isLenient) return undefined;
    throw error;
  }
}

const isIncluded = (selecting: Selecting, node: SelectionNode): boolean =>
  !node.directives ||
  node.directives.length === 0 ||
  (conditionOf(selecting, node, GraphQLSkipDirective) !== true &&
    conditionOf(selecting, node, GraphQLIncludeDirective) !== false);

/** The nodes of each field by its key in the response, in the order of the response. */
export function collect(
  selecting: Selecting,
  type: GraphQLObjectType,
  sets: readonly SelectionSetNode[],
): ReadonlyMap<string, FieldNode[]> {
  const { schema, fragments } = selecting;
  const fields = new Map<string, FieldNode[]>();
  const visited = new Set<string>();

  function applies(name: string | undefined): boolean {
    if (name === undefined || name === type.name) return true;
    const wanted = schema.getType(name);
    return isAbstractType(wanted) && schema.isSubType(wanted, type);
  }

  function walk(set: SelectionSetNode): void {
    for (const node of set.selections) {
      if (node.kind === Kind.FRAGMENT_SPREAD && visited.has(node.name.value)) continue;
      if (!isIncluded(selecting, node)) continue;
      if (node.kind === Kind.FIELD) {
        const key = node.alias?.value ?? node.name.value;
        const nodes = fields.get(key);
        if (nodes) nodes.push(node);
        else fields.set(key, [node]);
        continue;
      }
      if (node.kind === Kind.FRAGMENT_SPREAD) visited.add(node.name.value);
      const inner = node.kind === Kind.INLINE_FRAGMENT ? node : fragments[node.name.value];
      if (inner && applies(inner.typeCondition?.name.value)) walk(inner.selectionSet);
    }
  }

  for (const set of sets) walk(set);
  return fields;
}

/**
 * Returns a function that names the fields of an operation that its executor resolves, with the variables of a request:
 * those that have no value, which the executor rejects, hide no field. `type`: of the operation.
 */
export function rootFieldsOf(
  schema: GraphQLSchema,
  document: DocumentNode,
  { selectionSet, variableDefinitions = [] }: OperationDefinitionNode,
  type: GraphQLObjectType,
): (variables: Variables) => readonly string[] {
  const fragments = fragmentsOf(document);
  const conditions = conditionsOf(document);
  const defaults = Object.fromEntries(
    variableDefinitions.flatMap(({ variable: { name }, defaultValue }) =>
      defaultValue?.kind === Kind.BOOLEAN ? [[name.value, defaultValue.value]] : [],
    ),
  );
  const namesWith = (variables: Variables) => {
    const selecting = { schema, fragments, variables, isLenient: true };
    return [...collect(selecting, type, [selectionSet]).values()].flatMap(([node]) =>
      node ? [node.name.value] : [],
    );
  };
  if (conditions.length > 0) return (given) => namesWith(booleansOf({ ...defaults, ...given }));
  let names: readonly string[] | undefined;
  return () => (names ??= namesWith({}));
}

/** Any other value of a condition is rejected by the executor. */
const booleansOf = (variables: Variables): Variables =>
  Object.fromEntries(Object.entries(variables).filter(([, value]) => typeof value === "boolean"));
