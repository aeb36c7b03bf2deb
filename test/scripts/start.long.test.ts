/** The first command of a newcomer. */
import { expect, test } from "bun:test";
import { stat, utimes } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { version } from "../../package.json";
import { useDatabase } from "../support/database";
import { inTerminal } from "../support/terminal";

const ROOT = join(import.meta.dir, "../..");
const MINUTE = 60_000;
const database = useDatabase();

/** A shell does not find the commands of the project's packages, as a script of package.json does. */
const PATH = `${process.env["PATH"]}`
  .split(delimiter)
  .filter((folder) => folder !== join(ROOT, "node_modules/.bin"))
  .join(delimiter);

test(
  "scripts/start shows the console's address and serves the packages of the clients",
  async () => {
    const settings = { PATH, PORT: "0", DATABASE_URL: database.url };
    await using server = inTerminal(["./scripts/start"], ROOT, settings);
    await server.shows("A first environment", 60);

    const [, url] = /Console +(http:\S+)\/console/.exec(server.screen()) ?? [];
    expect((await fetch(`${url}/console`)).status).toBe(200);
    const packages = await (await fetch(`${url}/clients/`)).text();
    expect(packages).toContain(`diorama-${version}.tgz`);
    expect(packages).toContain(`diorama-${version}-py3-none-any.whl`);
    await server.interrupt();
  },
  2 * MINUTE,
);

test(
  "scripts/start builds the packages again only after a change of their sources",
  async () => {
    const started = Date.now();
    const source = join(ROOT, "src/clients/python/README.md");
    await utimes(source, new Date(), new Date());
    await startOnce();
    const built = await builtAt();
    expect(built).toBeGreaterThanOrEqual(started);

    await startOnce();
    expect(await builtAt()).toBe(built);
  },
  2 * MINUTE,
);

async function startOnce(): Promise<void> {
  const settings = { PATH, PORT: "0", DATABASE_URL: database.url };
  await using server = inTerminal(["./scripts/start"], ROOT, settings);
  await server.shows("A first environment", 60);
  await server.interrupt();
}

const builtAt = async () =>
  (await stat(join(ROOT, `dist/clients/diorama-${version}-py3-none-any.whl`))).mtimeMs;
