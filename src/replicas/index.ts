/** Every simulated service. */
import { ApiError } from "~/errors";
import { calendar } from "~/replicas/calendar/index";
import { chat } from "~/replicas/chat/index";
import { mail } from "~/replicas/mail/index";
import type { Replica } from "~/replicas/replica";
import type { ToolProfile } from "~/replicas/tools";
import { tracker } from "~/replicas/tracker/index";

export const REPLICAS: ReadonlyMap<string, Replica> = new Map(
  [chat, tracker, mail, calendar].map((replica) => [replica.service, replica]),
);

const BY_ALIAS = new Map([...REPLICAS.values()].map((replica) => [replica.about.alias, replica]));

/** Returns the service of this name or alias: `chat` for `slack`, and any unknown name as it is. */
export const serviceOf = (name: string): string => BY_ALIAS.get(name)?.service ?? name;

/** Returns the simulated service of that name or alias. Throws `invalid_service`. */
export function requireReplica(name: string): Replica {
  const replica = REPLICAS.get(serviceOf(name));
  if (!replica)
    throw new ApiError(
      "invalid_service",
      `The service must be one of ${[...REPLICAS.keys()].join(", ")}`,
    );
  return replica;
}

/** The names of the tools of a service, of all profiles. */
export function toolNames({ toolProfiles }: Replica): string[] {
  const profiles: readonly ToolProfile[] = Object.values(toolProfiles ?? {});
  return profiles.flatMap(({ tools }) => tools.map(({ name }) => name));
}

const callNames = new Map<Replica, ReadonlySet<string>>();

/** The names of the calls of a service: of its own API, and its tools. */
export function namesOfCalls(replica: Replica): ReadonlySet<string> {
  const known = callNames.get(replica);
  if (known) return known;
  const names = new Set([...replica.faults.names(), ...toolNames(replica)]);
  callNames.set(replica, names);
  return names;
}
