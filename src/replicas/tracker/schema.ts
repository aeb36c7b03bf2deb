/** The schema with its resolvers, built on the first request and cached. */
import { buildASTSchema, type GraphQLObjectType, type GraphQLSchema } from "graphql";
import { COSTS_ONCE } from "~/graphql/cost";
import { requireLengths } from "~/graphql/lengths";
import type { Resolver, Resolvers } from "~/graphql/resolvers";
import { rootQueries } from "~/graphql/roots";
import { addResolvers } from "~/graphql/schema";
import { completeSdl } from "~/graphql/sdl";
import { CONVENTIONS } from "~/replicas/tracker/api/conventions";
import { SDL_CONVENTIONS } from "~/replicas/tracker/api/forms";
import { READS, RESOLVERS, TYPE_NAMES } from "~/replicas/tracker/api/index";
import { SCALARS } from "~/replicas/tracker/api/scalars";
import { sdlFiles } from "~/replicas/tracker/api/sdl";
import type { Context } from "~/replicas/tracker/context";
import { coverage } from "~/replicas/tracker/coverage";
import { notAccessible } from "~/replicas/tracker/errors";
import { LENGTHS } from "~/replicas/tracker/lengths";
import { requireRow } from "~/replicas/tracker/require";
import type { Entity } from "~/replicas/tracker/store/entities";
import { MODEL_OF, MODELS } from "~/replicas/tracker/store/models/index";
import { nextSyncId } from "~/replicas/tracker/store/write";

let built: GraphQLSchema | undefined;

export function trackerSchema(): GraphQLSchema {
  built ??= buildSchema();
  return built;
}

function buildSchema(): GraphQLSchema {
  const documents = sdlFiles().map(({ document }) => document);
  const schema = buildASTSchema(completeSdl(documents, SDL_CONVENTIONS), { assumeValidSDL: true });
  // The service counts the labels of an issue once, unlike the other pages.
  for (const type of ["Issue", "IssueSearchResult"]) {
    const { labels } = (schema.getType(type) as GraphQLObjectType).getFields();
    if (labels) labels.extensions = { [COSTS_ONCE]: true };
  }
  return addResolvers(schema, {
    models: MODELS,
    modelOf: MODEL_OF,
    conventions: CONVENTIONS,
    resolvers: { ...RESOLVERS, ...rootResolvers(schema) },
    scalars: SCALARS,
    typeNames: TYPE_NAMES,
    reads: READS,
  });
}

/**
 * Root fields: most queries are derived from the models, operations that are not simulated throw, and each mutation
 * increments the sync id.
 */
function rootResolvers(schema: GraphQLSchema): Resolvers<Context> {
  const { Query = {}, Mutation = {} } = RESOLVERS;
  const [query, mutation] = [schema.getQueryType(), schema.getMutationType()];
  if (!query || !mutation) throw new Error("the schema has no queries or mutations");
  const options = {
    models: MODELS,
    modelOf: MODEL_OF,
    requireRow: (context: Context, type: string, id: string, fields: ReadonlySet<string>) =>
      requireRow(context, type as Entity, id, fields),
  };
  const queries = { ...rootQueries<Context>(query, options), ...refusals(query), ...Query };
  const changes = Object.entries(Mutation).map(([name, resolve]) => [name, counted(resolve)]);
  return {
    Query: bounded(query, queries),
    Mutation: bounded(mutation, { ...refusals(mutation), ...Object.fromEntries(changes) }),
  };
}

/** Checks the lengths of the arguments first. */
const bounded = (type: GraphQLObjectType, resolvers: Record<string, Resolver<Context>>) =>
  Object.fromEntries(
    Object.entries(resolvers).map(([name, resolve]): [string, Resolver<Context>] => {
      const { args: defined = [] } = type.getFields()[name] ?? {};
      return [
        name,
        (source, args, context, info) => {
          requireLengths(LENGTHS, args, defined);
          return resolve(source, args, context, info);
        },
      ];
    }),
  );

/** Resolvers of the operations that are not simulated. Sets the only description they have. */
function refusals(type: GraphQLObjectType): Record<string, Resolver<Context>> {
  const refused = coverage().filter(
    ({ kind, state }) => state === "refused" && kind === type.name.toLowerCase(),
  );
  return Object.fromEntries(
    refused.map(({ operation }) => {
      const field = type.getFields()[operation];
      if (field) field.description = "Not simulated: rejected.";
      return [
        operation,
        () => {
          throw notAccessible(operation);
        },
      ];
    }),
  );
}

/** Increments `lastSyncId`, and clears the reader's cache before and after the change. */
const counted =
  (resolve: Resolver<Context>): Resolver<Context> =>
  async (source, args, context, info) => {
    context.read.clear();
    const payload = await resolve(source, args, context, info);
    context.read.clear();
    const { lastSyncId = incremented(context), ...rest } = payload as { lastSyncId?: number };
    return { success: true, lastSyncId, ...rest };
  };

/** The next sync id, which few requests select: only they wait for it. If it fails, so does the commit. */
function incremented({ session }: Context): Promise<number> {
  const id = nextSyncId(session);
  id.catch(() => undefined);
  return id;
}
