/** The types of events of an environment. */
import { ApiError } from "~/errors";
import { nearest, quoted } from "~/input/nearest";
import type { Events } from "~/replicas/events";
import { REPLICAS, requireReplica } from "~/replicas/index";

/** The service that has events of a type. `path`: of the type in the request. Throws `invalid_request`. */
export function requireEventType(
  services: readonly string[],
  type: string,
  path: string,
): { readonly service: string; readonly events: Events } {
  const types: string[] = [];
  for (const service of services) {
    const { events } = requireReplica(service);
    if (events && Object.hasOwn(events.types, type)) return { service, events };
    types.push(...Object.keys(events?.types ?? {}));
  }
  throw new ApiError(
    "invalid_request",
    `${path}: there is no event ${quoted(type)}${nearest(type, types)}`,
  );
}

/** Checks the type of an event as lists have it: also those of acts, which no app subscribes to. Throws `invalid_request`. */
export function requireListedType(services: readonly string[], type: string, path: string): void {
  const isAct = services.some((service) => REPLICAS.get(service)?.acts?.types.includes(type));
  if (!isAct) requireEventType(services, type, path);
}
