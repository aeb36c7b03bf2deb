/**
 * Creates environments. They are planned first; one transaction then takes the idempotency key, counts them against the
 * limits, and inserts them in their schemas.
 */
import { inTransaction, type Pool, type Sql } from "~/db/connect";
import { LimitExceeded, unavailable } from "~/errors";
import type { Metrics } from "~/metrics";
import { giveCounterparts } from "~/platform/environments/actions";
import type { Capacity } from "~/platform/environments/capacity";
import * as store from "~/platform/environments/creation-store";
import type { Environment } from "~/platform/environments/model";
import { type Plan, placed } from "~/platform/environments/plan";
import type { SchemaPool } from "~/platform/environments/schema-pool";
import { viewCreated } from "~/platform/environments/view";
import { insert as insertFaults } from "~/platform/faults/store";
import type { Once } from "~/platform/idempotency/idempotency";
import { CONCURRENT_ENVIRONMENTS, type Keys } from "~/platform/keys/keys";
import { giveApps } from "~/platform/outbox/noted";
import type { Principal } from "~/principal";

const RETRY_AFTER_SECONDS = 10;

/** A plan, its owner, and the answer to the call. */
export type Order<Answer> = {
  readonly principal: Principal;
  readonly plan: Plan;
  readonly once: Once | undefined;
  readonly answer: (made: readonly Environment[]) => Answer;
};

/** An environment of a plan, in its schema. */
export type Place = Plan["identities"][number] & store.Claimed;

export type Created<Answer> = { readonly places: readonly Place[]; readonly answer: Answer };

class NoReadySchema extends Error {}

export function createCreation(deps: {
  pool: Pool;
  schemaPool: SchemaPool;
  keys: Keys;
  metrics: Metrics;
  capacity: Capacity;
}) {
  const { pool, schemaPool, keys, metrics, capacity } = deps;

  /** Counts more environments of this key. Throws LimitExceeded. */
  async function countAgainstLimits(tx: Sql, principal: Principal, count: number): Promise<void> {
    const max = CONCURRENT_ENVIRONMENTS[principal.plan];
    if (Number.isFinite(max)) {
      await store.lockKey(tx, principal.keyId);
      const current = await store.countLive(tx, principal.keyId);
      if (current + count > max)
        throw new LimitExceeded("concurrent environment", max, current, RETRY_AFTER_SECONDS);
    }
    for (let n = 0; n < count; n++) await keys.countEnvironment(tx, principal);
  }

  /** Gives the environments of a plan their reserved schemas; without those, its only one gets a ready schema. */
  async function place(
    tx: Sql,
    plan: Plan,
    schemas: readonly string[] | undefined,
  ): Promise<readonly Place[]> {
    const { common, templateSchema, lineage } = plan;
    if (schemas) {
      const reserved = placed(plan, schemas);
      const expiresAt = await store.insertReserved(tx, common, reserved, lineage);
      if (!expiresAt) throw unavailable("The environments took too long to prepare");
      return reserved.map((each) => ({ ...each, expiresAt }));
    }
    const [identity] = plan.identities;
    const claimed = identity && (await store.claim(tx, templateSchema, { ...common, ...identity }));
    if (!claimed) throw new NoReadySchema();
    return [{ ...identity, ...claimed }];
  }

  /** Inserts the environments of an order, in the caller's transaction; a throw must roll it back. */
  async function insert<Answer extends object>(
    tx: Sql,
    { principal, plan, once, answer: answerOf }: Order<Answer>,
    schemas?: readonly string[],
  ): Promise<Created<Answer>> {
    const { common, identities, faults, counterparts } = plan;
    await once?.take(tx);
    if (keys.limited) await countAgainstLimits(tx, principal, identities.length);
    const ids = identities.map(({ environmentId }) => environmentId);
    const giveBack = await capacity.take(tx, ids);
    try {
      const places = await place(tx, plan, schemas);
      if (faults) await insertFaults(tx, ids, faults);
      if (counterparts) await giveCounterparts(tx, places, common.timing, counterparts);
      for (const each of places) await giveApps(tx, { ...plan.common, ...each }, plan.apps);
      const answer = answerOf(
        places.map((each) => viewCreated({ ...common, apps: plan.apps }, each)),
      );
      await once?.keep(tx, answer);
      return { places, answer };
    } catch (error) {
      giveBack();
      throw error;
    }
  }

  /** Without a key, limits, faults, counterparts and apps, one statement claims a schema and inserts the row. */
  const needsTransaction = ({ plan, once }: Order<object>) =>
    keys.limited ||
    once !== undefined ||
    plan.faults !== null ||
    plan.counterparts !== null ||
    plan.apps.length > 0;

  /** Undefined if no schema is ready. */
  async function createInReady<Answer extends object>(
    order: Order<Answer>,
  ): Promise<Created<Answer> | undefined> {
    try {
      if (!needsTransaction(order)) return await insert(pool, order);
      return await inTransaction(pool, (tx) => insert(tx, order));
    } catch (error) {
      if (error instanceof NoReadySchema) return undefined;
      throw error;
    }
  }

  /** In these schemas, which go back to the pool if it fails. */
  const createIn = <Answer extends object>(order: Order<Answer>, schemas: readonly string[]) =>
    schemaPool.using(schemas, () => inTransaction(pool, (tx) => insert(tx, order, schemas)));

  return {
    insert,

    /** Creates the environment of a plan for one: in a ready schema, else in one that is made for it. */
    async createOne<Answer extends object>(order: Order<Answer>): Promise<Created<Answer>> {
      const started = performance.now();
      let source: "pool" | "build" = "pool";
      let created = await createInReady(order);
      if (!created) {
        const reserved = await schemaPool.reserveOne(order.plan.templateSchema);
        ({ source } = reserved);
        created = await createIn(order, [reserved.schema]);
      }
      const seconds = (performance.now() - started) / 1000;
      metrics.environmentCreateSeconds.observe({ source }, seconds);
      return created;
    },

    /** Creates all environments of a plan at the same time, or none. */
    async createAll<Answer extends object>(order: Order<Answer>): Promise<Created<Answer>> {
      const { templateSchema, identities } = order.plan;
      await capacity.require(identities.length); // before schemas are built for them
      return await createIn(order, await schemaPool.reserve(templateSchema, identities.length));
    },
  };
}
