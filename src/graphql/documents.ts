/**
 * Documents: parsed, validated and measured once each, and kept. Validation is the dearest part of a request, and
 * clients send the same few hundred texts.
 */
import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLError,
  type GraphQLSchema,
  Kind,
  type OperationDefinitionNode,
  OperationTypeNode,
  parse,
  type SelectionSetNode,
  validate,
} from "graphql";
import { DocumentRefused } from "~/graphql/errors";
import {
  ALIASES_MAX,
  COST_MAX,
  DEPTH_MAX,
  DIRECTIVES_MAX,
  MUTATIONS_MAX,
  NESTING_MAX,
  PAGE_DEFAULT,
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
  /** What is wrong with it. */
  readonly errors: readonly GraphQLError[];
};

/** Keeps the documents that were used last, as many as `charactersMax` holds. */
export function createDocuments(schema: GraphQLSchema, charactersMax = CHARACTERS_MAX) {
  const kept = new Map<string, PreparedDocument>();
  let characters = 0;
  return (text: string): PreparedDocument => {
    const known = kept.get(text);
    const prepared = known ?? prepare(schema, text);
    if (known) kept.delete(text);
    else characters += text.length;
    kept.set(text, prepared);
    for (const oldest of kept.keys()) {
      if (characters <= charactersMax) break;
      kept.delete(oldest);
      characters -= oldest.length;
    }
    return prepared;
  };
}

/** Throws GraphQLError on a syntax error and DocumentRefused beyond the limits; other errors are in the answer. */
function prepare(schema: GraphQLSchema, text: string): PreparedDocument {
  requireShallow(text);
  const document = parse(text, { noLocation: false, maxTokens: TOKENS_MAX });
  const operations = measure(document);
  const errors = validate(schema, document, undefined, { maxErrors: ERRORS_MAX });
  return { document, operations, errors };
}

/** Counts brackets outside strings, before a recursive parser meets them. */
function requireShallow(text: string): void {
  let depth = 0;
  for (const [found] of text.matchAll(
    /"""(?:\\"""|[\s\S])*?"""|"(?:\\.|[^"\\\n])*"|#[^\n]*|[{[(]|[}\])]/g,
  )) {
    if (found === "{" || found === "[" || found === "(") depth++;
    else if (found === "}" || found === "]" || found === ")") depth--;
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
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  readonly measured: Map<SelectionSetNode, Measured>;
};

const NOTHING: Measured = { depth: 0, fields: 0, cost: () => 0 };

/** Refuses what is too deep, too wide or too often aliased. Runs before validation, which such documents would stall. */
function measure(document: DocumentNode): Operation[] {
  const counts = { aliases: 0, directives: 0 };
  countNodes(document, counts);
  if (counts.aliases > ALIASES_MAX)
    throw new DocumentRefused(`The document has too many aliases: more than ${ALIASES_MAX}.`);
  if (counts.directives > DIRECTIVES_MAX)
    throw new DocumentRefused(`The document has more than ${DIRECTIVES_MAX} directives.`);
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const node of document.definitions)
    if (node.kind === Kind.FRAGMENT_DEFINITION) fragments.set(node.name.value, node);
  const definitions: Definitions = { fragments, measured: new Map() };
  return document.definitions
    .filter((node) => node.kind === Kind.OPERATION_DEFINITION)
    .map((node) => measureOperation(node, definitions));
}

function measureOperation(node: OperationDefinitionNode, definitions: Definitions): Operation {
  const { depth, fields, cost } = measureSet(node.selectionSet, definitions);
  if (depth > DEPTH_MAX)
    throw new DocumentRefused(`The document is nested deeper than ${DEPTH_MAX} fields.`);
  const isMutation = node.operation === OperationTypeNode.MUTATION;
  if (isMutation && fields > MUTATIONS_MAX)
    throw new DocumentRefused(`A request can make at most ${MUTATIONS_MAX} changes.`);
  return { name: node.name?.value, isMutation, isIntrospection: asksSchema(node), cost };
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

/** Each set once, whatever spreads it: a document of many spreads is measured in the time of its length. */
function measureSet(set: SelectionSetNode, definitions: Definitions): Measured {
  const { fragments, measured } = definitions;
  const known = measured.get(set);
  if (known) return known;
  measured.set(set, NOTHING); // A fragment that holds itself counts nothing here; validation refuses it.
  const parts = set.selections.map((node) => {
    if (node.kind === Kind.FIELD) return measureField(node, definitions);
    const inner = node.kind === Kind.INLINE_FRAGMENT ? node : fragments.get(node.name.value);
    return inner ? measureSet(inner.selectionSet, definitions) : NOTHING;
  });
  const whole = {
    depth: Math.max(0, ...parts.map(({ depth }) => depth)),
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

/** A leaf costs a tenth of an object; a page as many times its content as it may have rows. */
function measureField(node: FieldNode, definitions: Definitions): Measured {
  if (!node.selectionSet) return { depth: 1, fields: 1, cost: () => LEAF_COST };
  const { depth, cost } = measureSet(node.selectionSet, definitions);
  const rows = rowsOf(node);
  return {
    depth: depth + 1,
    fields: 1,
    cost: (variables) => OBJECT_COST + rows(variables) * cost(variables),
  };
}

/** How many rows a field may answer: a page is known by what is selected of it. */
function rowsOf({
  arguments: given = [],
  selectionSet,
}: FieldNode): (variables: Variables) => number {
  const isPage = selectionSet?.selections.some(
    (node) => node.kind === Kind.FIELD && /^(nodes|edges|pageInfo)$/.test(node.name.value),
  );
  const limit = given.find(({ name }) => /^(first|last)$/.test(name.value))?.value;
  if (limit?.kind === Kind.INT) return () => Number(limit.value);
  if (limit?.kind === Kind.VARIABLE)
    return (variables) => {
      const value = variables[limit.name.value];
      return typeof value === "number" ? value : PAGE_DEFAULT;
    };
  return () => (isPage ? PAGE_DEFAULT : 1);
}

/** Throws DocumentRefused when the operation would cost too much with these variables. Returns its cost. */
export function requireAffordable({ cost }: Operation, variables: Variables): number {
  const points = Math.ceil(cost(variables));
  if (points > COST_MAX)
    throw new DocumentRefused(
      `The query is too complex: it costs ${points} of at most ${COST_MAX} points.`,
    );
  return points;
}
