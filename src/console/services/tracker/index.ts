import type { ConsoleService } from "~/console/services/service";
import { operations } from "~/console/services/tracker/calls";
import { IssuePlace } from "~/console/services/tracker/place";
import { snippets } from "~/console/services/tracker/snippets";

export const tracker: ConsoleService = {
  Place: IssuePlace,
  fields: ["issue", "team", "project", "cycle", "view"],
  queryOf: ({ table, id }) => (table === "issues" ? { issue: id } : undefined),
  snippets,
  forms: { operations },
};
