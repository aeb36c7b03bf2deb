/** Reset and snapshots: an environment returns to its template, or to a state that it was in. */
import type { Pool, Sql, Tx } from "~/db/connect";
import { asUnknown, countDifferences, type Delta, readDelta, resetClone } from "~/db/deltas";
import { type Blueprint, buildClone, readBlueprintIn } from "~/db/schemas";
import { together } from "~/db/session";
import { ApiError, LimitExceeded } from "~/errors";
import type { Principal } from "~/http/auth";
import { continued, readClock } from "~/platform/environments/clock";
import { setClock } from "~/platform/environments/clock-store";
import type { NewSnapshot, Reset } from "~/platform/environments/control-model";
import type { Environments } from "~/platform/environments/environments";
import type { Exclusive } from "~/platform/environments/exclusive";
import { notFound } from "~/platform/environments/id";
import type { Timing } from "~/platform/environments/model";
import * as store from "~/platform/environments/snapshots-store";
import type { RunClosing } from "~/platform/environments/store";
import { type FaultState, find as findFaults, newState, restart } from "~/platform/faults/store";
import type { Once } from "~/platform/keys/idempotency";
import type { Templates } from "~/platform/templates/templates";

export type Snapshots = ReturnType<typeof createSnapshots>;

/** Larger differences from the template are copied whole, as a hidden template. */
export const SNAPSHOT_DELTA_MAX = { rows: 20_000, bytes: 32 * 1024 * 1024 };
export const LARGE_PER_FAMILY_MAX = 20;
export const LARGE_PER_KEY_MAX = 200;
const NOTHING: Delta = { tables: [], sequences: [] };
/** Of an environment and its forks together. */
export const SNAPSHOTS_PER_FAMILY_MAX = 200;
export const SNAPSHOTS_PER_KEY_MAX = 2_000;

/** The state that a fork begins with. */
type Origin = Pick<
  store.State,
  "delta" | "templateSchema" | "familyId" | "snapshotId" | "atCall"
> & {
  readonly blueprint: Blueprint;
  readonly timing: Timing;
  readonly faults: FaultState | null;
};

/** A state that is kept. */
type Kept = Pick<store.State, "templateSchema" | "delta"> & {
  /** That differ from the template. */
  readonly rows: number;
};

const newId = () => crypto.randomUUID().replaceAll("-", "");

