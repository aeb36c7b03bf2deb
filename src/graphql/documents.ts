/**
 * Documents: parsed, validated and measured once each, and kept. Validation is the most expensive part of a request, and
 * clients send the same few hundred texts.
 */
import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLError,
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
import { DocumentRefused } from "~/graphql/errors";
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

/** Of all documents that are kept: one takes 38 bytes of memory for each of its characters. */
const CHARACTERS_MAX = 1_500_000;
const ERRORS_MAX = 20;

type Variables = Readonly<Record<string, unknown>>;

export type Operation = {
  readonly name: string | undefined;
  readonly isMutation: boolean;
  /** Asks for nothing but the schema itself. */
  readonly isIntrospection: boolean;
  readonly cost: (variables: Variables) => number;
};

export type PreparedDocument = {
  readonly document: DocumentNode;
  readonly operations: readonly Operation[];
  /** How many fields a selection of it has, fragments included. */
  readonly fieldsOf: (set: SelectionSetNode) => number;
  /** What is wrong with it. */
  readonly errors: readonly GraphQLError[];
};

/** Keeps the documents that were used last, as many as `charactersMax` holds. */
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

/** Throws GraphQLError on a syntax error and DocumentRefused beyond the limits; other errors are in the answer. */
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

/** Counts brackets before a recursive parser meets them, and never reads past the tokens that it would take. */
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

/** What a selection costs, as far as the document tells: the rest is in variables. */
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

/** Refuses what is too deep, too wide or too often aliased. Runs before validation, which such documents would stall. */
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
    .map((node) => measureOperation(node, definitions));
  return { operations, measured: definitions.measured };
}

function measureOperation(node: OperationDefinitionNode, definitions: Definitions): Operation {
  const { depth, fields, cost } = measureSet(
    node.selectionSet,
    definitions.schema.getRootType(node.operation) ?? undefined,
    definitions,
  );
  if (depth > DEPTH_MAX)
    throw new DocumentRefused(`The document is nested deeper than ${DEPTH_MAX} fields.`);
  const isMutation = node.operation === OperationTypeNode.MUTATION;
  if (isMutation && fields > MUTATIONS_MAX)
    throw new DocumentRefused(`A request can make at most ${MUTATIONS_MAX} changes.`);
  const defaults = defaultsOf(node);
  return {
    name: node.name?.value,
    isMutation,
    isIntrospection: asksSchema(node),
    cost: (variables) => cost({ ...defaults, ...variables }),
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

/** The variables of an operation that have a default, of those that can limit a page. */
const defaultsOf = ({ variableDefinitions = [] }: OperationDefinitionNode): Variables =>
  Object.fromEntries(
    variableDefinitions.flatMap(({ variable, defaultValue }) =>
      defaultValue?.kind === Kind.INT ? [[variable.name.value, Number(defaultValue.value)]] : [],
    ),
  );

type Maybe<T> = T | undefined;

/**
 * Each set once, whatever spreads it: a document of many spreads is measured in the time of its length. A set always
 * selects from the same type, because a fragment says which one it is of.
 */
function measureSet(
  set: SelectionSetNode,
  type: Maybe<GraphQLNamedType>,
  definitions: Definitions,
): Measured {
  const { schema, fragments, measured } = definitions;
  const known = measured.get(set);
  if (known) return known;
  measured.set(set, NOTHING); // A fragment that holds itself counts nothing here; validation refuses it.
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

/** Remembers the answer for the variables it was last asked about. */
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

/** A leaf costs a tenth of an object; a list as many times its content as it may have rows. */
function measureField(
  node: FieldNode,
  parent: Maybe<GraphQLNamedType>,
  definitions: Definitions,
): Measured {
  if (!node.selectionSet) return { depth: 1, fields: 1, cost: () => LEAF_COST };
  const field = fieldOf(definitions.schema, parent, node.name.value);
  const type = field && getNamedType(field.type);
  const { depth, cost } = measureSet(node.selectionSet, type, definitions);
  const rows = rowsOf(node, field, definitions.lengths);
  return {
    depth: depth + 1,
    fields: 1,
    cost: (variables) => OBJECT_COST + rows(variables) * cost(variables),
  };
}

/** Undefined for a field that validation will refuse. */
function fieldOf(
  schema: GraphQLSchema,
  parent: Maybe<GraphQLNamedType>,
  name: string,
): Maybe<GraphQLField<unknown, unknown>> {
  if (parent === schema.getQueryType())
    for (const meta of [SchemaMetaFieldDef, TypeMetaFieldDef]) if (meta.name === name) return meta;
  return isObjectType(parent) || isInterfaceType(parent) ? parent.getFields()[name] : undefined;
}

/**
 * How many rows a field may answer: its type and its arguments say so, wherever its content is selected. A list that is
 * not paged counts once, as the service has it; its rows are counted when they are there (budget.ts).
 */
function rowsOf(
  { arguments: given = [] }: FieldNode,
  field: Maybe<GraphQLField<unknown, unknown>>,
  lengths: ListLengths,
): (variables: Variables) => number {
  if (!field) return () => 1;
  if (field.args.some(({ name }) => name === "first")) {
    const limits = given.filter(({ name }) => /^(first|last)$/.test(name.value));
    return (variables) =>
      Math.max(0, ...limits.map(({ value }) => limitOf(value, variables))) || PAGE_DEFAULT;
  }
  const isList = isListType(getNullableType(field.type));
  const rows = isList && isIntrospectionType(getNamedType(field.type)) ? lengths[field.name] : 1;
  return () => rows ?? 1;
}

/** The size of a page that an argument asks for, as far as a page can have it; 0 where it says nothing. */
function limitOf(value: ValueNode, variables: Variables): number {
  const limit =
    value.kind === Kind.VARIABLE
      ? variables[value.name.value]
      : Number("value" in value && value.value);
  return typeof limit === "number" && limit > 0 ? Math.min(limit, PAGE_MAX) : 0;
}

/** Throws DocumentRefused when the operation would cost too much with these variables. Returns its cost. */
export function requireAffordable(
  { cost, isIntrospection }: Operation,
  variables: Variables,
): number {
  const points = Math.ceil(cost(variables));
  const max = isIntrospection ? INTROSPECTION_COST_MAX : COST_MAX;
  if (points > max)
    throw new DocumentRefused(
      `Query too complex. Complexity: ${points}. Maximum allowed complexity: ${max}.`,
    );
  return points;
}
