/**
 * Resolvers of the fields of a schema. A field that a model describes needs no code: a column is read by its name, a
 * relation by its key, a list by its condition, a computed value in SQL.
 */
import {
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isObjectType,
} from "graphql";
import type { FieldInfo } from "~/graphql/info";
import type { Model, Models, One } from "~/graphql/model";
import { EMPTY, type PageArguments, type RowObject } from "~/graphql/page";
import type { Maybe, Reader } from "~/graphql/reader";
import type { PageWanted } from "~/graphql/rows";
import type { Budgeted } from "~/graphql/run";

/** The part of a request that the resolvers of this folder use. */
export type ReadContext = Budgeted & { readonly read: Reader };

// The schema has validated the arguments of each field; each resolver declares the types it expects.
// biome-ignore lint/suspicious/noExplicitAny: graphql-js types them so too.
export type Resolver<C> = (source: any, args: any, context: C, info: FieldInfo) => unknown;
export type Resolvers<C> = {
  readonly [type: string]: { readonly [field: string]: Resolver<C> };
};
/** The object type of a value, by interface or union. */
export type TypeNames<C> = {
  readonly [type: string]: (value: RowObject, context: C, info: FieldInfo) => string;
};

/** The columns that fields with a resolver written by hand read, by model and field. */
export type Reads = { readonly [model: string]: { readonly [field: string]: readonly string[] } };

export type Derivation<C> = {
  readonly models: Models;
  /** Types that are rows of another type's model. */
  readonly modelOf: { readonly [type: string]: string };
  /** Fields with the same meaning on every type, unless the model has them. */
  readonly conventions: { readonly [field: string]: Resolver<C> };
  /** Resolvers written by hand. A type of `modelOf` inherits those of its model's type. */
  readonly resolvers: Resolvers<C>;
  /** Fields with a resolver written by hand that are not in it may read any column. */
  readonly reads?: Reads;
};

/** The resolvers of every object type: those written by hand, and those derived from the models. */
export function allResolvers<C extends ReadContext>(
  schema: GraphQLSchema,
  derivation: Derivation<C>,
): Resolvers<C> {
  const types = Object.values(schema.getTypeMap()).filter(isObjectType);
  const complete = types.map((type) => [type.name, resolversOf(schema, type, derivation)]);
  return { ...derivation.resolvers, ...Object.fromEntries(complete) };
}

function resolversOf<C extends ReadContext>(
  schema: GraphQLSchema,
  type: GraphQLObjectType,
  { models, modelOf, conventions, resolvers }: Derivation<C>,
): Resolvers<C>[string] {
  const own = resolvers[type.name];
  const name = modelOf[type.name] ?? type.name;
  const model = models.get(name);
  if (!model) return own ?? {};
  // An interface has no resolvers to inherit.
  const base = isObjectType(schema.getType(name)) ? resolvers[name] : undefined;
  const derived = Object.values(type.getFields()).flatMap((field) => {
    const resolve =
      derivedResolver(model, field, conventions) ??
      base?.[field.name] ??
      emptyResolver(model, field, { models, modelOf });
    return resolve ? [[field.name, resolve]] : [];
  });
  return { ...Object.fromEntries(derived), ...own };
}

const derivedResolver = <C extends ReadContext>(
  model: Model,
  field: GraphQLField<unknown, unknown>,
  conventions: Derivation<C>["conventions"],
): Maybe<Resolver<C>> =>
  resolverOf(model, field) ?? (model.columns.has(field.name) ? undefined : conventions[field.name]);

/** Lists of types without a model are empty, unless the list is a column. */
function emptyResolver(
  model: Model,
  { name, type }: GraphQLField<unknown, unknown>,
  { models, modelOf }: Pick<Derivation<never>, "models" | "modelOf">,
): Maybe<Resolver<ReadContext>> {
  const named = getNamedType(type);
  const isPage = named.name.endsWith("Connection");
  const isList = isNonNullType(type) && isListType(type.ofType);
  if (model.columns.has(name) || !(isPage || isList)) return undefined;
  const element = isPage ? named.name.slice(0, -"Connection".length) : named.name;
  if (models.has(modelOf[element] ?? element)) return undefined;
  if (isPage) return () => EMPTY;
  return isObjectType(named) ? () => [] : undefined;
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

/** A computed value, which may already be in the row. */
const computed =
  (model: Model, name: string): Resolver<ReadContext> =>
  (row: RowObject, _args, { read }) =>
    name in row ? row[name] : read.value(model, name, row.id);

/** The row whose id is in `key`, without a query when only that id is selected. */
function relatedBy(model: Model, { to, key, withRow = false }: One): Resolver<ReadContext> {
  const isCanonical = !model.shared && model.columns.get(key) === "uuid";
  const related = { to, evenHidden: withRow, isCanonical };
  const idOf = model.computed.has(key) ? computed(model, key) : (row: RowObject) => row[key];
  return (row, args, context, info) => {
    const load = (id: unknown) => {
      if (id === null || id === undefined) return null;
      return info.isOnlyId ? { id } : context.read.related(related, id as string, info);
    };
    const id = idOf(row, args, context, info);
    return id instanceof Promise ? id.then(load) : load(id);
  };
}

const listOf =
  (model: Model, relation: string): Resolver<ReadContext> =>
  ({ id }: RowObject, _args, { read }, info) =>
    read.children(model, relation, id, info);

/** The type of a field's `filter` argument. */
export function filterTypeOf({ field }: FieldInfo) {
  const argument = field.args.find(({ name }) => name === "filter");
  const type = argument && getNamedType(argument.type);
  return isInputObjectType(type) ? type : undefined;
}

/** A page of related rows. `relation` names the relation if it is not the field's name. */
export function pageOf(
  model: Model,
  relation?: (args: PageArguments) => string,
): Resolver<ReadContext> {
  return ({ id }: RowObject, args: PageArguments, { read }, info) =>
    read.childPage(model, id, args, () => ({
      relation: relation?.(args) ?? info.fieldName,
      wanted: { args, filterType: filterTypeOf(info), ...info.nodes },
    }));
}

/** A page of all rows of a model, for root fields. `where` restricts the rows. */
export function rootPage(
  name: string,
  where?: (args: PageArguments) => PageWanted["where"],
): Resolver<ReadContext> {
  return async (_source, args: PageArguments, { read }, info) => {
    const condition = where?.(args);
    return await read.page(name, {
      args,
      filterType: filterTypeOf(info),
      ...info.nodes,
      ...(condition && { where: condition }),
    });
  };
}