export function createSnapshots(deps: {
  pool: Pool;
  environments: Environments;
  templates: Templates;
  exclusive: Exclusive;
  runClosing: RunClosing;
  /** Announces the tables of a new schema to capture, in the transaction that builds it. */
  onBuild: (tx: Tx, schema: string) => Promise<void>;
  /** Removes the copy of a closed run that compares snapshots. */
  discard: (tx: Tx, runId: string, schema: string) => Promise<void>;
  /** Writes the calls that this server has answered into the journals. */
  flushJournal: () => Promise<void>;
}) {
  const { pool, environments, templates, exclusive, runClosing, onBuild, discard } = deps;

  /** Returns the blueprint of a template. Throws `template_not_found` if that has been replaced. */
  async function blueprintOf({ templateSchema, current }: store.Base): Promise<Blueprint> {
    if (current) return await templates.blueprint(templateSchema);
    throw new ApiError(
      "template_not_found",
      "The environment's template has been replaced since; create a new environment",
    );
  }

  /** Reads an environment's state: the difference from its template, or a copy if that is too large. */
  async function read(tx: Tx, keyId: string, locked: store.Locked): Promise<Kept> {
    const flushed = deps.flushJournal();
    const { templateSchema } = locked;
    const { delta, size } = await readDelta(
      tx,
      await blueprintOf(locked),
      locked,
      SNAPSHOT_DELTA_MAX,
    );
    await flushed;
    if (delta) return { templateSchema, delta, rows: await countRows(tx, locked, size.rows) };
    // A server of an earlier version, which does not know these schemas, leaves such names alone.
    const schemaName = `tpl_large_${newId()}`;
    const { ofFamily, ofKey } = await store.insertHidden(tx, {
      ...{ schemaName, keyId, familyId: locked.familyId },
      baseSchema: locked.base.templateSchema,
    });
    if (ofFamily >= LARGE_PER_FAMILY_MAX)
      throw new LimitExceeded("environment snapshot", LARGE_PER_FAMILY_MAX, ofFamily);
    if (ofKey >= LARGE_PER_KEY_MAX)
      throw new LimitExceeded("key snapshot", LARGE_PER_KEY_MAX, ofKey);
    await buildClone(tx, await readBlueprintIn(tx, locked.schema), schemaName);
    const rows = await countRows(tx, locked, undefined);
    return { templateSchema: schemaName, delta: NOTHING, rows };
  }

  /** Counts the rows that differ from the environment's own template. `known`: from the one it was cloned from. */
  async function countRows(
    tx: Tx,
    { base, ...locked }: store.Locked,
    known: number | undefined,
  ): Promise<number> {
    const isOwn = base.templateSchema === locked.templateSchema;
    if (known !== undefined && (isOwn || !base.current)) return known;
    const blueprint = await blueprintOf(base.current ? base : locked);
    return await countDifferences(tx, blueprint, isOwn ? locked : asUnknown(locked));
  }

  return {
    /** Returns a snapshot that this environment can return to. Throws `invalid_request`. */
    async find(sql: Sql, envId: string, snapshotId: string): Promise<store.State> {
      const state = await store.findState(sql, envId, snapshotId);
      if (state) return state;
      throw new ApiError(
        "invalid_request",
        "snapshotId: neither this environment nor one of its family has such a snapshot",
      );
    },

    /** Returns the state of a snapshot, or the current one, between two of the environment's calls. */
    async state(
      keyId: string,
      environment: { environmentId: string; schemaName: string },
      snapshotId: string | undefined,
    ): Promise<Origin> {
      const { environmentId: id } = environment;
      if (snapshotId !== undefined) {
        const state = await this.find(pool, id, snapshotId);
        const timing = continued(state.timing, state.reading, state.calls);
        const current = await findFaults(pool, id);
        const faults = current && newState(current.faults);
        return { ...state, timing, faults, blueprint: await blueprintOf(state) };
      }
      const state = await exclusive.run(environment, async (tx) => {
        const locked = await store.lock(tx, id);
        if (!locked) throw notFound();
        const kept = await read(tx, keyId, locked);
        return { ...locked, ...kept, atCall: await store.countCalls(tx, id) };
      });
      return { ...state, blueprint: await templates.blueprint(state.templateSchema) };
    },

    /** Returns an environment to its template or to a snapshot. Its running run ends without a verdict. */
    async reset(userId: string, envId: string, { snapshotId }: Reset, once?: Once) {
      const environment = await environments.requirePath(userId, envId);
      const { environmentId: id, schemaName } = environment;
      return await exclusive.run(environment, async (tx) => {
        await once?.take(tx);
        const state = snapshotId === undefined ? undefined : await this.find(tx, id, snapshotId);
        const locked = await store.lockForReset(tx, id, snapshotId ?? null, runClosing);
        if (!locked) throw notFound();
        const blueprint = await blueprintOf(state ?? locked.base);
        if (locked.closed?.capture === "snapshot")
          await discard(tx, locked.closed.runId, schemaName);
        const fresh = await resetClone(tx, blueprint, locked, state?.delta, onBuild);
        const { timing } = locked;
        const { reading, calls } = state ?? { reading: timing.firstClock, calls: 0 };
        await together([
          store.setFresh(tx, schemaName, blueprint.schema, fresh),
          setClock(tx, id, continued(timing, reading, calls)),
          locked.faults && restart(tx, id),
        ]);
        const answer = {
          environmentId: id,
          snapshotId: snapshotId ?? null,
          closedRunId: locked.closed?.runId ?? null,
        };
        await once?.keep(tx, answer);
        return answer;
      });
    },

    /** Takes a snapshot between two of the environment's calls. A run does not notice it. */
    async take(principal: Principal, envId: string, { name }: NewSnapshot, once?: Once) {
      const environment = await environments.requirePath(principal.userId, envId);
      const { environmentId: id } = environment;
      return await exclusive.run(environment, async (tx) => {
        await once?.take(tx);
        const locked = await store.lock(tx, id);
        if (!locked) throw notFound();
        const { clock, calls } = locked.timing;
        const { rows, ...kept } = await read(tx, principal.keyId, locked);
        const snapshot = {
          snapshotId: newId(),
          environmentId: id,
          keyId: principal.keyId,
          name: name ?? null,
          ...{ rows, ...kept },
          reading: clock && readClock(clock, calls),
        };
        const stored = await store.insert(tx, locked, snapshot, {
          ofFamily: SNAPSHOTS_PER_FAMILY_MAX,
          ofKey: SNAPSHOTS_PER_KEY_MAX,
        });
        const { at, atCall } = stored;
        if (at === null || atCall === null) throw limitReached(stored);
        const answer = {
          snapshotId: snapshot.snapshotId,
          environmentId: id,
          parent: locked.snapshotId,
          ...(name !== undefined && { name }),
          at: at.toISOString(),
          ...{ atCall, rows },
        };
        await once?.keep(tx, answer);
        return answer;
      });
    },

    /** Lists the snapshots of an environment and its family, oldest first: `parent` makes them a tree. */
    async list(userId: string, envId: string) {
      const { environmentId: id } = await environments.requirePath(userId, envId);
      const rows = await store.list(pool, id);
      return {
        snapshots: rows.map((row) => ({
          snapshotId: row.snapshotId,
          environmentId: row.environmentId,
          parent: row.parentId,
          ...(row.name !== null && { name: row.name }),
          at: row.createdAt.toISOString(),
          atCall: row.atCall,
          rows: row.rowCount,
        })),
      };
    },
  };
}

function limitReached({ ofFamily, ofKey }: store.Stored): LimitExceeded {
  return ofFamily >= SNAPSHOTS_PER_FAMILY_MAX
    ? new LimitExceeded("environment snapshot", SNAPSHOTS_PER_FAMILY_MAX, ofFamily)
    : new LimitExceeded("key snapshot", SNAPSHOTS_PER_KEY_MAX, ofKey);
}
