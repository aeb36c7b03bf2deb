/**
 * Checks the OpenAPI document with external tools: Spectral finds no problems, the clients that
 * openapi-typescript and openapi-python-client generate compile and make calls, and the types of our own clients are
 * those of the document.
 *
 *   bun run db run bun run openapi              needs DATABASE_URL, python3 with venv, and the registries of npm and PyPI
 *   bun run db run bun run openapi --write      only writes the types of our own clients
 *
 * Everything is installed and generated in a temporary folder: the tools bring 280 packages that nothing else needs.
 */
import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { answerShapes, type Document, platformShapes } from "./clients/shapes";
import { startServers } from "./cluster";

const OWN_TYPES = join(import.meta.dir, "../src/clients/typescript/schema.ts");
const OWN_MODELS = join(import.meta.dir, "../src/clients/python/diorama/models.py");
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

/** Writes a generated file to its place, or compares them. */
async function keep(generated: string, place: string): Promise<void> {
  const text = await Bun.file(join(folder, generated)).text();
  if (isWriting) await Bun.write(place, text);
  else if ((await Bun.file(place).text()) !== text)
    throw new Error(`${place} is not what the document says: bun run openapi --write`);
}

/** The types of our own client, Spectral, and the client that openapi-typescript writes. */
async function typescript(document: Document): Promise<void> {
  await Bun.write(join(folder, "platform.json"), JSON.stringify(platformShapes(document)));
  await run("bun", "install", "--frozen-lockfile");
  await run(
    ...["bun", "node_modules/.bin/openapi-typescript", "platform.json", "--output", "schema.ts"],
    ...["--root-types", "--root-types-no-schema-prefix", "--immutable"],
  );
  await keep("schema.ts", OWN_TYPES);
  if (isWriting) return;

  await run(
    ...["bun", "node_modules/.bin/spectral", "lint", "openapi.json"],
    ...["--ruleset", "spectral.yaml", "--fail-severity", "hint"],
  );
  await run("bun", "node_modules/.bin/openapi-typescript", "openapi.json", "--output", "api.d.ts");
  await run("bun", "node_modules/.bin/tsc", "--project", "tsconfig.json");
  await run("bun", "call.ts");
}

/** The models of our own client, and the client that openapi-python-client writes. */
async function python(document: Document): Promise<void> {
  await Bun.write(join(folder, "answers.json"), JSON.stringify(answerShapes(document)));
  await run("python3", "-m", "venv", "python");
  await run("python", "-m", "pip", "install", "--quiet", "--requirement", "requirements.txt");
  await run(
    ...["datamodel-codegen", "--input", "answers.json", "--input-file-type", "openapi"],
    ...["--output", "models.py", "--output-model-type", "pydantic_v2.BaseModel"],
    ...["--target-python-version", "3.10", "--base-class", "diorama._model.Model"],
    ...["--snake-case-field", "--enum-field-as-literal", "all", "--use-annotated"],
    ...["--use-schema-description", "--use-field-description", "--use-inline-field-description"],
    ...["--collapse-root-models", "--disable-timestamp", "--formatters", "ruff-format"],
  );
  await keep("models.py", OWN_MODELS);
  if (isWriting) return;

  await run(
    ...["openapi-python-client", "generate", "--path", "openapi.json", "--fail-on-warning"],
    ...["--meta", "none", "--output-path", "diorama_client"],
  );
  await run("python", "-m", "compileall", "-q", "diorama_client");
  await run("python", "call.py");
}

try {
  await cp(join(import.meta.dir, "openapi"), folder, { recursive: true });
  const text = await (await fetch(`${servers.url}/docs/json`)).text();
  await Bun.write(join(folder, "openapi.json"), text);
  const document: Document = JSON.parse(text);
  // Both use the folder until they end.
  for (const outcome of await Promise.allSettled([typescript(document), python(document)]))
    if (outcome.status === "rejected") throw outcome.reason;
} finally {
  await servers.stop();
  await rm(folder, { recursive: true });
}
