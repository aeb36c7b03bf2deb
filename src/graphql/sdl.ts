/**
 * Completes SDL by convention, so that only exceptions are written down: a name that is used but not defined is
 * generated from its form. `BookConnection` is a page of `Book`; the other forms are the service's own. A name that
 * fits none is an error at startup.
 */
import {
  type DefinitionNode,
  type DocumentNode,
  type FieldDefinitionNode,
  type InputObjectTypeDefinitionNode,
  type InputValueDefinitionNode,
  type InterfaceTypeDefinitionNode,
  Kind,
  type NamedTypeNode,
  type ObjectTypeDefinitionNode,
  type ObjectTypeExtensionNode,
  parse,
  specifiedScalarTypes,
  type TypeNode,
} from "graphql";
import { words } from "~/graphql/words";

type Definitions = ReadonlyMap<string, DefinitionNode>;
/** Names that define a type by their form. */
export type Form = {
  readonly name: RegExp;
  /** The SDL of a type whose name matches; `base` is the captured part of the name. */
  readonly sdl: (name: string, base: string) => string;
  /** A type whose fields the new type copies. */
  readonly fieldsOf?: (base: string) => string;
};

export type Conventions = {
  /** The first match defines the type. */
  readonly forms: readonly Form[];
  /** A field that returns a page has these arguments, unless it declares `first` itself. */
  readonly pageArguments: string;
};

const PAGES: readonly Form[] = [
  {
    name: /^(\w+)Connection$/,
    sdl: (name, base) =>
      `"A page of a list of ${words(base)} objects." type ${name} { edges: [${base}Edge!]! nodes: [${base}!]! pageInfo: PageInfo! }`,
  },
  {
    name: /^(\w+)Edge$/,
    sdl: (name, base) =>
      `"One ${words(base)} of a page, with its cursor." type ${name} { cursor: String! node: ${base}! }`,
  },
];

const parseOne = (sdl: string) => parse(sdl, { noLocation: true }).definitions[0];

type Composite = ObjectTypeDefinitionNode | InterfaceTypeDefinitionNode;
const isComposite = (node: DefinitionNode): node is Composite =>
  node.kind === Kind.OBJECT_TYPE_DEFINITION || node.kind === Kind.INTERFACE_TYPE_DEFINITION;
const isExtension = (node: DefinitionNode): node is ObjectTypeExtensionNode =>
  node.kind === Kind.OBJECT_TYPE_EXTENSION;

/** The documents as one, completed by the conventions. Throws on a name that nothing defines. */
export function completeSdl(
  documents: readonly DocumentNode[],
  { forms, pageArguments }: Conventions,
): DocumentNode {
  const known = new Set(specifiedScalarTypes.map(({ name }) => name));
  const byForm = [...PAGES, ...forms];
  const all = documents.flatMap((document) => document.definitions);
  const definitions = new Map<string, DefinitionNode>();
  for (const node of all)
    if (!isExtension(node) && "name" in node && node.name) definitions.set(node.name.value, node);
  for (const node of all) if (isExtension(node)) extend(definitions, node, byForm);

  const queue = [...definitions.values()].flatMap(namesIn);
  for (let name = queue.pop(); name !== undefined; name = queue.pop()) {
    if (known.has(name) || definitions.has(name)) continue;
    const made = byConvention(name, definitions, byForm);
    definitions.set(name, made);
    queue.push(...namesIn(made));
  }
  for (const node of definitions.values())
    if (isComposite(node)) definitions.set(node.name.value, inherit(node, definitions));
  const page = argumentsOf(pageArguments);
  const isPage = (name: string) => {
    const node = definitions.get(name);
    return node !== undefined && fieldsOf(node).some((field) => field.name.value === "pageInfo");
  };
  return {
    kind: Kind.DOCUMENT,
    definitions: [...definitions.values()].map((node) => withPageArguments(node, page, isPage)),
  };
}

