/** Servers do what is due in real time, in one environment as well as in another. */
import { beforeAll, expect, test } from "bun:test";
import { createLog } from "~/log";
import type { Environments } from "~/platform/environments/environments";
import { createWaking } from "~/platform/environments/waking";
import { eventually, openTransaction, useDatabase } from "../../support/database";
import { useProgram } from "../../support/program";
import { clock, type Environment, on, says } from "./people";

const database = useDatabase();
const program = useProgram(database);
const { open } = on(program);

const environments: Environment[] = [];
beforeAll(async () => {
  for (const _ of Array(3))
    environments.push(await open([says("later", { at: "PT1H" })], clock("running")));
  await program.program.stop(); // it would look, too
});

const wake = ({ environmentId }: Environment) => database.sql`
  update diorama.pending_actions set wakes_at = now() where environment_id = ${environmentId}
`;
const createLooking = (settle: (environmentId: string) => Promise<void>) =>
  createWaking({
    pool: database.sql,
    environments: {
      find: async (environmentId) =>
        ({ environmentId, state: "live" }) as Awaited<ReturnType<Environments["find"]>>,
    },
    acting: { settle: ({ environmentId }) => settle(environmentId) },
    log: createLog({ level: "error" }),
  });

test("an environment that takes long holds up a stop, and no other environment", async () => {
  const [slow, other] = environments as [Environment, Environment];
  const settled: string[] = [];
  const held = Promise.withResolvers<void>();
  const waking = createLooking(async (environmentId) => {
    settled.push(environmentId);
    if (environmentId === slow.environmentId) await held.promise;
  });
  await wake(slow);
  await eventually(() => expect(settled).toEqual([slow.environmentId]));
  await wake(slow); // it is under way
  await wake(other);
  await eventually(() => expect(settled).toEqual([slow.environmentId, other.environmentId]));
  const stopped = waking.stop().then(() => settled.push("stopped"));
  await Bun.sleep(50);
  expect(settled).toHaveLength(2);
  held.resolve();
  await stopped;
});

test("a stop waits for a look that has begun, and for what it finds", async () => {
  const [, , environment] = environments as [Environment, Environment, Environment];
  await wake(environment);
  const settled: string[] = [];
  const unlock = await openTransaction(
    database.sql,
    "lock table diorama.pending_actions in access exclusive mode",
  );
  const waking = createLooking(async (environmentId) => void settled.push(environmentId));
  await eventually(async () => {
    const waiting = await database.sql`
      select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()
    `;
    expect(waiting).not.toBeEmpty();
  });
  const stopped = waking.stop();
  await unlock();
  await stopped;
  expect(settled).toContain(environment.environmentId);
});
