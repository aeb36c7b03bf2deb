/**
 * Worlds: environments with several services. The tables of all members are in one schema, each with the name of its
 * service in front: `chat_messages`. No replica has a table of its own that begins so.
 */
import type { Tables } from "~/db/session";
import { SERVICES } from "~/replicas/services";

/** The value of `service` of an environment that has several. */
export const WORLD = "world";

/** For a description: "chat, tracker or world". */
export const ANY_KIND = `${[...SERVICES.keys()].join(", ")} or ${WORLD}`;

/** The id of a person in each service; null where they have no account. */
export type Members = { readonly [service: string]: string | null };

/** The actor of a call by a person without an account. No user has this id. */
export const NOBODY_HERE = "";

export const prefixOf = (service: string) => `${service}_`;

/** The name that a replica's table has in a world. */
export const tableInWorld = (service: string, table: string) => prefixOf(service) + table;

/** The member of a world that a table belongs to; undefined for a table outside of worlds. */
export function memberOf(table: string): string | undefined {
  const end = table.indexOf("_");
  const service = end < 0 ? "" : table.slice(0, end);
  return SERVICES.has(service) ? service : undefined;
}

/** The services of a schema of this kind with these tables, in the order of all services. */
export function servicesIn(kind: string, tables: readonly { readonly name: string }[]): string[] {
  if (kind !== WORLD) return [kind];
  const found = new Set(tables.map(({ name }) => memberOf(name)));
  return [...SERVICES.keys()].filter((service) => found.has(service));
}

/** By the tables of a world, and member. */
const known = new WeakMap<Tables, Map<string, Tables>>();

/** The tables of one member of a world, by their names in its replica. */
export function memberTables(all: Tables, service: string): Tables {
  const members = known.get(all) ?? new Map<string, Tables>();
  known.set(all, members);
  const found = members.get(service);
  if (found) return found;
  const prefix = prefixOf(service);
  const tables = Object.fromEntries(
    Object.entries(all).flatMap(([name, table]) =>
      name.startsWith(prefix) ? [[name.slice(prefix.length), table]] : [],
    ),
  );
  members.set(service, tables);
  return tables;
}
