/**
 * Gives the fields of a schema their resolvers. What follows from a model needs none of its own: a column is read by
 * its name, a relation by its key, a list by its condition, a computed value in SQL.
 */
import {
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isAbstractType,
  isInputObjectType,
  isListType,
  isObjectType,
  isScalarType,
} from "graphql";
import { type Model, type Models, requireModel } from "~/graphql/model";
import type { PageArguments, RowObject } from "~/graphql/page";
import type { Maybe, Reader } from "~/graphql/reader";
import { SCALARS } from "~/graphql/scalars";
import { selectedFields, selectedOfNodes, wantsOnlyId } from "~/graphql/selection";

/** What resolvers of this folder need of a request. */
export type Reading = { readonly read: Reader };

// The arguments of each field are as the schema has checked them; each resolver says what it expects.
// biome-ignore lint/suspicious/noExplicitAny: graphql-js types them so too.
export type Resolver<C> = (source: any, args: any, context: C, info: GraphQLResolveInfo) => unknown;
export type Resolvers<C> = {
  readonly [type: string]: { readonly [field: string]: Resolver<C> };
};
/** By interface: the name of an object's type. */
export type TypeNames<C> = {
  readonly [type: string]: (value: RowObject, context: C, info: GraphQLResolveInfo) => string;
};

export type Attachments<C> = {
  readonly models: Models;
  /** Types that are rows of a model of another name. */
  readonly modelOf: { readonly [type: string]: string };
  readonly resolvers: Resolvers<C>;
  readonly typeNames: TypeNames<C>;
};

/** Throws on a resolver for something that the schema does not have. */
export function attach<C extends Reading>(
  schema: GraphQLSchema,
  attachments: Attachments<C>,
): void {
  const { models, modelOf, resolvers, typeNames } = attachments;
  for (const type of Object.values(schema.getTypeMap())) {
    const scalar = SCALARS.get(type.name);
    if (isScalarType(type) && scalar) {
      type.parseValue = scalar.parseValue;
      type.parseLiteral = scalar.parseLiteral;
      type.serialize = scalar.serialize;
    }
    const model = models.get(modelOf[type.name] ?? type.name);
    if (isObjectType(type) && model) attachModel(type, model);
  }
  for (const [name, fields] of Object.entries(resolvers)) {
    const type = schema.getType(name);
    if (!isObjectType(type)) throw new Error(`the schema has no object type ${name}`);
    for (const [field, resolve] of Object.entries(fields)) {
      const found = type.getFields()[field];
      if (!found) throw new Error(`the schema has no field ${name}.${field}`);
      found.resolve = resolve;
    }
  }
  for (const [name, resolveType] of Object.entries(typeNames)) {
    const type = schema.getType(name);
    if (!isAbstractType(type)) throw new Error(`the schema has no interface or union ${name}`);
    type.resolveType = resolveType;
  }
}

function attachModel(type: GraphQLObjectType, model: Model): void {
  for (const field of Object.values(type.getFields())) {
    const resolve = resolverOf(model, field);
    if (resolve) field.resolve = resolve;
  }
}

function resolverOf(model: Model, field: GraphQLField<unknown, unknown>): Maybe<Resolver<Reading>> {
  const { name, type } = field;
  if (model.many.has(name))
    return isListType(getNullableType(type)) ? listOf(model, name) : pageOf(model, field);
  const one = model.one.get(name);
  if (one) return relatedBy(model, one.to, one.key);
  return model.computed.has(name) ? computed(model, name) : undefined;
}

/** A value that may have been read with its row. */
const computed =
  (model: Model, name: string): Resolver<Reading> =>
  (row: RowObject, _args, { read }) =>
    name in row ? row[name] : read.value(model, name, row.id);

/** The row whose id stands in `key`, without a query when only that id is wanted. */
function relatedBy(model: Model, to: string, key: string): Resolver<Reading> {
  const idOf = model.computed.has(key) ? computed(model, key) : (row: RowObject) => row[key];
  return (row, args, context, info) => {
    const load = (id: unknown) => {
      if (id === null || id === undefined) return null;
      const fields = selectedFields(info);
      return wantsOnlyId(fields) ? { id } : context.read.one(to, id as string, fields);
    };
    const id = idOf(row, args, context, info);
    return id instanceof Promise ? id.then(load) : load(id);
  };
}

const listOf =
  (model: Model, relation: string): Resolver<Reading> =>
  ({ id }: RowObject, _args, { read }, info) =>
    read.children(model, relation, id, selectedFields(info));

/** The type of a field's `filter`. */
export function filterTypeOf(field: GraphQLField<unknown, unknown>) {
  const argument = field.args.find(({ name }) => name === "filter");
  const type = argument && getNamedType(argument.type);
  return isInputObjectType(type) ? type : undefined;
}

function pageOf(model: Model, field: GraphQLField<unknown, unknown>): Resolver<Reading> {
  const filterType = filterTypeOf(field);
  return ({ id }: RowObject, args: PageArguments, { read }, info) => {
    const [place] = info.fieldNodes;
    if (!place) throw new Error("a field is resolved without a place in the document");
    const wanted = { args, filterType, fields: selectedOfNodes(info) };
    return read.childPage(model, field.name, id, wanted, place);
  };
}

/** A page of all rows of a model: for root fields. */
export function rootPage(name: string): Resolver<Reading> {
  return async (_source, args: PageArguments, { read }, info) => {
    const field = info.parentType.getFields()[info.fieldName];
    if (!field) throw new Error(`${info.fieldName} is not a field`);
    requireModel(read.models, name);
    return await read.page(name, {
      args,
      filterType: filterTypeOf(field),
      fields: selectedOfNodes(info),
    });
  };
}
