/** Servers do what is due in real time, in one environment as well as in another. */
import { expect, test } from "bun:test";
import { createLog } from "~/log";
import type { Environments } from "~/platform/environments/environments";
import { createWaking } from "~/platform/environments/waking";
import { eventually, useDatabase } from "../../support/database";
import { useProgram } from "../../support/program";
import { clock, on, says } from "./people";

const database = useDatabase();
const program = useProgram(database);
const { open } = on(program);

test("an environment that takes long does not hold up another one", async () => {
  const rule = says("later", { at: "PT1H" });
  const [slow, other] = [
    await open([rule], clock("running")),
    await open([rule], clock("running")),
  ];
  await program.program.stop(); // it would look, too
  const wake = ({ environmentId }: { environmentId: string }) => database.sql`
    update diorama.pending_actions set wakes_at = now() where environment_id = ${environmentId}
  `;
  const settled: string[] = [];
  const held = Promise.withResolvers<void>();
  const waking = createWaking({
    pool: database.sql,
    environments: {
      find: async (environmentId) =>
        ({ environmentId, state: "live" }) as Awaited<ReturnType<Environments["find"]>>,
    },
    acting: {
      async settle({ environmentId }) {
        settled.push(environmentId);
        if (environmentId === slow.environmentId) await held.promise;
      },
    },
    log: createLog({ level: "error" }),
  });
  await wake(slow);
  await eventually(() => expect(settled).toEqual([slow.environmentId]));
  await wake(slow); // it is under way
  await wake(other);
  await eventually(() => expect(settled).toEqual([slow.environmentId, other.environmentId]));
  held.resolve();
  await waking.stop();
});
