/** Combines a schema with its resolvers. */
import { addResolversToSchema } from "@graphql-tools/schema";
import {
  defaultFieldResolver,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  isCompositeType,
  isIntrospectionType,
  isObjectType,
} from "graphql";
import { noteReads } from "~/graphql/columns";
import { type Charge, charges, type FieldInfo } from "~/graphql/compile";
import {
  allResolvers,
  type Derivation,
  type ReadContext,
  type Resolver,
  type Resolvers,
  type TypeNames,
} from "~/graphql/resolvers";
import type { ScalarResolver } from "~/graphql/scalars";

export type SchemaOptions<C> = Derivation<C> & {
  readonly scalars: { readonly [name: string]: ScalarResolver };
  readonly typeNames: TypeNames<C>;
};

/** Adds the resolvers to the schema, in place. Throws on a resolver for something that the schema does not have. */
export function addResolvers<C extends ReadContext>(
  schema: GraphQLSchema,
  { scalars, typeNames, ...derivation }: SchemaOptions<C>,
): GraphQLSchema {
  noteReads(schema, derivation);
  const abstract = Object.entries(typeNames).map(([type, resolveType]) => [
    type,
    { __resolveType: resolveType },
  ]);
  return addResolversToSchema({
    schema,
    resolvers: {
      ...scalars,
      ...Object.fromEntries(abstract),
      ...budgeted(schema, allResolvers(schema, derivation)),
    },
    resolverValidationOptions: { requireResolversToMatchSchema: "error" },
    // A copy of a schema of this size takes longer than building it.
    updateResolversInPlace: true,
  });
}

/** The resolvers; those of objects and lists of objects charge the budget of the request first. */
function budgeted<C extends ReadContext>(
  schema: GraphQLSchema,
  resolvers: Resolvers<C>,
): Resolvers<C> {
  const types = Object.values(schema.getTypeMap()).filter(
    (type) => isObjectType(type) && !isIntrospectionType(type),
  ) as GraphQLObjectType[];
  const charged = types.map((type) => {
    const own = resolvers[type.name];
    const composite = Object.values(type.getFields())
      .filter((field) => isCompositeType(getNamedType(field.type)))
      .map(({ name }) => [name, spending(own?.[name] ?? (defaultFieldResolver as Resolver<C>))]);
    return [type.name, { ...own, ...Object.fromEntries(composite) }];
  });
  return { ...resolvers, ...Object.fromEntries(charged) };
}

function spending<C extends ReadContext>(resolve: Resolver<C>): Resolver<C> {
  const refusal = ({ budget }: C) => (budget.isOver() ? budget.never : undefined);
  const charging: Resolver<C> = (source, args, context, info) => {
    const refused = refusal(context);
    if (refused !== undefined) return refused;
    const value = resolve(source, args, context, info);
    const charged = (found: unknown) => {
      const turn = spend(found, context, info);
      return turn === undefined ? found : turn.then(() => found);
    };
    return value instanceof Promise ? value.then(charged) : charged(value);
  };
  charges.set(charging, { resolve, refusal, spend } as Charge);
  return charging;
}

function spend(value: unknown, { budget, fieldsOf }: ReadContext, { fieldNodes }: FieldInfo) {
  if (value === null || value === undefined) return undefined;
  const objects = Array.isArray(value) ? value.length : 1;
  const fields = fieldNodes.reduce(
    (sum, { selectionSet }) => sum + (selectionSet ? fieldsOf(selectionSet) : 0),
    0,
  );
  return budget.spend(objects * fields);
}
