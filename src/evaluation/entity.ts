/** The table, or the calls, that a part of a spec is about. */
import type { Vocabulary } from "~/evaluation/vocabulary";
import { nearest, quoted } from "~/input/nearest";
import { tableInWorld } from "~/replicas/members";

/** The table of an entity, or the problem with the service that it is of. */
export function tableOf(
  entity: string,
  service: unknown,
  vocabulary: Vocabulary,
): { readonly table: string } | { readonly problem: string } {
  if (service === undefined) return { table: entity };
  const problem = serviceProblem(service, vocabulary);
  if (problem !== undefined) return { problem };
  return { table: vocabulary.isWorld ? tableInWorld(String(service), entity) : entity };
}

/** The problem with the name of a service; undefined if there is none. */
function serviceProblem(service: unknown, { services = [] }: Vocabulary): string | undefined {
  if (typeof service !== "string") return "the name of a service is needed";
  if (services.includes(service)) return undefined;
  return `there is no service ${quoted(service)} here${nearest(service, services)}; there is ${services.join(", ")}`;
}