function extend(
  definitions: Map<string, DefinitionNode>,
  extension: ObjectTypeExtensionNode,
  forms: readonly Form[],
) {
  const name = extension.name.value;
  const base =
    definitions.get(name) ??
    definitions.set(name, byConvention(name, definitions, forms)).get(name);
  if (base?.kind !== Kind.OBJECT_TYPE_DEFINITION) throw new Error(`${name} cannot be extended`);
  definitions.set(name, {
    ...base,
    interfaces: [...(base.interfaces ?? []), ...(extension.interfaces ?? [])],
    fields: [...(base.fields ?? []), ...(extension.fields ?? [])],
  });
}

function byConvention(
  name: string,
  definitions: Definitions,
  forms: readonly Form[],
): DefinitionNode {
  for (const { name: form, sdl, fieldsOf } of forms) {
    const [, base] = form.exec(name) ?? [];
    if (base === undefined) continue;
    const made = parseOne(sdl(name, base));
    const source = fieldsOf && definitions.get(fieldsOf(base));
    if (fieldsOf && !source) continue;
    if (made) return source ? withFieldsOf(source, made) : made;
  }
  throw new Error(`nothing in the SDL defines ${name}`);
}

type WithFields = Composite | InputObjectTypeDefinitionNode;
const fieldsOf = (
  node: DefinitionNode,
): readonly (FieldDefinitionNode | InputValueDefinitionNode)[] =>
  ("fields" in node && node.fields) || [];

/** `node` with the fields of `source` that it does not define itself. */
function withFieldsOf(source: DefinitionNode, node: DefinitionNode): DefinitionNode {
  const own = new Set(fieldsOf(node).map(({ name }) => name.value));
  const added = fieldsOf(source).filter(({ name }) => !own.has(name.value));
  const fields = [...fieldsOf(node), ...added].toSorted((a, b) =>
    a.name.value < b.name.value ? -1 : 1,
  );
  return { ...node, fields } as WithFields;
}

/** A type does not need to repeat the fields of its interfaces. */
function inherit(node: Composite, definitions: Definitions): DefinitionNode {
  let whole: DefinitionNode = node;
  for (const { name } of node.interfaces ?? []) {
    const parent = definitions.get(name.value);
    if (parent) whole = withFieldsOf(parent, whole);
  }
  return whole;
}

const typeName = (type: TypeNode): string =>
  type.kind === Kind.NAMED_TYPE ? type.name.value : typeName(type.type);

/** All types that a definition refers to. */
function namesIn(node: DefinitionNode): string[] {
  const lists: readonly (readonly NamedTypeNode[] | undefined)[] = [
    "interfaces" in node ? node.interfaces : undefined,
    node.kind === Kind.UNION_TYPE_DEFINITION ? node.types : undefined,
  ];
  return [
    ...lists.flatMap((list) => list?.map(typeName) ?? []),
    ...fieldsOf(node).flatMap((field) => [
      typeName(field.type),
      ...("arguments" in field ? (field.arguments ?? []) : []).map(({ type }) => typeName(type)),
    ]),
  ];
}

const argumentsOf = (sdl: string): readonly InputValueDefinitionNode[] => {
  const node = parseOne(`type Page { page(${sdl}): Int }`);
  return (node && isComposite(node) && node.fields?.[0]?.arguments) || [];
};

function withPageArguments(
  node: DefinitionNode,
  page: readonly InputValueDefinitionNode[],
  isPage: (type: string) => boolean,
): DefinitionNode {
  if (!isComposite(node)) return node;
  const fields = node.fields?.map((field): FieldDefinitionNode => {
    const own = field.arguments ?? [];
    if (!isPage(typeName(field.type)) || own.some(({ name }) => name.value === "first"))
      return field;
    return { ...field, arguments: [...own, ...page] };
  });
  return { ...node, ...(fields && { fields }) };
}
