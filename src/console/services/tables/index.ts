/** A service that the console knows nothing of: its tables and its tools are shown. */
import type { ConsoleService } from "~/console/services/service";
import { TablePlace } from "~/console/services/tables/place";

export const tables: ConsoleService = {
  Place: TablePlace,
  fields: ["table"],
  queryOf: ({ table }) => ({ table }),
  snippets: () => ({}),
  forms: {},
};
