/** The tools that an endpoint serves: those of one service, or those of all services of a world. */
import { ApiError } from "~/errors";
import { type Access, DEFAULT_PROFILE, findSurface, listingFor } from "~/http/mcp/profile";
import { requireReplica } from "~/replicas/index";
import { type Members, WORLD } from "~/replicas/members";
import type { ToolProfile } from "~/replicas/tools";
import { VERSION } from "~/version";

/** The tools of one service. */
type ServedTools = {
  readonly service: string;
  /** With the names that the endpoint shows. */
  readonly profile: ToolProfile;
  /** The service's own name of each tool. */
  readonly ownNames: ReadonlyMap<string, string>;
};

export type ToolSet = readonly ServedTools[];

const sets = new Map<string, ToolSet>();

/** The tools of a service. Throws `not_found` for a profile that it does not have. */
export function toolsOfService([service = ""]: readonly string[], name: string): ToolSet {
  const { toolProfiles } = requireReplica(service);
  const profile = toolProfiles && Object.hasOwn(toolProfiles, name) && toolProfiles[name];
  if (!profile) {
    const known = Object.keys(toolProfiles ?? {}).join(", ");
    throw new ApiError("not_found", `${service} has no tool profile of this name; known: ${known}`);
  }
  return [
    { service, profile, ownNames: new Map(profile.tools.map((tool) => [tool.name, tool.name])) },
  ];
}

/** The tools of a world, which have one profile. Throws `not_found` for another. */
export function toolsOfWorld(services: readonly string[], name: string): ToolSet {
  if (name === DEFAULT_PROFILE) return toolsOfServices(services);
  throw new ApiError(
    "not_found",
    `A world has no tool profile of this name; known: ${DEFAULT_PROFILE}`,
  );
}

/** The vendors' tools of all these services. A name that two of them have gets the service in front. */
export function toolsOfServices(services: readonly string[]): ToolSet {
  const found = sets.get(services.join());
  if (found) return found;
  const parts = services.flatMap((service) => {
    const { toolProfiles } = requireReplica(service);
    return toolProfiles ? [{ service, profile: toolProfiles[DEFAULT_PROFILE] as ToolProfile }] : [];
  });
  const names = parts.flatMap(({ profile }) => profile.tools.map(({ name }) => name));
  const isShared = (name: string) => names.indexOf(name) !== names.lastIndexOf(name);
  const set = parts.map(({ service, profile }) => {
    const shown = (name: string) => (isShared(name) ? `${service}_${name}` : name);
    return {
      service,
      profile: {
        ...profile,
        tools: profile.tools.map((tool) => ({ ...tool, name: shown(tool.name) })),
      },
      ownNames: new Map(profile.tools.map(({ name }) => [shown(name), name])),
    };
  });
  sets.set(services.join(), set);
  return set;
}

/** The tool of this name. An unknown one is for the only service to reject. */
export function findTool(set: ToolSet, name: string): (ServedTools & { own: string }) | undefined {
  const part = set.length === 1 ? set[0] : set.find(({ ownNames }) => ownNames.has(name));
  return part && { ...part, own: part.ownNames.get(name) ?? name };
}

export const serverInfoOf = (set: ToolSet) =>
  set.length === 1 && set[0]
    ? set[0].profile.serverInfo
    : { name: `Diorama: ${set.map(({ service }) => service).join(", ")}`, version: VERSION };

/** The listing for one person, as JSON text of a list. */
export function listingOf(
  set: ToolSet,
  access: Access,
  actorOf: (service: string) => string,
): Uint8Array {
  const lists = set.map(({ service, profile }) =>
    listingFor(findSurface(profile, access), actorOf(service)),
  );
  const [only, ...others] = lists;
  if (only && others.length === 0) return only;
  const insides = lists.map((list) => list.subarray(1, -1)).filter(({ length }) => length > 0);
  const joined = insides.flatMap((part, at) => (at === 0 ? [part] : [Buffer.from(","), part]));
  return Buffer.concat([Buffer.from("["), ...joined, Buffer.from("]")]);
}

/** The services whose tools a path leads to: in a world, all in which the person has an account. */
export function toolServices(
  { service, isWhole = false }: { readonly service: string; readonly isWhole?: boolean },
  kind: string,
  actors: Members,
): string[] {
  if (service !== WORLD) return [service];
  if (kind !== WORLD) return isWhole ? [kind] : [service];
  return Object.keys(actors).filter((each) => actors[each] !== null);
}
