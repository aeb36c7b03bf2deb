/** API keys, for older clients. They grant no access here, so the key itself is not stored. */
import type { Resolvers } from "~/graphql/resolvers";
import { audit } from "~/replicas/tracker/api/audit";
import {
  changeRow,
  createRow,
  type Given,
  removeRow,
  type Target,
} from "~/replicas/tracker/change";
import type { Context } from "~/replicas/tracker/context";
import { requireRow } from "~/replicas/tracker/require";
import type { Values } from "~/replicas/tracker/store/entities";

export const apiKeys: Resolvers<Context> = {
  Mutation: {
    apiKeyCreate: async (_source, { input }: Given<Values>, context) => {
      const { key: _, ...kept } = input;
      const apiKey = await createRow(context, "ApiKey", kept);
      await audit(context, "apiKeyCreated", { entityType: "ApiKey", entityId: apiKey.id });
      return { apiKey };
    },
    apiKeyUpdate: async (_source, { id, input }: Target & Given<Values>, context) => {
      const before = await requireRow(context, "ApiKey", id);
      return { apiKey: await changeRow(context, "ApiKey", before, input) };
    },
    apiKeyDelete: async (_source, { id }: Target, context) => {
      const gone = await removeRow(context, "ApiKey", id);
      await audit(context, "apiKeyDeleted", { entityType: "ApiKey", entityId: gone.entityId });
      return gone;
    },
  },
};
