/**
 * Documents: parsed, validated and measured once each, then cached. Validation is the most expensive part of a request,
 * and clients send the same few hundred texts.
 */
import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLError,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isInterfaceType,
  isIntrospectionType,
  isListType,
  isObjectType,
  Kind,
  Lexer,
  type OperationDefinitionNode,
  OperationTypeNode,
  parse,
  SchemaMetaFieldDef,
  type SelectionSetNode,
  Source,
  TokenKind,
  TypeMetaFieldDef,
  type ValueNode,
  validate,
} from "graphql";
import { createTextCache } from "~/graphql/cache";
import { rootFieldsOf, type Variables } from "~/graphql/collect";
import { DocumentRefused, TooExpensive } from "~/graphql/errors";
import { type ListLengths, listLengthsOf } from "~/graphql/introspection";
import {
  ALIASES_MAX,
  COST_MAX,
  DEPTH_MAX,
  DIRECTIVES_MAX,
  DOCUMENT_LENGTH_MAX,
  INTROSPECTION_COST_MAX,
  MUTATIONS_MAX,
  NESTING_MAX,
  PAGE_DEFAULT,
  PAGE_MAX,
  TOKENS_MAX,
} from "~/graphql/limits";
import { type Plan, planOf } from "~/graphql/plan";

/**
 * Total size of cached documents: each takes up to 100 bytes of memory per character, half of it for its plan. The
 * documents of the official client have 700,000.
 */
const CHARACTERS_MAX = 750_000;
const ERRORS_MAX = 20;

export type Operation = {
  readonly name: string | undefined;
  readonly isMutation: boolean;
  /** Names the fields that it resolves at the root, in their order. For a valid document. */
  readonly namesOf: (variables: Variables) => readonly string[];
  /** Selects only introspection fields. */
  readonly isIntrospection: boolean;
  readonly cost: (variables: Variables) => number;
  /** Runs it. */
  readonly run: Plan;
};

export type PreparedDocument = {
  readonly document: DocumentNode;
  readonly operations: readonly Operation[];
  /** How many fields a selection has, fragments included. */
  readonly fieldsOf: (set: SelectionSetNode) => number;
  /** Validation errors. */
  readonly errors: readonly GraphQLError[];
};

/** Caches the most recently used documents, as many as `charactersMax` holds. */
export function createDocuments(schema: GraphQLSchema, charactersMax = CHARACTERS_MAX) {
  const lengths = listLengthsOf(schema);
  const kept = createTextCache<PreparedDocument>(charactersMax);
  return (text: string): PreparedDocument => {
    if (text.length > DOCUMENT_LENGTH_MAX)
      throw new DocumentRefused(
        `The document is longer than ${DOCUMENT_LENGTH_MAX} characters: send long values as variables.`,
      );
    const known = kept.get(text);
    if (known) return known;
    const prepared = prepare(schema, lengths, text);
    kept.set(text, prepared);
    return prepared;
  };
}

/** Throws GraphQLError on a syntax error and DocumentRefused beyond the limits; returns other errors in the result. */
function prepare(schema: GraphQLSchema, lengths: ListLengths, text: string): PreparedDocument {
  requireShallow(text);
  const document = parse(text, { noLocation: false, maxTokens: TOKENS_MAX });
  const { operations, measured } = measure(schema, lengths, document);
  const errors = validate(schema, document, undefined, { maxErrors: ERRORS_MAX });
  return { document, operations, fieldsOf: (set) => measured.get(set)?.fields ?? 0, errors };
}

const OPENING: ReadonlySet<string> = new Set([
  TokenKind.BRACE_L,
  TokenKind.BRACKET_L,
  TokenKind.PAREN_L,
]);
const CLOSING: ReadonlySet<string> = new Set([
  TokenKind.BRACE_R,
  TokenKind.BRACKET_R,
  TokenKind.PAREN_R,
]);

/** Counts brackets before a recursive parser sees them, and stops at the parser's own token limit. */
function requireShallow(text: string): void {
  const lexer = new Lexer(new Source(text));
  let depth = 0;
  for (let count = 0; count <= TOKENS_MAX; count++) {
    const { kind } = lexer.advance();
    if (kind === TokenKind.EOF) return;
    if (OPENING.has(kind)) depth++;
    else if (CLOSING.has(kind)) depth--;
    if (depth > NESTING_MAX)
      throw new DocumentRefused(`The document is nested deeper than ${NESTING_MAX}.`);
  }
}

/** The cost of a selection, as far as the document determines it: the rest depends on variables. */
type Measured = {
  readonly depth: number;
  readonly fields: number;
  readonly cost: (variables: Variables) => number;
};

type Definitions = {
  readonly schema: GraphQLSchema;
  readonly lengths: ListLengths;
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  readonly measured: Map<SelectionSetNode, Measured>;
};

