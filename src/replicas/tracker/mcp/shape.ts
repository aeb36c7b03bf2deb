/** The objects in results: which keys they have, in which order, and where their values come from. */
import type { Node, Work } from "~/replicas/tracker/mcp/tool";

/** A GraphQL selection whose first field has the value, or a selection and the value in it. */
type Source = string | readonly [selection: string, value: (node: Node) => unknown];
export type Shape = { readonly [key: string]: Source };

/** The selection for these keys of a shape. */
export const selectionOf = (shape: Shape, keys = Object.keys(shape)): string =>
  [...new Set(keys.flatMap((key) => partsOf(shape[key] ?? [])))].join(" ");
const partsOf = (source: Source | readonly never[]) =>
  typeof source === "string" ? [source] : source.slice(0, 1);

/** The object for a node. A value of undefined leaves the key out. */
export const shown = (shape: Shape, node: Node, keys = Object.keys(shape)): object =>
  Object.fromEntries(
    keys.flatMap((key) => {
      const source = shape[key];
      if (source === undefined) return [];
      if (typeof source !== "string") return [[key, source[1](node)]];
      return [[key, node[/^\w+/.exec(source)?.[0] ?? ""] ?? null]];
    }),
  );

/** A key that is left out where there is no value. */
export const optional = (selection: string, value: (node: Node) => unknown): Source => [
  selection,
  (node) => value(node) ?? undefined,
];

/** The part of a shape with these keys. */
export const without = (shape: Shape, ...keys: readonly string[]): Shape =>
  Object.fromEntries(Object.entries(shape).filter(([key]) => !keys.includes(key)));

/** Related objects without pages: as many as the vendor could show. */
const RELATED_MAX = 250;
/** The nodes of a related list: `nodes("labels", "id name")`. */
export const related = (field: string, selection: string) =>
  `${field}(first: ${RELATED_MAX}) { nodes { ${selection} } }`;
/** A key with a related list of `{id, name}`. */
export const names = (field: string): Source => [
  related(field, "id name"),
  (node) => node[field].nodes,
];

export type ListArguments = {
  readonly limit: number;
  readonly cursor?: string;
  readonly orderBy: "createdAt" | "updatedAt";
  readonly createdAt?: string;
  readonly updatedAt?: string;
  readonly includeArchived?: boolean;
  readonly fields?: readonly string[];
};

export type Listing = {
  /** The key of the list in the result. */
  readonly plural: string;
  /** The field of the root, with arguments of its own. */
  readonly field: string;
  /** The entity, which names the filter. */
  readonly type: string;
  readonly shape: Shape;
  readonly filter?: object | undefined;
  /** Declares variables of its own: `$term: String!`. */
  readonly variables?: readonly [declaration: string, values: object];
  /** The field that contains the list: `team(id: $id)`. */
  readonly inside?: string;
};

/** `{ plural: […], hasNextPage, cursor? }` */
export async function listPage(
  { ask }: Work,
  { limit, cursor, orderBy, createdAt, updatedAt, includeArchived, fields }: ListArguments,
  {
    plural,
    field,
    type,
    shape,
    filter,
    variables: [declaration, values] = ["", {}],
    inside,
  }: Listing,
): Promise<object> {
  const keys = keysOf(shape, fields);
  const [name, own] = /^(\w+)(?:\((.*)\))?$/.exec(field)?.slice(1) ?? [];
  const page = `page: ${name}(first: $first, after: $after, orderBy: $orderBy, includeArchived: $includeArchived, filter: $filter ${own ?? ""}) {
    nodes { ${selectionOf(shape, keys)} } pageInfo { hasNextPage endCursor } }`;
  const data = await ask(
    `query($first: Int, $after: String, $orderBy: PaginationOrderBy, $includeArchived: Boolean, $filter: ${type}Filter ${declaration}) {
      ${inside ? `inside: ${inside} { ${page} }` : page} }`,
    {
      first: limit,
      after: cursor,
      orderBy,
      includeArchived: includeArchived === true,
      filter: {
        ...filter,
        ...(createdAt !== undefined && { createdAt: { gte: createdAt } }),
        ...(updatedAt !== undefined && { updatedAt: { gte: updatedAt } }),
      },
      ...values,
    },
  );
  const { nodes, pageInfo } = (inside ? data.inside : data).page;
  return {
    [plural]: nodes.map((node: Node) => shown(shape, node, keys)),
    hasNextPage: pageInfo.hasNextPage,
    ...(pageInfo.hasNextPage && { cursor: pageInfo.endCursor }),
  };
}

/** The keys that were requested, in that order; the id always comes. */
function keysOf(shape: Shape, fields: readonly string[] | undefined): string[] {
  if (!fields || fields.length === 0) return Object.keys(shape);
  return [...new Set([...fields, "id"])];
}

/** The object of a root field with an id. */
export async function getOne(
  { ask }: Work,
  field: string,
  id: string,
  shape: Shape,
): Promise<object> {
  const data = await ask(
    `query($id: String!) { it: ${field}(id: $id) { ${selectionOf(shape)} } }`,
    {
      id,
    },
  );
  return shown(shape, data.it);
}

/** Runs a mutation with an input. Returns the id of the row it made or changed. */
export async function change(
  { ask }: Work,
  operation: string,
  input: object,
  id?: string,
): Promise<string> {
  const [, stem = "", verb = ""] = /^(\w+?)(Create|Update)$/.exec(operation) ?? [];
  const type = `${stem.charAt(0).toUpperCase()}${stem.slice(1)}${verb}Input!`;
  const data = await ask(
    id === undefined
      ? `mutation($input: ${type}) { it: ${operation}(input: $input) { row: ${stem} { id } } }`
      : `mutation($id: String!, $input: ${type}) { it: ${operation}(id: $id, input: $input) { row: ${stem} { id } } }`,
    { id, input },
  );
  return data.it.row.id;
}

/** Runs a mutation that takes only an id. */
export const act = async ({ ask }: Work, operation: string, id: string): Promise<void> => {
  await ask(`mutation($id: String!) { ${operation}(id: $id) { success } }`, { id });
};

/** A filter for a text that contains these words, regardless of case; none without words. */
export const containing = (term: string | undefined) =>
  term === undefined ? undefined : { containsIgnoreCase: term };

/** A filter for one of several related entities; none without a filter for it. */
export const some = (filter: object | undefined) => filter && { some: filter };

/** At most 500 characters: a longer text ends with the tool that has it in full. */
const SHOWN_MAX = 500;
export function shortened(text: string | null, tool: string): string {
  if (text === null) return "";
  if (text.length <= SHOWN_MAX) return text;
  const hint = `… (truncated, use \`${tool}\` for full description)`;
  return text.slice(0, SHOWN_MAX - hint.length).toWellFormed() + hint;
}
