/**
 * Gives the fields of a schema their resolvers. What follows from a model needs none of its own: a column is read by
 * its name, a relation by its key, a list by its condition, a computed value in SQL.
 */
import {
  defaultFieldResolver,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isAbstractType,
  isCompositeType,
  isInputObjectType,
  isIntrospectionType,
  isListType,
  isNonNullType,
  isObjectType,
  isScalarType,
} from "graphql";
import type { Running } from "~/graphql/execute";
import type { Model, Models, One } from "~/graphql/model";
import { EMPTY, type PageArguments, type RowObject } from "~/graphql/page";
import type { Maybe, PageWanted, Reader } from "~/graphql/reader";
import { SCALARS } from "~/graphql/scalars";
import { selectedFields, selectedOfNodes, wantsOnlyId } from "~/graphql/selection";

/** What resolvers of this folder need of a request. */
export type ReadContext = Pick<Running, "budget" | "fieldsOf"> & { readonly read: Reader };

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
  /** Fields that mean the same on every type, where the model does not say otherwise. */
  readonly conventions: { readonly [field: string]: Resolver<C> };
  readonly resolvers: Resolvers<C>;
  readonly typeNames: TypeNames<C>;
};

/** Throws on a resolver for something that the schema does not have. Lists of what has no model are empty. */
export function attach<C extends ReadContext>(
  schema: GraphQLSchema,
  attachments: Attachments<C>,
): void {
  const { models, modelOf, conventions, resolvers, typeNames } = attachments;
  for (const type of Object.values(schema.getTypeMap())) {
    const scalar = SCALARS.get(type.name);
    if (isScalarType(type) && scalar) {
      type.parseValue = scalar.parseValue;
      type.parseLiteral = scalar.parseLiteral;
      type.serialize = scalar.serialize;
    }
    const model = models.get(modelOf[type.name] ?? type.name);
    if (isObjectType(type) && model) attachModel(type, model, conventions);
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
  for (const [name, base] of Object.entries(modelOf)) copyResolvers(schema, base, name);
  for (const [name, resolveType] of Object.entries(typeNames)) {
    const type = schema.getType(name);
    if (!isAbstractType(type)) throw new Error(`the schema has no interface or union ${name}`);
    type.resolveType = resolveType;
  }
  for (const type of Object.values(schema.getTypeMap())) {
    const model = models.get(modelOf[type.name] ?? type.name);
    if (isObjectType(type) && model) attachEmpty(type, model, attachments);
  }
  for (const type of Object.values(schema.getTypeMap()))
    if (isObjectType(type) && !isIntrospectionType(type)) attachBudget(type);
}

function attachModel<C extends ReadContext>(
  type: GraphQLObjectType,
  model: Model,
  conventions: Attachments<C>["conventions"],
): void {
  for (const field of Object.values(type.getFields())) {
    const resolve =
      resolverOf(model, field) ??
      (model.columns.has(field.name) ? undefined : conventions[field.name]);
    if (resolve) field.resolve = resolve as Resolver<unknown>;
  }
}

/** Counts what each object, or list of objects, is about to answer. */
function attachBudget(type: GraphQLObjectType): void {
  for (const field of Object.values(type.getFields()))
    if (isCompositeType(getNamedType(field.type)))
      field.resolve = budgeted(field.resolve ?? defaultFieldResolver) as Resolver<unknown>;
}

const budgeted =
  (resolve: Resolver<ReadContext>): Resolver<ReadContext> =>
  (source, args, context, info) => {
    if (context.budget.isOver()) return context.budget.never;
    const value = resolve(source, args, context, info);
    return value instanceof Promise
      ? value.then((found) => spend(found, context, info))
      : spend(value, context, info);
  };

function spend(
  value: unknown,
  { budget, fieldsOf }: ReadContext,
  { fieldNodes }: GraphQLResolveInfo,
) {
  if (value === null || value === undefined) return value;
  const objects = Array.isArray(value) ? value.length : 1;
  const fields = fieldNodes.reduce(
    (sum, { selectionSet }) => sum + (selectionSet ? fieldsOf(selectionSet) : 0),
    0,
  );
  const turn = budget.spend(objects * fields);
  return turn === undefined ? value : turn.then(() => value);
}

/** A type that shows the rows of another answers its fields as that one does. */
function copyResolvers(schema: GraphQLSchema, from: string, to: string): void {
  const [base, type] = [schema.getType(from), schema.getType(to)];
  if (!isObjectType(base) || !isObjectType(type)) return;
  const fields = base.getFields();
  for (const field of Object.values(type.getFields())) {
    const resolve = field.resolve ?? fields[field.name]?.resolve;
    if (resolve) field.resolve = resolve;
  }
}

/** Lists of what has no model, and no column either. */
function attachEmpty<C>(
  type: GraphQLObjectType,
  model: Model,
  { models, modelOf }: Attachments<C>,
): void {
  for (const field of Object.values(type.getFields())) {
    const named = getNamedType(field.type).name;
    const isPage = named.endsWith("Connection");
    const isList = isNonNullType(field.type) && isListType(field.type.ofType);
    if (field.resolve || model.columns.has(field.name) || !(isPage || isList)) continue;
    const element = isPage ? named.slice(0, -"Connection".length) : named;
    if (models.has(modelOf[element] ?? element)) continue;
    if (isPage) field.resolve = () => EMPTY;
    else if (isObjectType(getNamedType(field.type))) field.resolve = () => [];
  }
}

function resolverOf(
  model: Model,
  field: GraphQLField<unknown, unknown>,
): Maybe<Resolver<ReadContext>> {
  const { name, type } = field;
  if (model.many.has(name))
    return isListType(getNullableType(type)) ? listOf(model, name) : pageOf(model);
  const one = model.one.get(name);
  if (one) return relatedBy(model, one);
  return model.computed.has(name) ? computed(model, name) : undefined;
}

/** A value that may have been read with its row. */
const computed =
  (model: Model, name: string): Resolver<ReadContext> =>
  (row: RowObject, _args, { read }) =>
    name in row ? row[name] : read.value(model, name, row.id);

/** The row whose id stands in `key`, without a query when only that id is wanted. */
function relatedBy(model: Model, { to, key, withRow }: One): Resolver<ReadContext> {
  const idOf = model.computed.has(key) ? computed(model, key) : (row: RowObject) => row[key];
  return (row, args, context, info) => {
    const load = (id: unknown) => {
      if (id === null || id === undefined) return null;
      const fields = selectedFields(info);
      return wantsOnlyId(fields) ? { id } : context.read.one(to, id as string, fields, withRow);
    };
    const id = idOf(row, args, context, info);
    return id instanceof Promise ? id.then(load) : load(id);
  };
}

const listOf =
  (model: Model, relation: string): Resolver<ReadContext> =>
  ({ id }: RowObject, _args, { read }, info) =>
    read.children(model, relation, id, selectedFields(info));

/** The type of a field's `filter`. */
export function filterTypeOf(field: GraphQLField<unknown, unknown>) {
  const argument = field.args.find(({ name }) => name === "filter");
  const type = argument && getNamedType(argument.type);
  return isInputObjectType(type) ? type : undefined;
}

/** A page of related rows. `relation` says which, where it is not the field's own name. */
export function pageOf(
  model: Model,
  relation?: (args: PageArguments) => string,
): Resolver<ReadContext> {
  return ({ id }: RowObject, args: PageArguments, { read }, info) => {
    const [place] = info.fieldNodes;
    if (!place) throw new Error("a field is resolved without a place in the document");
    const wanted = { args, filterType: filterTypeOf(fieldOf(info)), fields: selectedOfNodes(info) };
    return read.childPage(model, relation?.(args) ?? info.fieldName, id, wanted, place);
  };
}

/** The definition of the field that is being resolved. */
export function fieldOf({ parentType, fieldName }: GraphQLResolveInfo) {
  const field = parentType.getFields()[fieldName];
  if (!field) throw new Error(`${parentType.name} has no field ${fieldName}`);
  return field;
}

/** A page of all rows of a model: for root fields. `where`: which of them. */
export function rootPage(
  name: string,
  where?: (args: PageArguments) => PageWanted["where"],
): Resolver<ReadContext> {
  return async (_source, args: PageArguments, { read }, info) => {
    const condition = where?.(args);
    return await read.page(name, {
      args,
      filterType: filterTypeOf(fieldOf(info)),
      fields: selectedOfNodes(info),
      ...(condition && { where: condition }),
    });
  };
}
