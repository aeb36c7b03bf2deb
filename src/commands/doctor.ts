/** `diorama doctor`: checks settings and database without serving, and prints each finding. */
import type { Environment } from "~/commands/client";
import { withDatabase } from "~/commands/database";
import { askHealth } from "~/commands/health";
import { paint } from "~/commands/paint";
import { type Config, ConfigError, warningsOf } from "~/config";
import { requireFreePorts } from "~/http/ports";
import { notice, print } from "~/log";
import type { Check } from "~/program/check";
import { checkDatabase, requireKnownTargets } from "~/program/doctor";

export async function doctor(env: Environment): Promise<void> {
  await withDatabase(env, "doctor", async (pool, config) => {
    for (const warning of warningsOf(env, config))
      print(`${paint("yellow", "warning:")} ${warning}`);
    const taken = await checkPorts(config);
    const examine = async () => {
      await checkDatabase(pool, config, show);
      await requireKnownTargets(pool, config);
    };
    await examine().catch((error) => {
      for (const problem of taken?.problems ?? []) notice(problem);
      throw error;
    });
    if (taken) throw taken;
  });
}

/** Problems are errors of the command, which it ends with. */
function show({ found, warning, problem }: Check): void {
  if (warning !== undefined) print(`${paint("yellow", "warning:")} ${warning}`);
  else if (problem === undefined) print(`${paint("green", "ok:")} ${found}`);
}

/** Returns the problem if another program has a port. A server of Diorama may have them. */
async function checkPorts(config: Config): Promise<ConfigError | undefined> {
  const { HOST, PORT, ADMIN_PORT } = config;
  const ports = `PORT is ${PORT}${ADMIN_PORT === undefined ? "" : `, ADMIN_PORT is ${ADMIN_PORT}`}`;
  try {
    requireFreePorts(config);
    print(`${paint("green", "ok:")} ${ports}, free on ${HOST}`);
    return undefined;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const health = await askHealth(config);
    const answer: unknown = await health?.json().catch(() => undefined);
    if ((answer as { service?: unknown } | undefined)?.service !== "diorama") return error;
    print(`${paint("green", "ok:")} ${ports}, where a server is running`);
    return undefined;
  }
}
