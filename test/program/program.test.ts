/** A program that cannot listen prints one sentence, and leaves no connections. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { ConfigError } from "~/config";
import { startProgram } from "~/program/program";
import { freePort } from "../../scripts/postgres";
import { eventually, useDatabase } from "../support/database";
import { configFor, startTestProgram } from "../support/program";

const database = useDatabase();
const MAIN = join(import.meta.dir, "../../src/main.ts");

let taken: ReturnType<typeof Bun.serve>;
beforeAll(() => {
  taken = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response() });
});
afterAll(() => taken.stop(true));

test.each(["PORT", "ADMIN_PORT"])("a %s in use is one sentence, and exit code 78", async (name) => {
  const server = Bun.spawn(["bun", MAIN], {
    env: {
      ...process.env,
      DATABASE_URL: database.url,
      PORT: "0",
      LOG_LEVEL: "error",
      [name]: String(taken.port),
    },
    stdout: "pipe",
    stderr: "pipe",
  });

  const [out, err] = await Promise.all([
    new Response(server.stdout).text(),
    new Response(server.stderr).text(),
  ]);

  expect([await server.exited, out, err]).toEqual([
    78,
    "",
    `${name} is ${taken.port}, which another program uses on 127.0.0.1\n`,
  ]);
});

const untouched = useDatabase({ empty: true });

test("a port in use is found before anything is written to the database", async () => {
  const started = startProgram(configFor(untouched, { PORT: String(taken.port) }));

  expect(await started.catch((error) => error)).toBeInstanceOf(ConfigError);
  const found = await untouched.sql`select from pg_namespace where nspname = 'diorama'`;
  expect(found).toHaveLength(0);
});

describe("doctor", () => {
  async function examine(settings: Record<string, string>) {
    const child = Bun.spawn(["bun", MAIN, "doctor"], {
      env: { ...process.env, DATABASE_URL: untouched.url, ...settings },
      stdout: "pipe",
      stderr: "pipe",
    });
    const [out, err] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
    ]);
    return { code: await child.exited, out: out.trimEnd().split("\n"), err };
  }
  const FINDINGS = [
    /^ok: PostgreSQL is \d+/,
    /^ok: server_encoding is UTF8$/,
    /^ok: the role may create schemas$/,
    /^ok: max_connections is \d+$/,
    /^(ok: fsync is on|warning: fsync is off: a crash of the machine can lose everything)$/,
    /^ok: the role is (a|no) superuser$/,
    /^ok: wal_level is logical$/,
    /^ok: max_replication_slots is \d+$/,
    /^ok: max_wal_senders is \d+$/,
    /^ok: \d+ replication slots are free$/,
    /^ok: the role may replicate$/,
    /^(ok: the role may use|warning: the role may not use) replication origins/,
    /^ok: changes are captured with (wal2json|pgoutput)$/,
    /^(ok: this Postgres carries \d+ environments, by \w+|warning: the disk of Postgres has room for \d+ more)/,
    /^ok: the disk of Postgres (has [\d.]+ GB of|is not on this machine)/,
    /^(ok: autovacuum is on$|warning: autovacuum is off)/,
    /^(ok|warning): the table of locks has \d+ entries/,
  ].map((line) => expect.stringMatching(line));

  test("prints each check with its value", async () => {
    const port = await freePort();
    expect(await examine({ PORT: String(port), ADMIN_PORT: "" })).toEqual({
      code: 0,
      out: [`ok: PORT is ${port}, free on 127.0.0.1`, ...FINDINGS],
      err: "",
    });
  });

  test("looks at the ports, and still at the database", async () => {
    expect(await examine({ PORT: "0", ADMIN_PORT: String(taken.port) })).toEqual({
      code: 78,
      out: [...FINDINGS],
      err: `ADMIN_PORT is ${taken.port}, which another program uses on 127.0.0.1\n`,
    });
  });

  test("knows a server that is running", async () => {
    const server = await startTestProgram(database);
    const { port } = new URL(server.url);
    const { code, out } = await examine({ PORT: port });
    await server.program.stop();
    expect([code, out[0]]).toEqual([0, `ok: PORT is ${port}, where a server is running`]);
  });
});

test.each([
  [{ PORT: () => taken.port }, /^PORT is \d+, which another program uses/],
  [{ ADMIN_PORT: () => taken.port }, /^ADMIN_PORT is \d+, which another program uses/],
  [{ ENVIRONMENT_POOL_TARGETS: () => "no_such:1" }, /^ENVIRONMENT_POOL_TARGETS names no_such/],
  [{ HOST: () => "192.0.2.1" }, /^HOST is 192\.0\.2\.1, which is not an address of this machine$/],
])("a start that fails by %p closes every connection", async (settings, sentence) => {
  const given = Object.entries(settings).map(([name, value]) => [name, String(value())]);
  const started = startProgram(configFor(database, Object.fromEntries(given)));

  const error = await started.then(
    () => undefined,
    (thrown) => thrown,
  );

  expect(error).toBeInstanceOf(ConfigError);
  expect(error.message).toMatch(sentence);
  await eventually(async () => {
    const left = await database.sql`
      select application_name from pg_stat_activity
      where datname = current_database() and application_name like 'diorama%'
        and application_name <> 'diorama test'
    `;
    expect([...left]).toEqual([]);
  });
});
