/** Integrations: there are none, and what asks for one does not find it. */
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
