/** A server of one's own: started, awaited, and stopped. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";

export type LocalOptions = {
  /**
   * Program and arguments. Default: `diorama`, the binary on the PATH. In a checkout, `["./scripts/start"]` also starts
   * a Postgres.
   */
  readonly command?: readonly string[];
  /** Environment variables in addition to those of this process, such as `DATABASE_URL`. */
  readonly env?: { readonly [name: string]: string };
  /** Time limit of the start. Default: 120. */
  readonly startSeconds?: number;
};

const POLL_MS = 100;
const STOP_MS = 10_000;
/** Characters of the server's output to show if it does not start. */
const OUTPUT_MAX = 4_000;

/** Starts a server on a free port of this machine. Throws with its output if it does not become ready. */
export async function startServer(options: LocalOptions) {
  const { command: [program = "diorama", ...args] = [], env, startSeconds = 120 } = options;
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const child = spawn(program, args, {
    env: { ...process.env, ...env, PORT: `${port}` },
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  let output = "";
  const keep = (chunk: unknown) => {
    output = (output + chunk).slice(-OUTPUT_MAX);
  };
  child.stdout.on("data", keep);
  child.stderr.on("data", keep);
  let failure: Error | undefined;
  child.on("error", (error) => {
    failure = error;
  });
  const hasEnded = () =>
    failure !== undefined || child.exitCode !== null || child.signalCode !== null;
  /** The whole process group: the command may be a script. */
  const kill = (signal: "SIGTERM" | "SIGKILL") => {
    if (child.pid !== undefined && !hasEnded()) process.kill(-child.pid, signal);
  };
  const killNow = () => kill("SIGKILL");
  process.once("exit", killNow);

  async function stop(): Promise<void> {
    process.off("exit", killNow);
    if (hasEnded()) return;
    const ended = once(child, "exit");
    kill("SIGTERM");
    const timer = setTimeout(killNow, STOP_MS);
    await ended;
    clearTimeout(timer);
  }

  const deadline = Date.now() + startSeconds * 1000;
  while (!(await isReady(url))) {
    if (hasEnded() || Date.now() > deadline) {
      await stop();
      throw new Error(`${program} did not start: ${failure?.message ?? output.trim()}`, {
        cause: failure,
      });
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  return { url, stop };
}

async function isReady(url: string): Promise<boolean> {
  const response = await fetch(`${url}/readyz`).catch(() => undefined);
  await response?.body?.cancel();
  return response?.ok === true;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  if (address === null || typeof address === "string") throw new Error("no free port");
  return address.port;
}
