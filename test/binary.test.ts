/** Differences between the compiled binary and the sources. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { version } from "../package.json";
import { build } from "../scripts/build";
import { CLIENTS } from "../scripts/clients";
import { buildPython } from "../scripts/clients/wheel";
import { freePort } from "../scripts/postgres";
import { SAVED } from "../src/console/assets";
import { PLACES, SCRIPTS_MAX, STYLE_MAX, sizesOf } from "./support/console";
import { eventually, useDatabase } from "./support/database";

const database = useDatabase();

let binary: string;
let folder: string;

beforeAll(async () => {
  if (!existsSync(CLIENTS)) await buildPython(CLIENTS);
  binary = await build(`${process.platform}-${process.arch}`, "diorama-test");
  folder = await mkdtemp(join(tmpdir(), "diorama-"));
});
afterAll(async () => {
  await Promise.all([rm(folder, { recursive: true }), rm(binary)]);
});

async function run(...args: string[]) {
  const child = Bun.spawn([binary, ...args], {
    cwd: folder,
    env: { PATH: process.env["PATH"] },
    stdout: "pipe",
    stderr: "pipe",
  });
  const [out, err, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  return { shown: out + err, code };
}

test("reads and runs nothing in its working directory (S150)", async () => {
  const ran = join(folder, "ran");
  await Bun.write(join(folder, ".env"), "DATABASE_URL=postgres://evil:evil@127.0.0.1:1/evil\n");
  await Bun.write(join(folder, "bunfig.toml"), 'preload = ["./preload.ts"]\n');
  await Bun.write(join(folder, "preload.ts"), `await Bun.write(${JSON.stringify(ran)}, "");\n`);

  const { shown, code } = await run("doctor");

  expect(shown).toContain("DATABASE_URL is not set");
  expect(code).toBe(78);
  expect(existsSync(ran)).toBe(false);
});

test("contains guide, reference, console, their style sheets and the client packages", async () => {
  const port = await freePort();
  const server = Bun.spawn([binary], {
    cwd: folder,
    env: { DATABASE_URL: database.url, PORT: String(port), SEED: "false", SHUTDOWN_DELAY: "0" },
    stdout: "ignore",
    stderr: "ignore",
  });
  try {
    const get = (path: string) => fetch(`http://127.0.0.1:${port}${path}`);
    await eventually(async () => expect((await get("/livez")).status).toBe(200));
    for (const [path, text] of [
      ["/docs/guide", '<a href="/docs/guide/first-steps">'],
      ["/docs/guide/operations", 'id="when-something-is-wrong"'],
      ["/docs/reference/chat", "<code>chat.postMessage</code>"],
      ["/docs/site.css", "color-scheme: light dark"],
      [
        "/clients/",
        `pip install http://127.0.0.1:${port}/clients/diorama-${version}-py3-none-any.whl`,
      ],
    ] as const)
      expect(await (await get(path)).text()).toContain(text);
    for (const place of PLACES) {
      const { scripts, styles } = await sizesOf(get, place);
      expect([place, scripts > 10_000, scripts < SCRIPTS_MAX]).toEqual([place, true, true]);
      expect(styles).toBeWithin(1_000, STYLE_MAX);
    }
    expect(await (await get(SAVED)).text()).toContain('<script type="module">');
    const wheel = await (await get(`/clients/diorama-${version}-py3-none-any.whl`)).bytes();
    expect(wheel).toEqual(
      await Bun.file(join(CLIENTS, `diorama-${version}-py3-none-any.whl`)).bytes(),
    );
  } finally {
    server.kill("SIGTERM");
    await server.exited;
  }
});
