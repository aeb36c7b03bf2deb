/** Creates, replaces and drops the slot, and fails the runs whose changes it can no longer deliver. */
import type { Loss } from "~/capture/loss";
import type { Records } from "~/capture/records";
import {
  createSlot,
  dropSlot,
  findSlot,
  type Plugin,
  RELEASE_ATTEMPTS,
  RELEASE_MS,
  type Slot,
  slotName,
} from "~/capture/slot";
import type { StreamEvent } from "~/capture/stream-events";
import type { Pool, Sql, Tx } from "~/db/connect";
import type { Log } from "~/log";

type Deps = {
  readonly pool: Pool;
  readonly plugin: Plugin;
  readonly runs: Records["runs"];
  readonly log: Log;
  readonly emit: (event: StreamEvent) => void;
};

export function createSlotUpkeep({ pool, plugin, runs, log, emit }: Deps) {
  const isUnused = async (tx: Tx) => !(await runs.hasActive(tx));

  /** Fails every run that is recorded from the log. */
  async function loseAll(sql: Sql, loss: Loss): Promise<void> {
    const by = await runs.lose(sql, "all", loss);
    if (by > 0) emit({ type: "lost", by, loss });
  }

  async function losingAll(tx: Tx, loss: Loss): Promise<true> {
    await loseAll(tx, loss);
    return true;
  }

  return {
    loseAll,

    /** Returns the slot, which is created if it is missing, lost, or unused and of another plugin. */
    async ensure(): Promise<Slot> {
      const name = await slotName(pool);
      let slot = await findSlot(pool, name);
      if (slot?.lost) {
        log.error("replication slot lost", { slot: name });
        await dropSlot(pool, name, (tx) => losingAll(tx, "slot_invalidated"));
        slot = undefined;
      }
      if (slot && slot.plugin !== plugin && (await dropSlot(pool, name, isUnused)))
        slot = undefined;
      if (slot) return slot;
      await createSlot(pool, name, plugin);
      const created = await findSlot(pool, name);
      if (!created) throw new Error("the slot that was just created does not exist");
      return created;
    },

    /** Drops an unused slot: of a server that died without runs, or of our own stream a moment ago. */
    async dropUnused(attempts = 1): Promise<void> {
      for (let attempt = 1; ; attempt++) {
        const slot = await findSlot(pool, await slotName(pool));
        if (!slot || (await runs.hasActive(pool))) return;
        if (!slot.active && (await dropSlot(pool, slot.name, isUnused))) return;
        if (attempt === attempts) return;
        await Bun.sleep(RELEASE_MS);
      }
    },

    /** Gives up the slot: the last resort if a transaction cannot be decoded and its schemas are unknown. */
    async giveUp(): Promise<void> {
      emit({ type: "count", what: "poison", by: 1 });
      for (let attempt = 0; attempt < RELEASE_ATTEMPTS; attempt++) {
        const name = await slotName(pool);
        if (await dropSlot(pool, name, (tx) => losingAll(tx, "undecodable_transaction"))) return;
        await Bun.sleep(RELEASE_MS);
      }
    },
  };
}
