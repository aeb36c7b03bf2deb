/** Earlier ids of the rows of templates, which their clones have too. */
import { LRUCache } from "lru-cache";
import type { Table } from "~/db/blueprint";
import { errorCode, type Pool, UNDEFINED_TABLE } from "~/db/connect";
import { openSession, tablesOf } from "~/db/session";
import { type Aliases, NO_ALIASES } from "~/input/aliases";
import type { Seed } from "~/platform/templates/seeds";
import { REPLICAS } from "~/replicas/index";
import { SEEDS } from "../../../seeds/index";

const SCHEMAS_MAX = 1_000;

type Clone = {
  readonly templateSchema: string;
  readonly schemaName: string;
  readonly service: string;
};

export function createAliasReader(replicas: Pool) {
  /** By schema: of a template, or of a clone whose template has been replaced. Undefined: the schema is gone. */
  const known = new LRUCache<string, Promise<Aliases | undefined>>({ max: SCHEMAS_MAX });

  function read(service: string, schema: string, tables: readonly Table[]) {
    const cached = known.get(schema);
    if (cached) return cached;
    const session = openSession(replicas, schema, tablesOf(replicas, schema, tables));
    const reading = Promise.resolve(REPLICAS.get(service)?.aliases?.(session) ?? NO_ALIASES).catch(
      (error) => {
        if (errorCode(error) === UNDEFINED_TABLE) return undefined;
        known.delete(schema);
        throw error;
      },
    );
    known.set(schema, reading);
    return reading;
  }

  /**
   * Returns those of a clone: of its template, or its own if the template has been replaced since. If both are gone,
   * those of all built-in templates. `tables`: of the clone.
   */
  return async (
    { service, templateSchema, schemaName }: Clone,
    tables: readonly Table[],
  ): Promise<Aliases> =>
    (await read(service, templateSchema, tables)) ??
    (await read(service, schemaName, tables)) ??
    BUILTIN.get(service) ??
    NO_ALIASES;
}

/** By service. */
const BUILTIN: ReadonlyMap<string, Aliases> = new Map(
  [...Map.groupBy(SEEDS as readonly Seed[], ({ service }) => service)].map(([service, seeds]) => [
    service,
    new Map(seeds.flatMap(({ aliases = {} }) => Object.entries(aliases))),
  ]),
);
