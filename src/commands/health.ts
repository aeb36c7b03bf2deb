/** `diorama health`: asks the server that has the same settings. */
import type { Environment } from "~/commands/client";
import { EXIT_UNAVAILABLE } from "~/commands/failure";
import { readConfig } from "~/config";
import { print } from "~/log";

const TIMEOUT_MS = 2_000;

/** Returns the exit code. */
export async function health(env: Environment): Promise<number> {
  const { HOST, PORT } = readConfig(env);
  const address = ["0.0.0.0", "::"].includes(HOST) ? "127.0.0.1" : HOST;
  const answer = await fetch(`http://${address}:${PORT}/api/platform/health`, {
    signal: AbortSignal.timeout(TIMEOUT_MS),
  }).catch(() => undefined);
  print(answer ? await answer.text() : `nothing answers on ${address}:${PORT}`);
  return answer?.ok ? 0 : EXIT_UNAVAILABLE;
}
