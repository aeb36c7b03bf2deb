/** A program that cannot listen prints one sentence, and leaves no connections. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import { ConfigError } from "~/config";
import { startProgram } from "~/program";
import { eventually, useDatabase } from "./support/database";
import { configFor } from "./support/program";

const database = useDatabase();
const MAIN = join(import.meta.dir, "../src/main.ts");

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

test.each([
  [{ PORT: () => taken.port }, /^PORT is \d+, which another program uses/],
  [{ ADMIN_PORT: () => taken.port }, /^ADMIN_PORT is \d+, which another program uses/],
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
