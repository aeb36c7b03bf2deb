/**
 * The in-memory emulator that people would choose instead (npm `emulate`, of vercel-labs), as a process of Node: the
 * reference for the rates and costs of calls. It keeps nothing, checks little and isolates nothing.
 */
import { join } from "node:path";
import { freePort } from "../postgres";

export type Emulator = {
  readonly pid: number;
  /** One call. Throws unless it succeeds. */
  readonly post: (path: string, body: object) => Promise<Record<string, unknown>>;
  readonly stop: () => Promise<void>;
};

const ROOT = join(import.meta.dir, "../..");
/** It rejects a token's 5,000th call of an hour. */
const CALLS_PER_TOKEN = 4_900;
const TOKENS = 400;
const START_MS = 20_000;

const seed = {
  slack: {
    team: { name: "Bench", domain: "bench" },
    users: [{ name: "agent", real_name: "Agent", email: "agent@bench.test" }],
    channels: [{ name: "general" }],
  },
  linear: {
    organization: { name: "Bench", url_key: "bench" },
    users: [{ email: "agent@bench.test", name: "Agent", admin: true }],
    teams: [{ key: "ENG", name: "Engineering", states: [{ name: "Todo", type: "unstarted" }] }],
    labels: [{ name: "Bug", color: "#d92d20", team: "ENG" }],
    tokens: Array.from({ length: TOKENS }, (_, n) => ({
      token: `lin_bench_${n}`,
      user: "agent@bench.test",
      scopes: ["read", "write", "issues:create", "comments:create", "admin"],
    })),
  },
};

/** In the process of the emulator. Its command line needs a newer Node than its library. */
const PROGRAM = `
  import { createEmulator } from "emulate";
  const [service, port, seed] = process.argv.slice(1);
  await createEmulator({ service, port: Number(port), seed: JSON.parse(seed) });
`;

/** The reason why the emulator cannot run here; undefined if it can. */
export const emulatorIsMissing = (): string | undefined =>
  Bun.which("node") ? undefined : "the emulator needs Node, which is not on this machine";

export async function startEmulator(service: "slack" | "linear"): Promise<Emulator> {
  const missing = emulatorIsMissing();
  if (missing !== undefined) throw new Error(missing);
  const port = await freePort();
  const child = Bun.spawn(
    [
      ...["node", "--input-type=module", "--eval", PROGRAM, "--"],
      ...[service, String(port), JSON.stringify(seed)],
    ],
    { cwd: ROOT, stdout: "ignore", stderr: "ignore" },
  );
  const url = `http://127.0.0.1:${port}`;
  let calls = 0;
  const stop = async () => {
    child.kill();
    await child.exited;
  };

  async function post(path: string, body: object): Promise<Record<string, unknown>> {
    const token = Math.floor(calls++ / CALLS_PER_TOKEN);
    const response = await fetch(url + path, {
      method: "POST",
      headers: {
        Authorization: service === "slack" ? `Bearer xoxb-bench-${token}` : `lin_bench_${token}`,
        "Content-Type": "application/json; charset=utf-8",
      },
      body: JSON.stringify(body),
    });
    const answer = (await response.json()) as Record<string, unknown>;
    if (!response.ok || answer["ok"] === false || answer["errors"])
      throw new Error(`the emulator, ${path}: ${response.status} ${JSON.stringify(answer)}`);
    return answer;
  }

  const deadline = performance.now() + START_MS;
  while (!(await fetch(url).catch(() => undefined))) {
    if (child.exitCode !== null || performance.now() > deadline) {
      await stop();
      throw new Error("the emulator did not start");
    }
    await Bun.sleep(20);
  }
  return { pid: child.pid, post, stop };
}
