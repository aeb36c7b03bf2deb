import { readMethods } from "~/console/services/chat/calls";
import { ConversationPlace } from "~/console/services/chat/place";
import { snippets } from "~/console/services/chat/snippets";
import type { ConsoleService } from "~/console/services/service";

export const chat: ConsoleService = {
  Place: ConversationPlace,
  fields: ["channel", "thread"],
  queryOf: ({ table, id }) => (table === "channels" ? { channel: id } : undefined),
  snippets,
  forms: { methods: readMethods },
};
