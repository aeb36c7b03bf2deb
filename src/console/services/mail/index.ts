import { readOperations } from "~/console/rest-form";
import { MailboxPlace } from "~/console/services/mail/place";
import { snippets } from "~/console/services/mail/snippets";
import type { ConsoleService } from "~/console/services/service";

export const mail: ConsoleService = {
  Place: MailboxPlace,
  fields: ["label", "mail"],
  queryOf: () => undefined,
  snippets,
  forms: { methods: readOperations("messages/send") },
};
