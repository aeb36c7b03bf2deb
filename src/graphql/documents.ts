/**
 * Documents: parsed, validated and measured once each, then cached. Validation is the most expensive part of a request,
 * and clients send the same few hundred texts.
 */
import {
  type DocumentNode,
  type FragmentDefinitionNode,
  type GraphQLError,
  type GraphQLObjectType,
  type GraphQLSchema,
  Kind,
  Lexer,
  type OperationDefinitionNode,
  OperationTypeNode,
  parse,
  type SelectionSetNode,
  Source,
  TokenKind,
  validate,
} from "graphql";
import { createTextCache } from "~/graphql/cache";
import { rootFieldsOf, type Variables } from "~/graphql/collect";
import { type Definitions, defaultsOf, measureSet } from "~/graphql/cost";
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
  readonly operations: readonly Operation[];
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
  const operations = measure(schema, lengths, document);
  const errors = validate(schema, document, undefined, { maxErrors: ERRORS_MAX });
  return { operations, errors };
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

/**
 * Rejects documents that are too deep, too wide or have too many aliases. Runs before validation, which such documents
 * would stall.
 */
function measure(
  schema: GraphQLSchema,
  lengths: ListLengths,
  document: DocumentNode,
): readonly Operation[] {
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
  return document.definitions
    .filter((node) => node.kind === Kind.OPERATION_DEFINITION)
    .map((node) => measureOperation(node, document, definitions));
}

function measureOperation(
  node: OperationDefinitionNode,
  document: DocumentNode,
  definitions: Definitions,
): Operation {
  const { schema, measured } = definitions;
  const type = schema.getRootType(node.operation) ?? undefined;
  const fieldsOf = (set: SelectionSetNode) => measured.get(set)?.fields ?? 0;
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
    namesOf: namesLater(schema, document, node, type),
    isIntrospection: asksSchema(node),
    cost: (variables) => cost({ ...defaults, ...variables }),
    run: planLater({ schema, document, operation: node, fieldsOf }),
  };
}

/** Compiles an operation when it is first run: validation may reject it. */
function planLater(source: Parameters<typeof planOf>[0]): Plan {
  let plan: Plan | undefined;
  return (context, variables) => {
    plan ??= planOf(source);
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
