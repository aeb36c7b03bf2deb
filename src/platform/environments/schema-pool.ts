/**
 * Ready schemas, so that an environment costs one statement.
 *
 * Schemas are rarely built: after its environment a schema is made equal to its template again and returns to the pool.
 * An environment takes a ready schema, else waits briefly for one that is being recycled, else has one built. Building
 * costs tables, not rows, so there are also empty schemas. They serve any template with the same tables.
 */
import { inTransaction, isUnavailable, type Pool, type Sql, type Tx } from "~/db/connect";
import type { Builders } from "~/db/origins";
import { refreshClone } from "~/db/recycling";
import {
  type Blueprint,
  buildClone,
  dropSchema,
  fillClone,
  newSchemaName,
  withoutRows,
} from "~/db/schemas";
import { unavailable } from "~/errors";
import { errorFields, type Log } from "~/log";
import type { Metrics } from "~/metrics";
import type { Ahead } from "~/platform/environments/ahead";
import * as schemas from "~/platform/environments/schemas-store";
import * as store from "~/platform/environments/store";
import type { Templates } from "~/platform/templates/templates";
import { createSemaphore } from "~/semaphore";

export type SchemaPool = ReturnType<typeof createSchemaPool>;

/** How long a claim waits for a schema that is being recycled. */
const RECYCLE_WAIT_MS = 250;
/** How long a claim waits for a schema to be built. */
const BUILD_WAIT_MS = 30_000;
const RECYCLE_LOCK_TIMEOUT = "2s";
const RECYCLE_CONCURRENCY = 2;
const RECYCLE_RETRY_MS = 10;
const RECYCLE_RETRY_MS_MAX = 1_000;
/** Until the first build has shown how long one takes. */
const BUILD_SECONDS = 0.1;
/** Rows of a template beyond which the indexes cost more in an empty schema than in a new one. */
const FILL_ROWS_MAX = 5_000;
/** Share of the newest build in the average. */
const NEWEST = 0.2;

/** Under this name of a template, the register has the empty schemas for templates of this shape. */
export const emptyOf = ({ shape }: Blueprint) => `empty_${shape}`;

/** Whether an empty schema with the rows of this template is cheaper than a new one. */
const isFillable = ({ rowCounts }: Blueprint) =>
  rowCounts.values().reduce((all, rows) => all + rows, 0) <= FILL_ROWS_MAX;

class NoReadySchema extends Error {}

/** Runs in the transaction that creates an environment: calls `insert`, which gives it a schema and adds its row. */
export type Creation = (tx: Tx, insert: () => Promise<store.Claimed>) => Promise<store.Claimed>;

/** How a schema was made, and what its transaction returned. */
type Made<T> = { readonly result: "built" | "filled"; readonly value: T };

