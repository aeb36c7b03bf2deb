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
  /** `full`: behaves as the service; `kept`: stores and returns, with no effect. */
  readonly state: "full" | "kept";
};

const KEPT = /\.(?:watch|stop)$/;

export const coverage = (): readonly Coverage[] =>
  ROUTER.operations.map(({ name: method, verb, template, summary, query }) => ({
    ...{ method, verb, summary },
    path: template.replace("calendar/v3/", ""),
    parameters: Object.keys(query.properties),
    state: KEPT.test(method) ? "kept" : "full",
  }));
