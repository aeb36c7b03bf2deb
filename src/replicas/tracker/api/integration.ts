/** Integrations: there are none, so lookups find nothing. */
import type { Resolvers } from "~/graphql/resolvers";
import type { Context } from "~/replicas/tracker/context";
import { notFound } from "~/replicas/tracker/errors";

const missing = (type: string) => () => {
  throw notFound(type);
};

export const integrations: Resolvers<Context> = {
  Query: {
    applicationInfo: missing("Application"),
    archivedIntegrations: () => [],
    integrationHasScopes: missing("Integration"),
  },
};
