/** The schema with its resolvers: built on the first request, and kept. */
import { buildASTSchema, type GraphQLSchema, Kind, parse } from "graphql";
import { attach, type Resolver, type Resolvers } from "~/graphql/attach";
import { completeSdl } from "~/graphql/sdl";
import { RESOLVERS, TYPE_NAMES } from "~/replicas/tracker/api/index";
import { OUT_OF_SCOPE, SDL } from "~/replicas/tracker/api/sdl";
import type { Context } from "~/replicas/tracker/context";
import { notAccessible } from "~/replicas/tracker/errors";
import { MODEL_OF, MODELS } from "~/replicas/tracker/store/models/index";
import { nextSyncId } from "~/replicas/tracker/store/write";

let built: GraphQLSchema | undefined;

export function trackerSchema(): GraphQLSchema {
  built ??= buildSchema();
  return built;
}

function buildSchema(): GraphQLSchema {
  const schema = buildASTSchema(completeSdl(SDL), { assumeValidSDL: true });
  attach(schema, {
    models: MODELS,
    modelOf: MODEL_OF,
    resolvers: { ...RESOLVERS, ...rootResolvers() },
    typeNames: TYPE_NAMES,
  });
  return schema;
}

/** Root fields: what is not simulated refuses, and a change is counted. */
function rootResolvers(): Resolvers<Context> {
  const { Query = {}, Mutation = {} } = RESOLVERS;
  return {
    Query: { ...refusals("Query"), ...Query },
    Mutation: {
      ...refusals("Mutation"),
      ...Object.fromEntries(
        Object.entries(Mutation).map(([name, resolve]) => [name, counted(resolve)]),
      ),
    },
  };
}

function refusals(type: "Query" | "Mutation"): Record<string, Resolver<Context>> {
  const fields = parse(OUT_OF_SCOPE, { noLocation: true }).definitions.flatMap((node) =>
    node.kind === Kind.OBJECT_TYPE_EXTENSION && node.name.value === type ? (node.fields ?? []) : [],
  );
  return Object.fromEntries(
    fields.map(({ name }) => [
      name.value,
      () => {
        throw notAccessible(name.value);
      },
    ]),
  );
}

/** Each change is one more for `lastSyncId`, and makes what was read before it worthless. */
const counted =
  (resolve: Resolver<Context>): Resolver<Context> =>
  async (source, args, context, info) => {
    context.read.clear();
    const payload = await resolve(source, args, context, info);
    context.read.clear();
    const { lastSyncId = await nextSyncId(context.session), ...rest } = payload as {
      lastSyncId?: number;
    };
    return { success: true, lastSyncId, ...rest };
  };
