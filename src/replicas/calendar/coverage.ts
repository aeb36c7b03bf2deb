/** Lists how far each method of the API is simulated, from the operations: for the reference and its tests. */
import { ROUTER } from "~/replicas/calendar/api/index";

type Coverage = {
  /** `events.list`. */
  readonly method: string;
  readonly verb: string;
  /** After `/calendar/v3/`. */
  readonly path: string;
  readonly summary: string;
  readonly parameters: readonly string[];
  /** Behaves as the service. */
  readonly state: "full";
};

export const coverage = (): readonly Coverage[] =>
  ROUTER.operations.map(({ name: method, verb, template, summary, query }) => ({
    ...{ method, verb, summary },
    path: template.replace("calendar/v3/", ""),
    parameters: Object.keys(query.properties),
    state: "full",
  }));
