/** `diorama doctor`: checks settings and database without serving. */
import type { Environment } from "~/commands/client";
import { withDatabase } from "~/commands/database";
import { warningsOf } from "~/config";
import { checkDatabase, requireKnownTargets } from "~/doctor";
import { print } from "~/log";

export async function doctor(env: Environment): Promise<void> {
  await withDatabase(env, "doctor", async (pool, config) => {
    for (const warning of warningsOf(env, config)) print(`warning: ${warning}`);
    const { plugin, warnings } = await checkDatabase(pool, config);
    for (const warning of warnings) print(`warning: ${warning}`);
    await requireKnownTargets(pool, config);
    print(
      config.LOGICAL_REPLICATION_ENABLED
        ? `ok: changes are captured with ${plugin}`
        : "ok: changes are captured by snapshots",
    );
  });
}
