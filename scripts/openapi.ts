/**
 * Checks the OpenAPI document with external tools: Spectral finds no problems, the clients that
 * openapi-typescript and openapi-python-client generate compile and make calls, and the types of our own client are
 * those of the document.
 *
 *   bun run db run bun run openapi              needs DATABASE_URL, python3 with venv, and the registries of npm and PyPI
 *   bun run db run bun run openapi --write      only writes the types of our own client
 *
 * Everything is installed and generated in a temporary folder: the tools bring 280 packages that nothing else needs.
 */
import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startServers } from "./cluster";

const OWN_TYPES = join(import.meta.dir, "../src/clients/typescript/schema.ts");
const isWriting = process.argv.includes("--write");
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

/** The document with the shapes of the platform's own calls, and nothing else. */
function platformShapes(document: {
  paths: object;
  components: { schemas: Record<string, object> };
}) {
  const { paths, components } = document;
  const used = new Set<string>();
  const visit = (node: unknown): void => {
    if (typeof node !== "object" || node === null) return;
    const name = (node as { $ref?: string }).$ref?.split("/").at(-1);
    if (name !== undefined && !used.has(name)) {
      used.add(name);
      visit(components.schemas[name]);
    }
    for (const part of Object.values(node)) visit(part);
  };
  visit(Object.entries(paths).filter(([path]) => path.startsWith("/api/platform")));
  const schemas = Object.fromEntries(
    Object.entries(components.schemas).filter(([name]) => used.has(name)),
  );
  return { ...document, paths: {}, components: { schemas } };
}

/** The types of our own client: written, or compared with the file. */
async function ownTypes(): Promise<void> {
  const document = await Bun.file(join(folder, "openapi.json")).json();
  await Bun.write(join(folder, "platform.json"), JSON.stringify(platformShapes(document)));
  await run(
    ...["bun", "node_modules/.bin/openapi-typescript", "platform.json", "--output", "schema.ts"],
    ...["--root-types", "--root-types-no-schema-prefix", "--immutable"],
  );
  const written = await Bun.file(join(folder, "schema.ts")).text();
  if (isWriting) await Bun.write(OWN_TYPES, written);
  else if ((await Bun.file(OWN_TYPES).text()) !== written)
    throw new Error(`${OWN_TYPES} is not what the document says: bun run openapi --write`);
}

/** Spectral, and the clients that two generators write. */
async function checkDocument(): Promise<void> {
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
}

try {
  await cp(join(import.meta.dir, "openapi"), folder, { recursive: true });
  await Bun.write(
    join(folder, "openapi.json"),
    await (await fetch(`${servers.url}/docs/json`)).text(),
  );
  await run("bun", "install", "--frozen-lockfile");
  await ownTypes();
  if (!isWriting) await checkDocument();
} finally {
  await servers.stop();
  await rm(folder, { recursive: true });
}
