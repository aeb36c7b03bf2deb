/** `diorama capture status|drop-slot`: for runbooks; servers may be using the database. */
import { dropSlot, findSlot, slotName } from "~/capture/slot";
import type { Environment } from "~/commands/client";
import { withDatabase } from "~/commands/database";
import { CommandError } from "~/commands/failure";
import type { Config } from "~/config";
import type { Pool, Tx } from "~/db/connect";
import { notice, print } from "~/log";
import { countRuns, readLogState } from "~/platform/metrics-store";
import { leader } from "~/platform/runs/leader-store";
import { lose } from "~/platform/runs/lifecycle-store";

const MEGABYTE = 2 ** 20;
const megabytes = (bytes: number) => `${(bytes / MEGABYTE).toFixed(1)} MB`;

export const capture = (env: Environment) => ({
  status: () => withDatabase(env, "capture command", status),
  drop: (force: boolean) => withDatabase(env, "capture command", (pool) => drop(pool, force)),
});

async function status(pool: Pool, config: Config): Promise<void> {
  const name = await slotName(pool);
  const slot = await findSlot(pool, name);
  const { state, epoch, instance } = await leader(pool);
  const log = await readLogState(pool);
  const { running, ending, holdSeconds } = await countRuns(pool);
  const facts = {
    slot: slot
      ? `${name}, ${slot.plugin}, ${slot.active ? "being read" : "not being read"}`
      : "none",
    "wal status": log?.walStatus ?? "none",
    leader: slot?.active ? `${instance}, epoch ${epoch}, ${state}` : "none",
    runs: `${running} running, ${ending} ending`,
    "oldest run": `${Math.round(holdSeconds)} s`,
    behind: `${megabytes(log?.lag ?? 0)} of ${megabytes(config.CAPTURE_WAL_BUDGET)}`,
    retained: megabytes(log?.retained ?? 0),
  };
  for (const [fact, value] of Object.entries(facts)) print(`${fact}:`.padEnd(12) + value);
}

/** For the end of a deployment, and before lowering `wal_level`: Postgres does not start with a slot that needs more. */
async function drop(pool: Pool, force: boolean): Promise<void> {
  const name = await slotName(pool);
  const slot = await findSlot(pool, name);
  if (!slot) return notice("there is no slot");
  if (slot.active) throw new CommandError(`${name} is being read; stop the servers first`);
  const { running, ending } = await countRuns(pool);
  if (running + ending > 0 && !force)
    throw new CommandError(
      `${running + ending} runs are active and would fail without the slot; --force drops it anyway`,
    );
  const losingAll = async (tx: Tx) => {
    await lose(tx, "all", "slot_dropped");
    return true;
  };
  if (!(await dropSlot(pool, name, losingAll))) throw new CommandError(`${name} is being read`);
  notice(`${name} is dropped`);
}
