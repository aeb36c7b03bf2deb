/** Earlier ids of the rows of templates, which their clones have too. */
import { LRUCache } from "lru-cache";
import type { Table } from "~/db/blueprint";
import { errorCode, type Pool, UNDEFINED_TABLE } from "~/db/connect";
import { openSession, tablesOf } from "~/db/session";
import { type Aliases, NO_ALIASES } from "~/input/aliases";
import type { Seed } from "~/platform/templates/seeds";
import { requireReplica } from "~/replicas/index";
import { serviceSession } from "~/replicas/service-session";
import { modelWith } from "~/replicas/world";
import { SEEDS } from "../../../seeds/index";

const SCHEMAS_MAX = 1_000;

type Clone = {
  readonly templateSchema: string;
  readonly schemaName: string;
  readonly service: string;
  /** Of this service of a world; undefined: of all its services. */
  readonly only?: string | undefined;
};

export function createAliasReader(replicas: Pool) {
  /** By schema: of a template, or of a clone whose template has been replaced. Undefined: the schema is gone. */
  const known = new LRUCache<string, Promise<Aliases | undefined>>({ max: SCHEMAS_MAX });

  function read({ service: kind, only }: Clone, schema: string, tables: readonly Table[]) {
    const name = `${schema} ${only ?? ""}`;
    const cached = known.get(name);
    if (cached) return cached;
    const whole = openSession(replicas, schema, tablesOf(replicas, schema, tables));
    const session =
      only === undefined ? whole : serviceSession({ kind, services: [only] }, only, whole);
    const { aliases } = only === undefined ? modelWith(kind, tables) : requireReplica(only);
    const reading = Promise.resolve(aliases?.(session) ?? NO_ALIASES).catch((error) => {
      if (errorCode(error) === UNDEFINED_TABLE) return undefined;
      known.delete(name);
      throw error;
    });
    known.set(name, reading);
    return reading;
  }

  /**
   * Returns those of a clone: of its template, or its own if the template has been replaced since. If both are gone,
   * those of all built-in templates. `tables`: of the clone.
   */
  return async (clone: Clone, tables: readonly Table[]): Promise<Aliases> =>
    (await read(clone, clone.templateSchema, tables)) ??
    (await read(clone, clone.schemaName, tables)) ??
    BUILTIN.get(clone.only ?? clone.service) ??
    NO_ALIASES;
}

/** By service. */
const BUILTIN: ReadonlyMap<string, Aliases> = new Map(
  [...Map.groupBy(SEEDS as readonly Seed[], ({ service }) => service)].map(([service, seeds]) => [
    service,
    new Map(seeds.flatMap(({ aliases = {} }) => Object.entries(aliases))),
  ]),
);
