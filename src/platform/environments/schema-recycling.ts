/** Makes used schemas equal to their templates again, so that they return to the pool. */
import { isUnavailable } from "~/db/connect";
import type { Builders } from "~/db/origins";
import { refreshClone } from "~/db/recycling";
import { dropSchema } from "~/db/schemas";
import { errorFields, type Log } from "~/log";
import * as schemas from "~/platform/environments/schemas-store";
import type { Templates } from "~/platform/templates/templates";
import { createSemaphore } from "~/semaphore";

const LOCK_TIMEOUT = "2s";
const CONCURRENCY = 2;
const RETRY_MS = 10;
const RETRY_MS_MAX = 1_000;

export type RecyclingParts = { builders: Builders; templates: Templates; log: Log };

export function createSchemaRecycling({ builders, templates, log }: RecyclingParts) {
  const inTurn = createSemaphore(CONCURRENCY);
  /** In progress, by schema. */
  const underWay = new Map<string, Promise<void>>();

  /** Recycles a schema. Returns false while a server still leases it for the environment that ended. */
  async function recycleNow(schema: string): Promise<boolean> {
    return await builders.transaction(async (tx) => {
      const used = await schemas.lockUsed(tx, schema, LOCK_TIMEOUT);
      if (!used?.schemaIdle) return !used;
      const fresh = used.current
        ? await refreshClone(tx, await templates.blueprint(used.templateSchema), used)
        : undefined;
      if (fresh) await schemas.markReady(tx, schema, fresh);
      else {
        await dropSchema(tx, schema);
        await schemas.forget(tx, schema);
      }
      return true;
    });
  }

  async function recycleSoon(schema: string): Promise<void> {
    for (let wait = RETRY_MS; wait < RETRY_MS_MAX; wait *= 2) {
      if (await inTurn(() => recycleNow(schema))) return;
      await Bun.sleep(wait);
    }
  }

  return {
    /** Recycles a used schema, or drops it. Maintenance retries failures. */
    recycle(schema: string): Promise<void> {
      const known = underWay.get(schema);
      if (known !== undefined) return known;
      const work = recycleSoon(schema)
        .catch((error) => {
          const level = isUnavailable(error) ? "debug" : "error";
          log[level]("schema not recycled", { schema, ...errorFields(error) });
        })
        .finally(() => underWay.delete(schema));
      underWay.set(schema, work);
      return work;
    },

    /** Waits until one of those in progress ends, at most so long. Returns false if there are none. */
    async next(ms: number): Promise<boolean> {
      if (underWay.size === 0) return false;
      await Promise.race([...underWay.values(), Bun.sleep(ms)]);
      return true;
    },

    /** Resolves when nothing is being recycled any more. */
    async settle(): Promise<void> {
      await Promise.all(underWay.values());
    },
  };
}
