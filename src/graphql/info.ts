/** The description of a field that its resolver gets: what is the same for each object, known before the first one. */
import {
  type DocumentNode,
  type FieldNode,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  isAbstractType,
  isCompositeType,
  isObjectType,
  Kind,
  type SelectionSetNode,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from "graphql";
import type { Fragments } from "~/graphql/collect";

/** The columns that selected fields need: a wide row is mostly columns that nobody asked for. Undefined: perhaps all. */
type Columns = ReadonlySet<string> | undefined;

/** The extension of a field that has the columns it reads. A field without it may read any. */
export const READS = "reads";

/** The parts of an object that a document selects. */
type Selected = { readonly fields: ReadonlySet<string>; readonly columns: Columns };

export type FieldInfo = {
  readonly schema: GraphQLSchema;
  readonly parentType: GraphQLObjectType;
  readonly field: GraphQLField<unknown, unknown>;
  readonly fieldName: string;
  readonly returnType: GraphQLOutputType;
  /** The fields selected on the object that the resolver returns. */
  readonly fields: ReadonlySet<string>;
  /** Whether only the id is selected: then a foreign key is enough, without a query. */
  readonly isOnlyId: boolean;
  /**
   * The columns of the object that any selection of the document needs: with the same columns, the places of a document
   * share a statement.
   */
  readonly columns: Columns;
  /** The same of the nodes of a page. */
  readonly nodes: Selected;
};

/** Describes a field of a type at its nodes in a document. */
export type Describe = (
  parentType: GraphQLObjectType,
  field: GraphQLField<unknown, unknown>,
  nodes: readonly FieldNode[],
) => FieldInfo;

const NO_FIELDS: ReadonlySet<string> = new Set();
const NOTHING = { fields: NO_FIELDS, columns: undefined };
const LEAF = { fields: NO_FIELDS, isOnlyId: true, columns: undefined, nodes: NOTHING };

/** `document`: one operation and its fragments. */
export function createDescribe(
  schema: GraphQLSchema,
  document: DocumentNode,
  fragments: Fragments,
): Describe {
  let columnsByType: ReadonlyMap<GraphQLNamedType, Columns> | undefined;

  /** All fields of the selections of some nodes. A fragment counts once. */
  function below(nodes: readonly FieldNode[], name?: string): readonly FieldNode[] {
    const fields: FieldNode[] = [];
    const visited = new Set<string>();
    const walk = ({ selections }: SelectionSetNode): void => {
      for (const node of selections)
        if (node.kind === Kind.FIELD) fields.push(node);
        else if (node.kind === Kind.INLINE_FRAGMENT) walk(node.selectionSet);
        else if (!visited.has(node.name.value)) {
          visited.add(node.name.value);
          const fragment = fragments[node.name.value];
          if (fragment) walk(fragment.selectionSet);
        }
    };
    for (const { selectionSet } of nodes) if (selectionSet) walk(selectionSet);
    return name === undefined ? fields : fields.filter((node) => node.name.value === name);
  }

  const namesBelow = (nodes: readonly FieldNode[]) =>
    new Set(below(nodes).map(({ name }) => name.value));

  /** Of the nodes of a page, which are also in its edges. */
  function selectedOfNodes(page: GraphQLNamedType, nodes: readonly FieldNode[]): Selected {
    const list = isObjectType(page) ? page.getFields()["nodes"] : undefined;
    if (!list) return NOTHING;
    const fields = namesBelow([...below(nodes, "nodes"), ...below(below(nodes, "edges"), "node")]);
    return { fields, columns: columnsOf(getNamedType(list.type), fields) };
  }

  return (parentType, field, nodes) => {
    const { name: fieldName, type: returnType } = field;
    const place = { schema, parentType, field, fieldName, returnType };
    const type = getNamedType(returnType);
    if (!isCompositeType(type)) return { ...place, ...LEAF };
    columnsByType ??= columnsOfTypes(schema, document);
    const fields = namesBelow(nodes);
    return {
      ...place,
      fields,
      isOnlyId: [...fields].every((name) => name === "id" || name === "__typename"),
      columns: columnsByType.get(type),
      nodes: selectedOfNodes(type, nodes),
    };
  };
}

/** The columns that the selections of a document on each type need. */
function columnsOfTypes(
  schema: GraphQLSchema,
  document: DocumentNode,
): ReadonlyMap<GraphQLNamedType, Columns> {
  const fields = new Map<GraphQLNamedType, Set<string>>();
  const types = new TypeInfo(schema);
  visit(
    document,
    visitWithTypeInfo(types, {
      Field({ name }) {
        const type = types.getParentType();
        if (!type) return;
        for (const one of isAbstractType(type) ? schema.getPossibleTypes(type) : [type])
          fields.set(one, (fields.get(one) ?? new Set()).add(name.value));
      },
    }),
  );
  return new Map([...fields].map(([type, names]) => [type, columnsOf(type, names)]));
}

/** The columns that these fields of a type need. */
function columnsOf(type: GraphQLNamedType, fields: ReadonlySet<string>): Columns {
  if (!isObjectType(type)) return undefined;
  const columns = new Set(["id"]);
  for (const name of fields) {
    const field = type.getFields()[name];
    if (!field) continue; // `__typename`, or a field of a fragment on another type
    const reads = field.extensions[READS] as readonly string[] | undefined;
    if (!reads) return undefined;
    for (const column of reads) columns.add(column);
  }
  return columns;
}
