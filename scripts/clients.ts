/**
 * Checks the OpenAPI document with external tools: Spectral finds no problems, and the clients that
 * openapi-typescript and openapi-python-client generate compile and make calls.
 *
 *   bun run db run bun run clients      needs DATABASE_URL, python3 with venv, and the registries of npm and PyPI
 *
 * Everything is installed and generated in a temporary folder: the tools bring 280 packages that nothing else needs.
 */
import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startServers } from "./cluster";

const databaseUrl = process.env["DATABASE_URL"];
if (!databaseUrl) throw new Error("DATABASE_URL is not set; `bun run db run …` sets it");

const folder = await mkdtemp(join(tmpdir(), "diorama-clients-"));
const servers = await startServers({ count: 1, databaseUrl });

/** Runs a command in the folder; a failure ends the script. */
async function run(...command: string[]): Promise<void> {
  console.log(`── ${command.join(" ")}`);
  const PATH = `${join(folder, "python/bin")}:${process.env["PATH"]}`;
  const child = Bun.spawn(command, {
    cwd: folder,
    env: { ...process.env, PATH, URL: servers.url },
    stdout: "inherit",
    stderr: "inherit",
  });
  if ((await child.exited) !== 0) throw new Error(`${command.join(" ")} failed`);
}

try {
  await cp(join(import.meta.dir, "openapi"), folder, { recursive: true });
  await Bun.write(
    join(folder, "openapi.json"),
    await (await fetch(`${servers.url}/docs/json`)).text(),
  );

  await run("bun", "install", "--frozen-lockfile");
  await run(
    ...["bun", "node_modules/.bin/spectral", "lint", "openapi.json"],
    ...["--ruleset", "spectral.yaml", "--fail-severity", "hint"],
  );

  await run("bun", "node_modules/.bin/openapi-typescript", "openapi.json", "--output", "api.d.ts");
  await run("bun", "node_modules/.bin/tsc", "--project", "tsconfig.json");
  await run("bun", "call.ts");

  await run("python3", "-m", "venv", "python");
  await run("python", "-m", "pip", "install", "--quiet", "--requirement", "requirements.txt");
  await run(
    ...["openapi-python-client", "generate", "--path", "openapi.json", "--fail-on-warning"],
    ...["--meta", "none", "--output-path", "diorama_client"],
  );
  await run("python", "-m", "compileall", "-q", "diorama_client");
  await run("python", "call.py");
} finally {
  await servers.stop();
  await rm(folder, { recursive: true });
}