const NOTHING: Measured = { depth: 0, fields: 0, cost: () => 0 };

/**
 * Rejects documents that are too deep, too wide or have too many aliases. Runs before validation, which such documents
 * would stall.
 */
function measure(schema: GraphQLSchema, lengths: ListLengths, document: DocumentNode) {
  const counts = { aliases: 0, directives: 0 };
  countNodes(document, counts);
  if (counts.aliases > ALIASES_MAX)
    throw new DocumentRefused(`The document has too many aliases: more than ${ALIASES_MAX}.`);
  if (counts.directives > DIRECTIVES_MAX)
    throw new DocumentRefused(`The document has more than ${DIRECTIVES_MAX} directives.`);
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const node of document.definitions)
    if (node.kind === Kind.FRAGMENT_DEFINITION) fragments.set(node.name.value, node);
  const definitions: Definitions = { schema, lengths, fragments, measured: new Map() };
  const operations = document.definitions
    .filter((node) => node.kind === Kind.OPERATION_DEFINITION)
    .map((node) => measureOperation(node, document, definitions));
  return { operations, measured: definitions.measured };
}

function measureOperation(
  node: OperationDefinitionNode,
  document: DocumentNode,
  definitions: Definitions,
): Operation {
  const type = definitions.schema.getRootType(node.operation) ?? undefined;
  const { depth, fields, cost } = measureSet(node.selectionSet, type, definitions);
  if (depth > DEPTH_MAX)
    throw new DocumentRefused(`The document is nested deeper than ${DEPTH_MAX} fields.`);
  const isMutation = node.operation === OperationTypeNode.MUTATION;
  if (isMutation && fields > MUTATIONS_MAX)
    throw new DocumentRefused(`A request can make at most ${MUTATIONS_MAX} changes.`);
  const defaults = defaultsOf(node);
  return {
    name: node.name?.value,
    isMutation,
    namesOf: namesLater(definitions.schema, document, node, type),
    isIntrospection: asksSchema(node),
    cost: (variables) => cost({ ...defaults, ...variables }),
    run: planLater(definitions.schema, document, node),
  };
}

/** Compiles an operation when it is first run: validation may reject it. */
function planLater(...operation: Parameters<typeof planOf>): Plan {
  let plan: Plan | undefined;
  return (context, variables) => {
    plan ??= planOf(...operation);
    return plan(context, variables);
  };
}

/** Names of an operation once they are asked for: validation may reject it. */
function namesLater(
  schema: GraphQLSchema,
  document: DocumentNode,
  node: OperationDefinitionNode,
  type: GraphQLObjectType | undefined,
): Operation["namesOf"] {
  let namesOf: Operation["namesOf"] | undefined;
  return (variables) => {
    if (!type) return [];
    namesOf ??= rootFieldsOf(schema, document, node, type);
    return namesOf(variables);
  };
}

const asksSchema = ({ operation, selectionSet }: OperationDefinitionNode) =>
  operation === OperationTypeNode.QUERY &&
  selectionSet.selections.every(
    (node) => node.kind === Kind.FIELD && node.name.value.startsWith("__"),
  );

function countNodes(value: unknown, counts: { aliases: number; directives: number }): void {
  if (Array.isArray(value)) for (const item of value) countNodes(item, counts);
  else if (typeof value === "object" && value !== null && "kind" in value) {
    if (value.kind === Kind.FIELD && "alias" in value && value.alias) counts.aliases++;
    if (value.kind === Kind.DIRECTIVE) counts.directives++;
    for (const [key, item] of Object.entries(value)) if (key !== "loc") countNodes(item, counts);
  }
}

/** Variables of an operation that have a default and can limit a page. */
const defaultsOf = ({ variableDefinitions = [] }: OperationDefinitionNode): Variables =>
  Object.fromEntries(
    variableDefinitions.flatMap(({ variable, defaultValue }) =>
      defaultValue?.kind === Kind.INT ? [[variable.name.value, Number(defaultValue.value)]] : [],
    ),
  );

type Maybe<T> = T | undefined;

/**
 * Measures each set once, however many spreads refer to it: the time is linear in the length of the document. A set
 * always selects from the same type, because a fragment names its type.
 */
function measureSet(
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

/** Throws TooExpensive when the operation costs too much with these variables. Returns its cost. */
export function requireAffordable(
  { cost, isIntrospection }: Operation,
  variables: Variables,
): number {
  // Sums of tenths are not exact.
  const points = Math.round(cost(variables) * 10) / 10;
  const max = isIntrospection ? INTROSPECTION_COST_MAX : COST_MAX;
  if (points > max) throw new TooExpensive(points, max);
  return points;
}
