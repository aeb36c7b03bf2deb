/** The fields that a selection has on an object of a type, as graphql-js collects them. */
import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  GraphQLIncludeDirective,
  type GraphQLObjectType,
  type GraphQLSchema,
  GraphQLSkipDirective,
  getDirectiveValues,
  isAbstractType,
  Kind,
  type SelectionNode,
  type SelectionSetNode,
  visit,
} from "graphql";

export type Fragments = Readonly<Record<string, FragmentDefinitionNode>>;
export type Variables = Readonly<Record<string, unknown>>;

/** The inputs that decide about the fields of a selection. `variables`: those of its `@skip` and `@include`. */
export type Selecting = {
  readonly schema: GraphQLSchema;
  readonly fragments: Fragments;
  readonly variables: Variables;
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

function isIncluded({ variables }: Selecting, node: SelectionNode): boolean {
  if (!node.directives || node.directives.length === 0) return true;
  if (getDirectiveValues(GraphQLSkipDirective, node, variables)?.["if"] === true) return false;
  return getDirectiveValues(GraphQLIncludeDirective, node, variables)?.["if"] !== false;
}

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
