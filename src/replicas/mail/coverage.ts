/** Lists how far each method of the API is simulated, from the operations: for the reference and its tests. */
import { ROUTER } from "~/replicas/mail/api/index";
import { restrictedCalls } from "~/replicas/mail/api/restricted";

type Coverage = {
  /** `messages.list`. */
  readonly method: string;
  readonly verb: string;
  /** After `/gmail/v1/users/{userId}/`. */
  readonly path: string;
  readonly summary: string;
  readonly parameters: readonly string[];
  /** `full`: behaves as the service; `kept`: stores and returns, with no effect; `refused`: answers 403. */
  readonly state: "full" | "kept" | "refused";
};

const REFUSED = new Set(restrictedCalls.map(({ name }) => name));
const KEPT = /^settings\.(?:get|update)(?:Imap|Pop|Language)$/;

export const coverage = (): readonly Coverage[] =>
  ROUTER.operations.map(({ name: method, verb, template, summary, query }) => ({
    ...{ method, verb, summary },
    path: template.replace("gmail/v1/users/{userId}/", ""),
    parameters: Object.keys(query.properties),
    state: stateOf(method),
  }));

function stateOf(method: string): Coverage["state"] {
  if (REFUSED.has(method)) return "refused";
  return KEPT.test(method) ? "kept" : "full";
}
