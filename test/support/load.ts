/** Life cycles of environments, in several parallel sequences. */
import { clientOf } from "./program";

export type Lives = { done: number; failures: unknown[]; slowestMs: number };

const WRITES = 5;

/** Prints the figures of a long run on request. */
export const note = (text: string) => {
  if (process.env["CLUSTER_SECONDS"]) console.error(text);
};

/** Runs until `signal`; environments in progress are completed. */
export async function live(url: string, clients: number, signal: AbortSignal): Promise<Lives> {
  const server = clientOf(url);
  const lives: Lives = { done: 0, failures: [], slowestMs: 0 };

  const timed = async <T>(call: Promise<T>): Promise<T> => {
    const started = performance.now();
    const answer = await call;
    lives.slowestMs = Math.max(lives.slowestMs, performance.now() - started);
    return answer;
  };
  const require = (holds: boolean, what: string, found: unknown) => {
    if (!holds) throw new Error(`${what}: ${JSON.stringify(found)}`);
  };

  async function life(): Promise<void> {
    const environment = await timed(server.environment());
    const run = await timed(server.post("/startRun", { envId: environment.environmentId }));
    require(run.status === 201, "startRun", run);
    const sent = Array.from({ length: WRITES }, (_, n) => `${run.body.runId} ${n}`);
    for (const text of sent) {
      const said = server.chat(environment, "chat.postMessage", { channel: "C01GENERAL", text });
      const answer = await timed(said);
      require(answer.ok, "chat.postMessage", answer);
    }
    const ended = await timed(server.post("/diffRun", { runId: run.body.runId }));
    require(ended.status === 200, "diffRun", ended);
    const found = ended.body.diff.inserts.map(({ text }: { text: string }) => text);
    require(JSON.stringify(found) === JSON.stringify(sent), "diff", ended.body.diff);
    const gone = await timed(server.call("DELETE", `/env/${environment.environmentId}`));
    require(gone.status === 200, "delete", gone);
  }

  await Promise.all(
    Array.from({ length: clients }, async () => {
      while (!signal.aborted)
        try {
          await life();
          lives.done++;
        } catch (error) {
          lives.failures.push(error instanceof Error ? error.message : error);
          await Bun.sleep(50);
        }
    }),
  );
  return lives;
}
