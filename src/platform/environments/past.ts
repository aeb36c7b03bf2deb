/**
 * Earlier states of environments, which stale reads see: each is a difference from the template. A read is performed in
 * a schema of the pool that takes on the state for one transaction, and is rolled back with it.
 */
import { errorCode, inTransaction, type Pool, type Tx, UNDEFINED_TABLE } from "~/db/connect";
import { applyDelta, readDelta } from "~/db/deltas";
import { type Session, sessionWithin, tablesOf } from "~/db/session";
import { unavailable } from "~/errors";
import * as details from "~/platform/environments/details-store";
import type { SchemaPool } from "~/platform/environments/schema-pool";
import { lockReserved } from "~/platform/environments/schemas-store";
import type { PastState } from "~/platform/faults/store";
import type { Templates } from "~/platform/templates/templates";
import type { Source } from "~/source";

export type Past = ReturnType<typeof createPast>;

/** Beyond these differences from the template, an environment has no stale reads. */
const LIMITS = { rows: 2_000, bytes: 1024 * 1024 };

/** Carries the result of a read out of its transaction, which is rolled back. */
class RolledBack extends Error {
  readonly result: unknown;
  constructor(result: unknown) {
    super("the read has ended");
    this.result = result;
  }
}

export function createPast(deps: {
  pool: Pool;
  /** For statements on the tables of environments. */
  replicas: Pool;
  templates: Templates;
  schemaPool: SchemaPool;
}) {
  const { pool, replicas, templates, schemaPool } = deps;

  return {
    /** Reads an environment's state while it is written to. Undefined if it has ended, or differs too much. */
    async state(environmentId: string): Promise<PastState | undefined> {
      const { templateSchema } = (await details.findUsed(pool, environmentId)) ?? {};
      if (templateSchema === undefined) return undefined;
      const blueprint = await templates.blueprint(templateSchema).catch(() => undefined);
      if (!blueprint) return undefined;
      const read = async (tx: Tx) => {
        const used = await details.findUsed(tx, environmentId);
        if (used?.templateSchema !== templateSchema) return undefined;
        const { delta } = await readDelta(tx, blueprint, used, LIMITS, { isWritable: true });
        return delta && { templateSchema, delta };
      };
      try {
        // One snapshot: the schema is this environment's, not that of the next one.
        return await inTransaction(pool, read, "isolation level repeatable read read only");
      } catch (error) {
        if (errorCode(error) === UNDEFINED_TABLE) return undefined;
        throw error;
      }
    },

    /** Runs `work`, which only reads, on a state. */
    async read<T>(
      { templateSchema, delta }: PastState,
      source: Source,
      work: (session: Session) => Promise<T>,
    ): Promise<T> {
      const blueprint = await templates.blueprint(templateSchema);
      const schemas = await schemaPool.reserve(templateSchema, 1);
      const [schema = ""] = schemas;
      const readIn = async (tx: Tx): Promise<never> => {
        if (!(await lockReserved(tx, schema)))
          throw unavailable("The state took too long to prepare");
        await applyDelta(tx, blueprint, schema, delta);
        const tables = tablesOf(tx, schema, blueprint.tables);
        const past = { micros: source.micros, bytes: source.bytes, isBetween: true } as const;
        throw new RolledBack(await work(sessionWithin(tx, schema, tables, past)));
      };
      try {
        return await inTransaction(replicas, readIn);
      } catch (error) {
        if (error instanceof RolledBack) return error.result as T;
        throw error;
      } finally {
        await schemaPool.giveBack(schemas);
      }
    },
  };
}
