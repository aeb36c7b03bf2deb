/** Servers as separate processes, which tests can kill. */
import { afterAll, beforeAll } from "bun:test";
import { join } from "node:path";
import { freePort } from "../../scripts/postgres";
import { readDocument } from "./contract";
import type { TestDatabase } from "./database";
import { eventually } from "./database";
import { clientOf, type TestProgram } from "./program";

const ROOT = join(import.meta.dir, "../..");

export type ServerProcess = TestProgram & {
  readonly pid: number;
  kill(signal?: NodeJS.Signals): void;
  readonly exited: Promise<number>;
  /** Its output. */
  output(): string;
  /** Waits until it serves. Throws if it has ended, or after `seconds`. */
  ready(seconds?: number): Promise<void>;
};

export type Launch = {
  /** Words before the command: another clock, fewer file descriptors. */
  readonly prefix?: readonly string[];
  /** A module to load before the sources, by its path. */
  readonly preload?: string;
  /** In place of `serve`. */
  readonly args?: readonly string[];
};

const SOURCES = join(ROOT, "src/main.ts");
/** The program from source, or the binary under test. */
const PROGRAM = process.env["DIORAMA_BINARY"] ? [process.env["DIORAMA_BINARY"]] : ["bun", SOURCES];

const READY_SECONDS = 120;

/** Starts the program in a process, without waiting until it serves. */
export async function launch(
  database: Pick<TestDatabase, "url">,
  settings: Record<string, string> = {},
  { prefix = [], preload, args = [] }: Launch = {},
): Promise<ServerProcess> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const program = preload ? ["bun", "--preload", preload, SOURCES] : PROGRAM;
  const child = Bun.spawn([...prefix, ...program, ...args], {
    cwd: ROOT,
    env: {
      ...process.env,
      DATABASE_URL: database.url,
      PORT: String(port),
      LOG_LEVEL: "warn",
      SHUTDOWN_DELAY: "0",
      ENVIRONMENT_POOL_TARGETS: "chat_default:1",
      ...settings,
    },
    stdout: "pipe",
    stderr: "pipe",
  });
  let output = "";
  const reading = Promise.allSettled(
    [child.stdout, child.stderr].map(async (stream) => {
      const decoder = new TextDecoder();
      for await (const chunk of stream) output += decoder.decode(chunk);
    }),
  );
  // A module may add services, which other servers' documents do not have.
  const client = clientOf(url, preload ? { read: readDocument } : {});
  return Object.assign(Object.create(client), {
    pid: child.pid,
    kill: (signal: NodeJS.Signals = "SIGKILL") => child.kill(signal),
    // Its last lines may arrive after its end.
    exited: reading.then(() => child.exited),
    output: () => output,
    ready: (seconds = READY_SECONDS) =>
      eventually(async () => {
        if (child.exitCode !== null)
          throw new Error(`the server ended with ${child.exitCode}: ${output}`);
        const health = await fetch(`${url}/api/platform/health`);
        if (!health.ok) throw new Error(`health is ${health.status}`);
      }, seconds),
  });
}

/** Starts the program in a process and waits until it serves. */
export async function startProcess(...args: Parameters<typeof launch>): Promise<ServerProcess> {
  const server = await launch(...args);
  await server.ready();
  return server;
}

/** Declares two servers on one database. Tests may kill them, and put others in their places. */
export function useServers(database: TestDatabase, settings: Record<string, string>) {
  const servers: ServerProcess[] = [];
  beforeAll(async () => {
    for (let place = 0; place < 2; place++) servers.push(await startProcess(database, settings));
  });
  afterAll(async () => {
    for (const server of servers) server.kill("SIGTERM");
    await Promise.all(servers.map(({ exited }) => exited));
  });
  return servers;
}
