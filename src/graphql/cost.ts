/** Measures the selections of a document before it runs: their depth, their fields and their cost. */
import {
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isInterfaceType,
  isIntrospectionType,
  isListType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  SchemaMetaFieldDef,
  type SelectionSetNode,
  TypeMetaFieldDef,
  type ValueNode,
} from "graphql";
import type { Variables } from "~/graphql/collect";
import type { ListLengths } from "~/graphql/introspection";
import { PAGE_DEFAULT, PAGE_MAX } from "~/graphql/limits";

type Maybe<T> = T | undefined;

/** The cost of a selection, as far as the document determines it: the rest depends on variables. */
export type Measured = {
  readonly depth: number;
  readonly fields: number;
  readonly cost: (variables: Variables) => number;
};

export type Definitions = {
  readonly schema: GraphQLSchema;
  readonly lengths: ListLengths;
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  readonly measured: Map<SelectionSetNode, Measured>;
};

const NOTHING: Measured = { depth: 0, fields: 0, cost: () => 0 };

/** Variables of an operation that have a default and can limit a page. */
export const defaultsOf = ({ variableDefinitions = [] }: OperationDefinitionNode): Variables =>
  Object.fromEntries(
    variableDefinitions.flatMap(({ variable, defaultValue }) =>
      defaultValue?.kind === Kind.INT ? [[variable.name.value, Number(defaultValue.value)]] : [],
    ),
  );

/**
 * Measures each set once, however many spreads refer to it: the time grows with the length of the document only. A set
 * always selects from the same type, because a fragment names its type.
 */
export function measureSet(
  set: SelectionSetNode,
  type: Maybe<GraphQLNamedType>,
  definitions: Definitions,
): Measured {
  const { schema, fragments, measured } = definitions;
  const known = measured.get(set);
  if (known) return known;
  measured.set(set, NOTHING); // A fragment that contains itself counts zero here; validation rejects it.
  const parts = set.selections.map((node) => {
    if (node.kind === Kind.FIELD) return measureField(node, type, definitions);
    const inner = node.kind === Kind.INLINE_FRAGMENT ? node : fragments.get(node.name.value);
    if (!inner) return NOTHING;
    const { typeCondition: of, selectionSet } = inner;
    return measureSet(selectionSet, of ? schema.getType(of.name.value) : type, definitions);
  });
  const whole = {
    depth: parts.reduce((most, { depth }) => Math.max(most, depth), 0),
    fields: parts.reduce((sum, { fields }) => sum + fields, 0),
    cost: once((variables) => parts.reduce((sum, { cost }) => sum + cost(variables), 0)),
  };
  measured.set(set, whole);
  return whole;
}

/** Remembers the result for the most recent variables. */
function once(cost: (variables: Variables) => number) {
  let asked: Variables | undefined;
  let answer = 0;
  return (variables: Variables) => {
    if (asked !== variables) {
      answer = cost(variables);
      asked = variables;
    }
    return answer;
  };
}

const LEAF_COST = 0.1;
const OBJECT_COST = 1;
/** The extension of a field whose pages cost the same at any size. */
export const COSTS_ONCE = "costsOnce";

/**
 * A leaf costs a tenth of an object. A page costs its content, page info included, times its maximum number of rows, and
 * nothing for itself.
 */
function measureField(
  node: FieldNode,
  parent: Maybe<GraphQLNamedType>,
  definitions: Definitions,
): Measured {
  if (!node.selectionSet) return { depth: 1, fields: 1, cost: () => LEAF_COST };
  const field = fieldOf(definitions.schema, parent, node.name.value);
  const type = field && getNamedType(field.type);
  const { depth, cost } = measureSet(node.selectionSet, type, definitions);
  return { depth: depth + 1, fields: 1, cost: costOf(node, field, cost, definitions.lengths) };
}

/** Undefined for a field that validation will reject. */
function fieldOf(
  schema: GraphQLSchema,
  parent: Maybe<GraphQLNamedType>,
  name: string,
): Maybe<GraphQLField<unknown, unknown>> {
  if (parent === schema.getQueryType())
    for (const meta of [SchemaMetaFieldDef, TypeMetaFieldDef]) if (meta.name === name) return meta;
  return isObjectType(parent) || isInterfaceType(parent) ? parent.getFields()[name] : undefined;
}

type Cost = Measured["cost"];

/**
 * The cost of a field with this content: its type and its arguments determine it, wherever its content is selected. A
 * list without pages counts once, as in the service; its rows are counted when they are read (budget.ts).
 */
function costOf(
  { arguments: given = [] }: FieldNode,
  field: Maybe<GraphQLField<unknown, unknown>>,
  content: Cost,
  lengths: ListLengths,
): Cost {
  const isPage = field?.args.some(({ name }) => name === "first") && !field.extensions[COSTS_ONCE];
  if (isPage) {
    const limits = given.filter(({ name }) => /^(first|last)$/.test(name.value));
    return (variables) =>
      content(variables) *
      (Math.max(0, ...limits.map(({ value }) => limitOf(value, variables))) || PAGE_DEFAULT);
  }
  const describesSchema =
    field &&
    isListType(getNullableType(field.type)) &&
    isIntrospectionType(getNamedType(field.type));
  const rows = (describesSchema && lengths[field.name]) || 1;
  return (variables) => OBJECT_COST + rows * content(variables);
}

/** The page size that an argument requests, limited to the possible sizes; 0 if the argument does not set one. */
function limitOf(value: ValueNode, variables: Variables): number {
  const limit =
    value.kind === Kind.VARIABLE
      ? variables[value.name.value]
      : Number("value" in value && value.value);
  return typeof limit === "number" && limit > 0 ? Math.min(limit, PAGE_MAX) : 0;
}
