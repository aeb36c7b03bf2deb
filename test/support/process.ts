/** Servers as processes of their own, to be killed. */
import { join } from "node:path";
import { freePort } from "../../scripts/postgres";
import type { TestDatabase } from "./database";
import { eventually } from "./database";
import { clientOf, type TestProgram } from "./program";

const ROOT = join(import.meta.dir, "../..");

export type ServerProcess = TestProgram & {
  readonly pid: number;
  kill(signal?: NodeJS.Signals): void;
  readonly exited: Promise<number>;
  /** What it has printed. */
  output(): string;
};

/** The sources, or the binary that is to be tested in their place. */
const PROGRAM = process.env["DIORAMA_BINARY"]
  ? [process.env["DIORAMA_BINARY"]]
  : ["bun", join(ROOT, "src/main.ts")];

/** Starts the program in a process and waits until it serves. */
export async function startProcess(
  database: Pick<TestDatabase, "url">,
  settings: Record<string, string> = {},
): Promise<ServerProcess> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const child = Bun.spawn(PROGRAM, {
    cwd: ROOT,
    env: {
      ...process.env,
      DATABASE_URL: database.url,
      PORT: String(port),
      LOG_LEVEL: "warn",
      ENVIRONMENT_POOL_TARGETS: "chat_default:2",
      ...settings,
    },
    stdout: "pipe",
    stderr: "ignore",
  });
  let output = "";
  const reading = (async () => {
    const decoder = new TextDecoder();
    for await (const chunk of child.stdout) output += decoder.decode(chunk);
  })();
  reading.catch(() => undefined);
  await eventually(async () => {
    if (child.exitCode !== null)
      throw new Error(`the server ended with ${child.exitCode}: ${output}`);
    const health = await fetch(`${url}/api/platform/health`);
    if (!health.ok) throw new Error(`health is ${health.status}`);
  }, 20);
  return Object.assign(Object.create(clientOf(url)), {
    pid: child.pid,
    kill: (signal: NodeJS.Signals = "SIGKILL") => child.kill(signal),
    exited: child.exited,
    output: () => output,
  });
}
