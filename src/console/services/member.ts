/** One service of a world as an environment of its own: with its addresses, and its tables by their names in the service. */
import type { EnvironmentDetail, RunEvent } from "~/clients/typescript/schema";
import { type Ask, type Rows, readRows } from "~/console/rows";

/** The value of `service` of an environment, template or suite with several services. */
export const WORLD = "world";

/** An environment with one service, or one service of a world. */
export type ServiceEnvironment = EnvironmentDetail & {
  /** Of the names of its tables in the template and in changes; undefined outside of worlds. */
  readonly prefix?: string;
};

/** The prefix of a service's tables in a world. */
export const prefixOf = (service: string) => `${service}_`;

/** `impersonateUserId` is empty if the person has no account in the service. */
export function memberOf(environment: EnvironmentDetail, service: string): ServiceEnvironment {
  const member = environment.services[service];
  if (environment.service !== WORLD || !member) return environment;
  const { url: environmentUrl, mcpUrl, userId } = member;
  return {
    ...environment,
    ...{ service: service as EnvironmentDetail["service"], environmentUrl, mcpUrl },
    impersonateUserId: userId ?? "",
    prefix: prefixOf(service),
  };
}

/** The change with the service's own name of the table; undefined for one of another service. */
export function ownEvent(
  { prefix = "" }: ServiceEnvironment,
  event: RunEvent,
): RunEvent | undefined {
  const { table } = event;
  return table.startsWith(prefix) ? { ...event, table: table.slice(prefix.length) } : undefined;
}

/** Reads rows of the environment's template as `readRows` does, with tables as the service names them. */
export async function readOwnRows(
  ask: Ask,
  { templateSchema, prefix = "" }: ServiceEnvironment,
  tables: readonly string[],
): Promise<Rows> {
  const named = tables.map((table) => (table === "*" ? table : prefix + table));
  return withoutPrefix(await readRows(ask, templateSchema, named), prefix);
}

export const withPrefix = (rows: Rows, prefix: string): Rows =>
  Object.fromEntries(Object.entries(rows).map(([table, list]) => [prefix + table, list]));

const withoutPrefix = (rows: Rows, prefix: string): Rows =>
  Object.fromEntries(
    Object.entries(rows).flatMap(([table, list]) =>
      table.startsWith(prefix) ? [[table.slice(prefix.length), list]] : [],
    ),
  );
