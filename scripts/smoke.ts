/**
 * Starts Diorama and runs the story with it.
 *
 *   bun run smoke            the compiled binary, in an empty folder, with every way of capture that this Postgres supports
 *   bun run smoke --demo     the sources; prints each step
 *
 * Needs DATABASE_URL; `bun run db run …` sets it.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import postgres from "postgres";
import { freePort } from "./postgres";
import { comparable, playStory } from "./story";

const ROOT = join(import.meta.dir, "..");
const demo = process.argv.includes("--demo");
const program = demo ? ["bun", join(ROOT, "src/main.ts")] : [join(ROOT, "dist/diorama")];

const START_MS = 30_000;

/** Runs a server while `use` runs. */
async function withServer<T>(
  settings: Record<string, string>,
  use: (url: string) => Promise<T>,
): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), "diorama-"));
  const port = await freePort();
  const server = Bun.spawn(program, {
    cwd: demo ? ROOT : folder,
    env: {
      ...process.env,
      PORT: String(port),
      LOG_LEVEL: "warn",
      ENVIRONMENT_POOL_TARGETS: "chat_default:2",
      ...settings,
    },
    stdout: "inherit",
    stderr: "ignore",
  });
  const url = `http://127.0.0.1:${port}`;
  try {
    const deadline = performance.now() + START_MS;
    while (
      !(await fetch(`${url}/api/platform/health`).then(
        ({ ok }) => ok,
        () => false,
      ))
    ) {
      if (performance.now() > deadline || server.exitCode !== null)
        throw new Error("the server did not start");
      await Bun.sleep(50);
    }
    return await use(url);
  } finally {
    server.kill("SIGTERM");
    await server.exited;
    await rm(folder, { recursive: true, force: true });
  }
}

async function tellAloud(): Promise<void> {
  await withServer({}, async (url) => {
    for (const { title, answer } of (await playStory(url)).steps)
      console.log(`\n── ${title}\n${JSON.stringify(answer, null, 2)}`);
  });
}

/** wal2json only if this Postgres has it. */
async function waysToCapture(): Promise<Record<string, string>[]> {
  const sql = postgres(process.env["DATABASE_URL"] ?? "", { max: 1, onnotice: () => {} });
  const ways: Record<string, string>[] = [
    { CAPTURE_PLUGIN: "pgoutput" },
    { LOGICAL_REPLICATION_ENABLED: "false" },
  ];
  try {
    await sql`select pg_create_logical_replication_slot('diorama_smoke', 'wal2json', true)`;
    await sql`select pg_drop_replication_slot('diorama_smoke')`;
    ways.unshift({ CAPTURE_PLUGIN: "wal2json" });
  } catch {
    console.log("wal2json cannot be used on this server");
  }
  await sql.end();
  return ways;
}

async function check(): Promise<boolean> {
  const licenses = Bun.spawnSync([...program, "licenses"]).stdout.toString();
  if (!licenses.includes("\npostgres ")) throw new Error("the binary has no licences");
  const ways = await waysToCapture();
  const diffs = new Map<string, string>();
  for (const settings of ways) {
    const name = Object.entries(settings)
      .map((pair) => pair.join("="))
      .join(" ");
    const { diff } = await withServer(settings, async (url) => {
      const outcome = await playStory(url);
      const metrics = await (await fetch(`${url}/metrics`)).text();
      if (!metrics.includes("\ndiorama_build_info{")) throw new Error("the binary has no metrics");
      return outcome;
    });
    console.log(
      `${name}: ${diff.inserts.length} inserts, ${diff.updates.length} updates, ${diff.deletes.length} deletes`,
    );
    diffs.set(name, comparable(diff));
  }
  const same = new Set(diffs.values()).size === 1;
  if (!same) for (const [name, diff] of diffs) console.log(`${name}\n${diff}`);
  console.log(same ? `${ways.length} passed, 0 failed` : `0 passed, ${ways.length} failed`);
  return same;
}

if (demo) await tellAloud();
else process.exit((await check()) ? 0 : 1);
