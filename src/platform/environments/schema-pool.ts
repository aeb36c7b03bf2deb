/**
 * Ready schemas, so that an environment costs one statement.
 *
 * Schemas are rarely built: after its environment a schema is made equal to its template again and returns to the pool.
 * An environment takes a ready schema, else waits briefly for one that is being recycled, else has one built. Building
 * costs tables, not rows, so there are also empty schemas. They serve any template with the same tables.
 */
import type { Pool } from "~/db/connect";
import { unavailable } from "~/errors";
import { type BuildingParts, createSchemaBuilding } from "~/platform/environments/schema-building";
import {
  createSchemaRecycling,
  type RecyclingParts,
} from "~/platform/environments/schema-recycling";
import * as schemas from "~/platform/environments/schemas-store";
import { createSemaphore } from "~/semaphore";

export type SchemaPool = ReturnType<typeof createSchemaPool>;

/** How long an environment waits for a schema that is being recycled. */
const RECYCLE_WAIT_MS = 250;
/** How long it waits for a schema to be built. */
const BUILD_WAIT_MS = 30_000;

export function createSchemaPool(
  deps: BuildingParts &
    RecyclingParts & {
      pool: Pool;
      /** Schemas that are built at the same time. */
      builderCount: number;
    },
) {
  const { pool } = deps;
  const inTurn = createSemaphore(deps.builderCount);
  const { build, buildEmpty, buildSeconds } = createSchemaBuilding(deps);
  const { recycle, next, settle } = createSchemaRecycling(deps);

  /** Waits for a turn to build. Throws 503 if it comes after the deadline. */
  const buildWithin = <T>(deadline: number, work: () => Promise<T>): Promise<T> =>
    inTurn(async () => {
      if (performance.now() > deadline) throw unavailable("Too many environments are being built");
      return await work();
    });

  /** Recycles reserved schemas that no environment needs. */
  async function giveBack(reserved: readonly string[]): Promise<void> {
    await schemas.unreserve(pool, reserved);
    for (const schema of reserved) recycle(schema).catch(() => undefined);
  }

  return {
    recycle,
    settle,
    buildSeconds,
    giveBack,

    /** Reserves a schema when none was ready: one that is recycled soon, else a new one. */
    async reserveOne(
      templateSchema: string,
    ): Promise<{ readonly schema: string; readonly source: "pool" | "build" }> {
      const takeReady = async () => {
        const [schema] = await schemas.reserve(pool, templateSchema, 1);
        return schema === undefined ? undefined : ({ schema, source: "pool" } as const);
      };
      const recycled = (await next(RECYCLE_WAIT_MS)) ? await takeReady() : undefined;
      if (recycled) return recycled;
      return await buildWithin(performance.now() + BUILD_WAIT_MS, async () => {
        const late = await takeReady();
        return late ?? { schema: await build(templateSchema, "reserved"), source: "build" };
      });
    },

    /** Takes schemas for several new environments out of the pool, and builds missing ones. */
    async reserve(templateSchema: string, count: number): Promise<string[]> {
      const reserved = await schemas.reserve(pool, templateSchema, count);
      const deadline = performance.now() + BUILD_WAIT_MS;
      const builds = await Promise.allSettled(
        Array.from({ length: count - reserved.length }, () =>
          buildWithin(deadline, () => build(templateSchema, "reserved")),
        ),
      );
      for (const built of builds) if (built.status === "fulfilled") reserved.push(built.value);
      const failed = builds.find((built) => built.status === "rejected");
      if (!failed) return reserved;
      await giveBack(reserved);
      throw failed.reason;
    },

    /** Runs work that gives reserved schemas to environments. They go back to the pool if it fails. */
    async using<T>(reserved: readonly string[], work: () => Promise<T>): Promise<T> {
      try {
        return await work();
      } catch (error) {
        await giveBack(reserved);
        throw error;
      }
    },

    /** Adds one ready schema to the pool. */
    async addSchema(templateSchema: string): Promise<void> {
      await inTurn(() => build(templateSchema, "ready"));
    },

    /** Builds one empty schema with the tables of this template. */
    async addEmpty(templateSchema: string): Promise<void> {
      await inTurn(() => buildEmpty(templateSchema));
    },
  };
}
