/** States of environments: the current one, that of a snapshot, and the template that either is a difference from. */

import { type Blueprint, readBlueprintIn } from "~/db/blueprint";
import type { Pool, Sql, Tx } from "~/db/connect";
import { asUnknown, countDifferences, type Delta, readDelta } from "~/db/deltas";
import { buildClone } from "~/db/schemas";
import { ApiError, LimitExceeded } from "~/errors";
import { find as findCounterparts } from "~/platform/counterparts/store";
import type { Acting } from "~/platform/environments/acting";
import { beginning, type CounterpartPlan, keptActions } from "~/platform/environments/actions";
import { continued } from "~/platform/environments/clock";
import type { Timing } from "~/platform/environments/clock-model";
import { notFound } from "~/platform/environments/id";
import * as store from "~/platform/environments/snapshots-store";
import type { EnvironmentRow } from "~/platform/environments/store";
import { type FaultState, find as findFaults, newState } from "~/platform/faults/store";
import type { Templates } from "~/platform/templates/templates";
import { randomId } from "~/source";

/** Larger differences from the template are copied whole, as a hidden template. */
export const SNAPSHOT_DELTA_MAX = { rows: 20_000, bytes: 32 * 1024 * 1024 };
const LARGE_PER_FAMILY_MAX = 20;
const LARGE_PER_KEY_MAX = 200;
const NOTHING: Delta = { tables: [], sequences: [] };

/** The state that a fork begins with. */
type Origin = Pick<
  store.State,
  "delta" | "templateSchema" | "familyId" | "snapshotId" | "atCall"
> & {
  readonly blueprint: Blueprint;
  readonly timing: Timing;
  readonly faults: FaultState | null;
  readonly counterparts: CounterpartPlan | null;
};

/** A state that is kept. */
type Kept = Pick<store.State, "templateSchema" | "delta"> & {
  /** That differ from the template. */
  readonly rows: number;
};

export function createStates(deps: {
  pool: Pool;
  templates: Templates;
  acting: Pick<Acting, "settled">;
  /** Writes the calls that this server has answered into the journals. */
  flushJournal: () => Promise<void>;
}) {
  const { pool, templates, acting, flushJournal } = deps;

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
    const flushed = flushJournal();
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
    const schemaName = `tpl_large_${randomId()}`;
    const { ofFamily, ofKey } = await store.insertHidden(tx, {
      schemaName,
      keyId,
      familyId: locked.familyId,
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

  /** Returns a snapshot that this environment can return to. Throws `invalid_request`. */
  async function require(sql: Sql, envId: string, snapshotId: string): Promise<store.State> {
    const state = await store.findState(sql, envId, snapshotId);
    if (state) return state;
    throw new ApiError(
      "invalid_request",
      "snapshotId: neither this environment nor one of its family has such a snapshot",
    );
  }

  return {
    require,
    blueprintOf,
    read,

    /** Returns the state of a snapshot, or the current one, between two of the environment's calls. */
    async state(
      keyId: string,
      environment: EnvironmentRow,
      snapshotId: string | undefined,
    ): Promise<Origin> {
      const { environmentId: id } = environment;
      if (snapshotId !== undefined) {
        const state = await require(pool, id, snapshotId);
        const timing = continued(state.timing, state.reading, state.calls);
        const current = await findFaults(pool, id);
        const faults = current && newState(current.faults);
        const now = await findCounterparts(pool, id);
        const rules = now?.rules ?? [];
        const counterparts =
          now || state.actions > 0 ? beginning(rules, timing, state.actions) : null;
        return { ...state, timing, faults, counterparts, blueprint: await blueprintOf(state) };
      }
      // Nobody does in a fork what calls have set off before it.
      const state = await acting.settled(environment, async (tx) => {
        const locked = await store.lock(tx, id);
        if (!locked) throw notFound();
        const kept = await read(tx, keyId, locked);
        const found = await findCounterparts(tx, id);
        const counterparts = found && { ...found, pending: await keptActions(tx, id) };
        return { ...locked, ...kept, counterparts, atCall: await store.countCalls(tx, id) };
      });
      return { ...state, blueprint: await templates.blueprint(state.templateSchema) };
    },
  };
}
