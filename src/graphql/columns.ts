/** The columns that the selected fields of an object need: a page of a wide table is mostly columns that nobody asked for. */
import {
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  isAbstractType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from "graphql";
import type { FieldInfo } from "~/graphql/compile";
import type { Model, Models } from "~/graphql/model";

type Field = GraphQLField<unknown, unknown>;
type Columns = readonly string[];
type ByField<V> = { readonly [field: string]: V };

/** The columns that fields with a resolver written by hand read, by model and field. */
export type Reads = { readonly [model: string]: ByField<Columns> };

/** The extension of a field that has the columns it reads. A field without it may read any. */
const READS = "reads";

/** Notes what each field of a model's type reads: derived ones by the model, those written by hand by `reads`. */
export function noteReads(
  schema: GraphQLSchema,
  {
    models,
    modelOf,
    conventions,
    resolvers,
    reads = {},
  }: {
    readonly models: Models;
    readonly modelOf: ByField<string>;
    readonly conventions: ByField<unknown>;
    readonly resolvers: { readonly [type: string]: ByField<unknown> };
    readonly reads?: Reads;
  },
): void {
  for (const type of Object.values(schema.getTypeMap()).filter(isObjectType)) {
    const name = modelOf[type.name] ?? type.name;
    const model = models.get(name);
    if (!model || model.shared) continue;
    for (const field of Object.values(type.getFields())) {
      const declared = reads[name]?.[field.name];
      const isByHand =
        resolvers[type.name]?.[field.name] ??
        resolvers[name]?.[field.name] ??
        (model.columns.has(field.name) ? undefined : conventions[field.name]);
      const columns = declared ?? (isByHand ? undefined : derived(model, field));
      if (columns) field.extensions = { ...field.extensions, [READS]: columns };
    }
  }
}

function derived(model: Model, { name }: Field): Columns {
  const key = model.one.get(name)?.key;
  return [key ?? name].filter((column) => model.columns.has(column));
}

const known = new WeakMap<ReadonlySet<string>, ReadonlySet<string> | undefined>();

/** The columns that these fields of a connection's nodes need; undefined if that is not known. */
export function columnsOfNodes(
  { returnType }: FieldInfo,
  fields: ReadonlySet<string>,
): ReadonlySet<string> | undefined {
  if (known.has(fields)) return known.get(fields);
  const page = getNamedType(returnType);
  const nodes = isObjectType(page) ? page.getFields()["nodes"] : undefined;
  const type = nodes && getNamedType(nodes.type);
  const columns = isObjectType(type) ? columnsOf(type, fields) : undefined;
  known.set(fields, columns);
  return columns;
}

type Selected = ReadonlyMap<GraphQLNamedType, Set<string>>;

/** By operation. */
const selected = new WeakMap<OperationDefinitionNode, Selected>();
const needed = new WeakMap<Set<string>, ReadonlySet<string> | undefined>();

/**
 * The columns of a related object that any selection of the document needs: with the same columns, the places of a
 * document share a statement. Undefined if that is not known.
 */
export function columnsOfRelated(info: FieldInfo): ReadonlySet<string> | undefined {
  const type = getNamedType(info.returnType);
  if (!isObjectType(type)) return undefined;
  const byType = selected.get(info.operation) ?? selectedByType(info);
  selected.set(info.operation, byType);
  const fields = byType.get(type);
  if (!fields) return undefined;
  if (!needed.has(fields)) needed.set(fields, columnsOf(type, fields));
  return needed.get(fields);
}

/** The fields of each type that an operation and its fragments select. */
function selectedByType({ schema, operation, fragments }: FieldInfo): Selected {
  const byType = new Map<GraphQLNamedType, Set<string>>();
  const types = new TypeInfo(schema);
  const note = (type: GraphQLNamedType, field: string) =>
    byType.set(type, (byType.get(type) ?? new Set()).add(field));
  visit(
    { kind: Kind.DOCUMENT, definitions: [operation, ...Object.values(fragments)] },
    visitWithTypeInfo(types, {
      Field({ name }) {
        const type = types.getParentType();
        if (!type) return;
        for (const one of isAbstractType(type) ? schema.getPossibleTypes(type) : [type])
          note(one, name.value);
      },
    }),
  );
  return byType;
}

function columnsOf(
  type: GraphQLObjectType,
  fields: ReadonlySet<string>,
): ReadonlySet<string> | undefined {
  const columns = new Set(["id"]);
  for (const name of fields) {
    const field = type.getFields()[name];
    if (!field) continue; // `__typename`, or a field of a fragment on another type
    const reads = field.extensions[READS] as Columns | undefined;
    if (!reads) return undefined;
    for (const column of reads) columns.add(column);
  }
  return columns;
}
