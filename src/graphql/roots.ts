/** Root queries derived from the models: the object with an id, and pages of all objects. */
import { type GraphQLObjectType, getNamedType, isLeafType } from "graphql";
import type { Models } from "~/graphql/model";
import { EMPTY } from "~/graphql/page";
import { type ReadContext, type Resolver, rootPage } from "~/graphql/resolvers";

type RootOptions<C> = {
  readonly models: Models;
  readonly modelOf: { readonly [type: string]: string };
  /** The row for an argument `id`. Throws when there is none. */
  readonly requireRow: (
    context: C,
    type: string,
    id: string,
    fields: ReadonlySet<string>,
  ) => Promise<unknown>;
};

/** Resolvers of the fields of Query whose form defines their result: `book(id:)`, `books(…)`. */
export function rootQueries<C extends ReadContext>(
  query: GraphQLObjectType,
  { models, modelOf, requireRow }: RootOptions<C>,
): Record<string, Resolver<C>> {
  const found: Record<string, Resolver<C>> = {};
  for (const field of Object.values(query.getFields())) {
    const type = getNamedType(field.type);
    const [, element] = /^(\w+)Connection$/.exec(type.name) ?? [];
    const name = modelOf[element ?? type.name] ?? element ?? type.name;
    if (element !== undefined) found[field.name] = models.has(name) ? rootPage(name) : () => EMPTY;
    else if (!isLeafType(type) && field.args.some((argument) => argument.name === "id"))
      found[field.name] = (_source, { id }: { id: string }, context, info) =>
        requireRow(context, name, id, info.fields);
  }
  return found;
}