export function createSchemaPool(deps: {
  pool: Pool;
  builders: Builders;
  templates: Templates;
  ahead: Pick<Ahead, "of" | "forget">;
  concurrency: number;
  log: Log;
  metrics: Metrics;
  /** Announces the tables of a new schema to capture, in the transaction that builds it. */
  onBuild: (tx: Tx, schema: string) => Promise<void>;
}) {
  const { pool, builders, templates, ahead, log, metrics } = deps;
  const building = createSemaphore(deps.concurrency);
  const recycling = createSemaphore(RECYCLE_CONCURRENCY);
  /** A moving average. */
  let buildSeconds = BUILD_SECONDS;
  /** Recycling in progress, by schema. */
  const underWay = new Map<string, Promise<void>>();

  const observe = (source: "pool" | "build", started: number) =>
    metrics.environmentCreateSeconds.observe({ source }, (performance.now() - started) / 1000);

  /** Claims a ready schema; undefined if there is none. */
  async function takeReady(
    templateSchema: string,
    environment: store.NewEnvironmentRow,
    create: Creation | undefined,
  ): Promise<store.Claimed | undefined> {
    const claim = async (sql: Sql) => {
      const claimed = await store.claim(sql, templateSchema, environment, ahead.of(templateSchema));
      if (claimed) ahead.forget(claimed.schemaName);
      return claimed;
    };
    if (!create) return await claim(pool);
    try {
      return await inTransaction(pool, (tx) =>
        create(tx, async () => {
          const claimed = await claim(tx);
          if (!claimed) throw new NoReadySchema(); // rolls back what was counted
          return claimed;
        }),
      );
    } catch (error) {
      if (error instanceof NoReadySchema) return undefined;
      throw error;
    }
  }

  /** Builds and registers a schema under a template's name, inside the caller's transaction. */
  async function buildNew(
    tx: Tx,
    blueprint: Blueprint,
    templateSchema: string,
    state: schemas.SchemaState,
  ): Promise<string> {
    const schema = newSchemaName();
    const built = await buildClone(tx, blueprint, schema);
    await deps.onBuild(tx, schema);
    await schemas.register(tx, schema, templateSchema, state, built);
    return schema;
  }

  /** Fills an empty schema, inside the caller's transaction. Returns undefined if there is none. */
  async function fillEmpty(
    tx: Tx,
    blueprint: Blueprint,
    state: schemas.SchemaState,
  ): Promise<string | undefined> {
    if (!isFillable(blueprint)) return undefined;
    const empty = await schemas.lockReady(tx, emptyOf(blueprint));
    if (!empty) return undefined;
    const freshXid = await fillClone(tx, blueprint, empty.schema);
    await schemas.assign(tx, empty.schema, blueprint.schema, state, freshXid);
    return empty.schema;
  }

  /** Makes a schema in one transaction. */
  async function make<T>(
    templateSchema: string,
    work: (tx: Tx, blueprint: Blueprint) => Promise<Made<T>>,
  ): Promise<T> {
    const blueprint = await templates.blueprint(templateSchema);
    const started = performance.now();
    let result: Made<T>["result"] | "failed" = "failed";
    try {
      const made = await builders.transaction((tx) => work(tx, blueprint));
      ({ result } = made);
      if (result === "built")
        buildSeconds += NEWEST * ((performance.now() - started) / 1000 - buildSeconds);
      return made.value;
    } finally {
      metrics.poolBuilds.inc({ result });
    }
  }

  /** Fills or builds a schema and registers it; what `then` does with it is part of the same transaction. */
  const build = <T>(
    templateSchema: string,
    state: schemas.SchemaState,
    then: (tx: Tx, schema: string) => Promise<T>,
  ): Promise<T> =>
    make(templateSchema, async (tx, blueprint) => {
      const filled = await fillEmpty(tx, blueprint, state);
      const schema = filled ?? (await buildNew(tx, blueprint, templateSchema, state));
      return { result: filled ? "filled" : "built", value: await then(tx, schema) };
    });

  /** Waits for a turn to build. Throws 503 if it comes after the deadline. */
  const buildWithin = <T>(deadline: number, work: () => Promise<T>): Promise<T> =>
    building(async () => {
      if (performance.now() > deadline) throw unavailable("Too many environments are being built");
      return await work();
    });

  /** Recycles a schema. Returns false while a server still leases it for the environment that ended. */
  async function recycleNow(schema: string): Promise<boolean> {
    return await builders.transaction(async (tx) => {
      const used = await schemas.lockUsed(tx, schema, RECYCLE_LOCK_TIMEOUT);
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
    for (let wait = RECYCLE_RETRY_MS; wait < RECYCLE_RETRY_MS_MAX; wait *= 2) {
      if (await recycling(() => recycleNow(schema))) return;
      await Bun.sleep(wait);
    }
  }

  /** Recycles a used schema, or drops it. Maintenance retries failures. */
  function recycle(schema: string): Promise<void> {
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
  }

  return {
    recycle,

    /**
     * Gives a new environment a schema and inserts its row: in one statement if possible, or in the transaction of
     * `create`.
     */
    async claim(
      templateSchema: string,
      environment: store.NewEnvironmentRow,
      create?: Creation,
    ): Promise<store.Claimed> {
      const started = performance.now();
      const take = async () => {
        const claimed = await takeReady(templateSchema, environment, create);
        if (claimed) observe("pool", started);
        return claimed;
      };
      const ready = await take();
      if (ready) return ready;
      if (underWay.size > 0) {
        await Promise.race([...underWay.values(), Bun.sleep(RECYCLE_WAIT_MS)]);
        const recycled = await take();
        if (recycled) return recycled;
      }
      return await buildWithin(performance.now() + BUILD_WAIT_MS, async () => {
        const late = await take();
        if (late) return late;
        const built = await build(templateSchema, "claimed", async (tx, schema) => {
          const insert = () => store.insertWith(tx, schema, environment);
          return await (create ? create(tx, insert) : insert());
        });
        observe("build", started);
        return built;
      });
    },

    /** How long a build takes at present. */
    buildSeconds: () => buildSeconds,

    /** Takes schemas for several new environments out of the pool, and builds missing ones. */
    async reserve(templateSchema: string, count: number): Promise<string[]> {
      const reserved = await schemas.reserve(pool, templateSchema, count);
      const deadline = performance.now() + BUILD_WAIT_MS;
      const builds = await Promise.allSettled(
        Array.from({ length: count - reserved.length }, () =>
          buildWithin(deadline, () =>
            build(templateSchema, "reserved", async (_, schema) => schema),
          ),
        ),
      );
      for (const built of builds) if (built.status === "fulfilled") reserved.push(built.value);
      const failed = builds.find((built) => built.status === "rejected");
      if (!failed) return reserved;
      await this.giveBack(reserved);
      throw failed.reason;
    },

    /** Recycles reserved schemas that no environment needs. */
    async giveBack(reserved: readonly string[]): Promise<void> {
      await schemas.unreserve(pool, reserved);
      for (const schema of reserved) recycle(schema).catch(() => undefined);
    },

    /** Adds one ready schema to the pool. */
    async addSchema(templateSchema: string): Promise<void> {
      await building(() => build(templateSchema, "ready", async () => {}));
    },

    /** Builds one empty schema with the tables of this template. */
    async addEmpty(templateSchema: string): Promise<void> {
      await building(() =>
        make(templateSchema, async (tx, blueprint) => ({
          result: "built",
          value: await buildNew(tx, withoutRows(blueprint), emptyOf(blueprint), "ready"),
        })),
      );
    },

    /** Resolves when nothing is being recycled any more. */
    async settle(): Promise<void> {
      await Promise.all(underWay.values());
    },
  };
}
