/** Reset and snapshots: an environment returns to its template, or to a state that it was in. */
import type { Pool, Tx } from "~/db/connect";
import { resetClone } from "~/db/deltas";
import { together } from "~/db/session";
import { LimitExceeded } from "~/errors";
import type { Acting } from "~/platform/environments/acting";
import { restartCounterparts } from "~/platform/environments/actions";
import { continued, readClock } from "~/platform/environments/clock";
import { setClock } from "~/platform/environments/clock-store";
import type { NewSnapshot, Reset } from "~/platform/environments/control-model";
import type { RunClosing } from "~/platform/environments/ending-store";
import type { Environments } from "~/platform/environments/environments";
import type { Exclusive } from "~/platform/environments/exclusive";
import { notFound } from "~/platform/environments/id";
import * as store from "~/platform/environments/snapshots-store";
import { createStates } from "~/platform/environments/states";
import { restart } from "~/platform/faults/store";
import type { Once } from "~/platform/idempotency/idempotency";
import { resetEvents } from "~/platform/outbox/noted";
import type { Templates } from "~/platform/templates/templates";
import type { Principal } from "~/principal";
import type { NewId } from "~/source";

export type Snapshots = ReturnType<typeof createSnapshots>;

/** Of an environment and its forks together. */
const SNAPSHOTS_PER_FAMILY_MAX = 200;
const SNAPSHOTS_PER_KEY_MAX = 2_000;

export function createSnapshots(deps: {
  pool: Pool;
  environments: Environments;
  templates: Templates;
  exclusive: Exclusive;
  acting: Pick<Acting, "settled">;
  runClosing: RunClosing;
  /** Announces the tables of a new schema to capture, in the transaction that builds it. */
  onBuild: (tx: Tx, schema: string) => Promise<void>;
  /** Removes the copy of a closed run that compares snapshots. */
  discard: (tx: Tx, runId: string, schema: string) => Promise<void>;
  /** Writes the calls that this server has answered into the journals. */
  flushJournal: () => Promise<void>;
  newId: NewId;
}) {
  const { pool, environments, exclusive, acting, runClosing, onBuild, discard, newId } = deps;
  const states = createStates(deps);

  return {
    /** Returns the state that a fork begins with. */
    state: states.state,

    /** Returns an environment to its template or to a snapshot. Its running run ends without a verdict. */
    async reset(userId: string, envId: string, { snapshotId }: Reset, once?: Once) {
      const environment = await environments.requirePath(userId, envId);
      const { environmentId: id, schemaName } = environment;
      return await exclusive.run(environment, async (tx) => {
        await once?.take(tx);
        const state =
          snapshotId === undefined ? undefined : await states.require(tx, id, snapshotId);
        const locked = await store.lockForReset(tx, id, snapshotId ?? null, runClosing);
        if (!locked) throw notFound();
        const blueprint = await states.blueprintOf(state ?? locked.base);
        if (locked.closed?.capture === "snapshot")
          await discard(tx, locked.closed.runId, schemaName);
        const fresh = await resetClone(tx, blueprint, locked, state?.delta, onBuild);
        const { timing } = locked;
        const { reading, calls } = state ?? { reading: timing.firstClock, calls: 0 };
        const resumed = continued(timing, reading, calls);
        await together([
          store.setFresh(tx, schemaName, blueprint.schema, fresh),
          setClock(tx, id, resumed),
          locked.faults && restart(tx, id),
        ]);
        await resetEvents(tx, environment);
        await restartCounterparts(tx, environment, resumed, state?.actions ?? 0);
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
      // Nobody does after a reset to it what calls have set off before it.
      return await acting.settled(environment, async (tx) => {
        await once?.take(tx);
        const locked = await store.lock(tx, id);
        if (!locked) throw notFound();
        const { clock, calls } = locked.timing;
        const { rows, ...kept } = await states.read(tx, principal.keyId, locked);
        const snapshot = {
          snapshotId: newId(),
          environmentId: id,
          keyId: principal.keyId,
          name: name ?? null,
          rows,
          ...kept,
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
          atCall,
          rows,
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
