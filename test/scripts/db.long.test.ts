/** The development database, started and stopped by a user. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync } from "node:fs";
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { connect } from "~/db/connect";
import { eventually } from "../support/database";
import { inTerminal } from "../support/terminal";

setDefaultTimeout(240_000);

const ROOT = join(import.meta.dir, "../..");
const dir = join(ROOT, ".diorama/test-db");
const cluster = join(dir, "dev-embedded");
const lock = join(cluster, "data/postmaster.pid");
const SECONDS = 120;
/** An interrupt ends everything sooner, on any machine. */
const INTERRUPT_SECONDS = 20;

const remove = () => rm(dir, { recursive: true, force: true });
beforeAll(remove);
afterAll(remove);

const db = (...args: string[]) =>
  inTerminal(["bun", "scripts/db.ts", "--dir", dir, ...args], ROOT, { PORT: "0" });
const serve = () => db("run", "bun", "src/main.ts");

async function superuser() {
  const password = (await readFile(join(cluster, "password"), "utf8")).trim();
  const [pid, , , port] = (await readFile(lock, "utf8")).split("\n");
  const url = `postgres://postgres:${password}@127.0.0.1:${port}/diorama`;
  const sql = connect(url, { max: 1, name: "test", patient: true });
  return { pid: Number(pid), sql };
}

test.each(["Creating a Postgres cluster", "template built", "A first environment"])(
  "Ctrl-C at '%s' ends everything, and the next start works",
  async (shown) => {
    await remove();
    await using server = serve();
    await server.shows(shown, SECONDS);

    expect(await server.interrupt()).toBeLessThan(INTERRUPT_SECONDS);

    expect(existsSync(lock)).toBe(false);
    await using next = serve();
    await next.shows("A first environment", SECONDS);
    expect(await next.interrupt()).toBeLessThan(INTERRUPT_SECONDS);
  },
);

test("a signal that does not come from a terminal ends the command as well", async () => {
  await using server = serve();
  await server.shows("A first environment", SECONDS);

  server.kill("SIGINT");

  await server.exited;
  expect(server.screen()).toContain("stopped");
  expect(existsSync(lock)).toBe(false);
});

test("a start during a stop of Postgres reports it, and starts Postgres again", async () => {
  await using first = db();
  await first.shows("postgres://", SECONDS);
  const { pid, sql } = await superuser();
  await sql`select 1`;
  process.kill(pid, "SIGTERM"); // it waits for the session to end
  await eventually(async () => expect(await readFile(lock, "utf8")).toContain("stopping"));

  await using second = db("run", "echo", "started again");
  await second.shows("Waiting for an earlier Postgres to stop", SECONDS);
  await second.shows("started again", SECONDS);

  expect(await second.exited).toBe(0);
  await sql.end({ timeout: 0 });
  await first.interrupt();
});

test("a command that only waits uses no processor time", async () => {
  const child = Bun.spawn(["bun", "scripts/db.ts", "--dir", dir], {
    cwd: ROOT,
    stdin: "ignore",
    stdout: "pipe",
    stderr: "ignore",
  });
  await child.stdout.getReader().read(); // its URL
  const ticks = async () => {
    const fields = (await readFile(`/proc/${child.pid}/stat`, "utf8")).split(") ")[1]?.split(" ");
    return Number(fields?.[11]) + Number(fields?.[12]); // user and system time, 100 a second
  };

  const before = await ticks();
  await Bun.sleep(2_000); // the measured time

  expect((await ticks()) - before).toBeLessThan(40);
  child.kill("SIGTERM");
  await child.exited;
});

test("the last user of Postgres stops it", async () => {
  await using first = db();
  await first.shows("postgres://", SECONDS);
  await using second = db();
  await second.shows("postgres://", SECONDS);

  await first.interrupt();
  expect(first.screen()).toContain("Postgres keeps running");
  expect(existsSync(lock)).toBe(true);

  await second.interrupt();
  expect(existsSync(lock)).toBe(false);
});

test("of two users of Postgres that stop at the same time, one stops it", async () => {
  await using first = db();
  await first.shows("postgres://", SECONDS);
  await using second = db();
  await second.shows("postgres://", SECONDS);

  await Promise.all([first.interrupt(), second.interrupt()]);

  expect(existsSync(lock)).toBe(false);
});

test("the data of a fresh start takes less than 170 MB", async () => {
  await remove();
  await using first = serve();
  await first.shows("A first environment", SECONDS);
  await first.interrupt();
  await using server = serve();
  await server.shows("A first environment", SECONDS);
  const { sql } = await superuser();
  await eventually(async () => {
    const [row] = await sql`
      select count(*)::int as ready, (select count(*)::int from diorama.templates) as templates
      from diorama.schemas where state = 'ready'
    `;
    expect(row?.["ready"]).toBe(row?.["templates"] * 2);
  }, SECONDS);

  const du = Bun.spawn(["du", "-sm", cluster]);
  const [megabytes] = (await new Response(du.stdout).text()).split("\t");

  expect(Number(megabytes)).toBeLessThan(170);
  await sql.end({ timeout: 0 });
  await server.interrupt();
});
