/** `diorama health`: asks the server that has the same settings. */
import type { Environment } from "~/commands/client";
import { EXIT_UNAVAILABLE } from "~/commands/failure";
import { type Config, readConfig } from "~/config";
import { print } from "~/log";

const TIMEOUT_MS = 2_000;

const addressOf = ({ HOST, PORT }: Config) =>
  `${["0.0.0.0", "::"].includes(HOST) ? "127.0.0.1" : HOST}:${PORT}`;

/** The answer of the server that has these settings; undefined if nothing answers. */
export const askHealth = async (config: Config): Promise<Response | undefined> =>
  await fetch(`http://${addressOf(config)}/api/platform/health`, {
    signal: AbortSignal.timeout(TIMEOUT_MS),
  }).catch(() => undefined);

/** Returns the exit code. */
export async function health(env: Environment): Promise<number> {
  const config = readConfig(env);
  const answer = await askHealth(config);
  print(answer ? await answer.text() : `nothing answers on ${addressOf(config)}`);
  return answer?.ok ? 0 : EXIT_UNAVAILABLE;
}
