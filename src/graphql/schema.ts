/** Combines a schema with its resolvers. */
import { addResolversToSchema } from "@graphql-tools/schema";
import {
  type GraphQLField,
  type GraphQLScalarTypeConfig,
  type GraphQLSchema,
  isObjectType,
} from "graphql";
import { READS } from "~/graphql/info";
import type { Model } from "~/graphql/model";
import {
  allResolvers,
  type Derivation,
  type ReadContext,
  type TypeNames,
} from "~/graphql/resolvers";

/** The functions of a scalar; its name and description are in the SDL. */
export type ScalarResolver = Pick<
  GraphQLScalarTypeConfig<unknown, unknown>,
  "parseValue" | "parseLiteral" | "serialize"
>;

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
      ...allResolvers(schema, derivation),
    },
    resolverValidationOptions: { requireResolversToMatchSchema: "error" },
    // A copy of a schema of this size takes longer than building it.
    updateResolversInPlace: true,
  });
}

/** Notes what each field of a model's type reads: derived ones by the model, those written by hand by `reads`. */
function noteReads<C>(
  schema: GraphQLSchema,
  { models, modelOf, conventions, resolvers, reads = {} }: Derivation<C>,
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

function derived(model: Model, { name }: GraphQLField<unknown, unknown>): readonly string[] {
  const key = model.one.get(name)?.key;
  return [key ?? name].filter((column) => model.columns.has(column));
}
