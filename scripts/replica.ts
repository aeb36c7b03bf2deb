/**
 * Scaffolds another service on the kit: its folder under src/replicas, a seed and tests from the files of
 * scripts/replica, and its entries in every list of services.
 *
 *   bun scripts/replica.ts NAME [--root DIR]
 */
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";

const TEMPLATES = join(import.meta.dir, "replica");
const EXTENSION = ".tmpl";
const SERVICE = /^[a-z]{2,20}$/;
/** Folders beside those of services. */
const TAKEN = ["kit"];

function fail(problem: string): never {
  console.error(problem);
  process.exit(64);
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { root: { type: "string", default: join(import.meta.dir, "..") } },
});
const { root } = values;
const [service = ""] = positionals;
if (!SERVICE.test(service) || positionals.length > 1)
  fail("usage: bun scripts/replica.ts NAME; a name has 2 to 20 letters a-z");
const folder = join("src/replicas", service);
if (TAKEN.includes(service) || existsSync(join(root, folder))) fail(`${folder} exists already`);
const Service = service.charAt(0).toUpperCase() + service.slice(1);

/** The destination of a template in the project. */
function placeOf(template: string): string {
  const name = template.slice(0, -EXTENSION.length);
  if (name === "seed.yaml") return `seeds/${service}_default.yaml`;
  if (name.startsWith("src/")) return join(folder, name.slice("src/".length));
  return join("test/replicas", service, name.slice("test/".length));
}

/** Where a list of services gets an entry: `place` is found in its file, and replaced. */
type Entry = readonly [file: string, place: RegExp, replacement: string];

const AFTER_IMPORTS = /\n\n(?=(?:\/\*\*[^/]*\*\/\n)?(?:export|const))/;
const END_OF_LIST = /(\[[^\]]*)\]\.map/;
const END_OF_RECORD = /\n\};\n/;
const CONSOLE = "src/console/services";

const ENTRIES: readonly Entry[] = [
  [
    "src/replicas/index.ts",
    AFTER_IMPORTS,
    `\nimport { ${service} } from "~/replicas/${service}/index";$&`,
  ],
  ["src/replicas/index.ts", END_OF_LIST, `$1, ${service}].map`],
  [
    "src/replicas/services.ts",
    AFTER_IMPORTS,
    `\nimport { about as ${service} } from "~/replicas/${service}/about";$&`,
  ],
  ["src/replicas/services.ts", END_OF_LIST, `$1, ${service}].map`],
  [
    "seeds/index.ts",
    AFTER_IMPORTS,
    `\nimport ${service}Default from "./${service}_default.yaml";$&`,
  ],
  ["seeds/index.ts", /(SEEDS[^[]*\[\][^[]*\[[^\]]*)\]/, `$1  ${service}Default,\n]`],
  // The types that \`bun run openapi --write\` writes, as far as they name services.
  ["src/clients/typescript/schema.ts", /(readonly Service: [^;]*);/, `$1 | "${service}";`],
  [`${CONSOLE}/index.tsx`, END_OF_RECORD, `\n  ${service}: tables,$&`],
  [`${CONSOLE}/records.ts`, END_OF_RECORD, `\n  ${service}: tableRecords,$&`],
  [`${CONSOLE}/worlds.ts`, END_OF_RECORD, `\n  ${service}: TableWorld,$&`],
  [
    "src/docs/templates.md",
    /(?<=\n\| `[^\n]*\n)(?=\n)/,
    `| \`${service}_default\` | ${service} | 2 users, 3 notes |\n`,
  ],
];

async function addTo(file: string, place: RegExp, replacement: string): Promise<void> {
  const path = join(root, file);
  const text = await Bun.file(path).text();
  if (!place.test(text)) fail(`${file}: found no place for the ${service} service`);
  await Bun.write(path, text.replace(place, replacement));
}

/** Runs a program of the project. */
function run(...command: readonly string[]): void {
  const { exitCode, stderr } = Bun.spawnSync([process.execPath, ...command], { cwd: root });
  if (exitCode !== 0) fail(`${command.join(" ")} failed:\n${stderr}`);
}

const written = [];
for (const template of readdirSync(TEMPLATES, { recursive: true, encoding: "utf8" })) {
  if (!template.endsWith(EXTENSION)) continue;
  const text = await Bun.file(join(TEMPLATES, template)).text();
  const place = placeOf(template);
  await Bun.write(
    join(root, place),
    text.replaceAll("{{service}}", service).replaceAll("{{Service}}", Service),
  );
  written.push(place);
}
for (const entry of ENTRIES) await addTo(...entry);
run("scripts/rows.ts");
const changed = [...new Set([...written, ...ENTRIES.map(([file]) => file)])];
const formatted = changed.filter((file) => /\.(?:tsx?|json)$/.test(file));
run("--bun", "node_modules/.bin/biome", "check", "--write", ...formatted);
console.log(`${[...written, join(folder, "store/rows.ts")].toSorted().join("\n")}

Next:
  bun run test test/replicas/${service}
  src/replicas/${service}/about.ts           hosts, secrets, tokens, effects of time
  src/replicas/${service}/tables.sql         the tables of one environment; then bun run rows
  src/replicas/${service}/api                the operations, one file per family
  src/console/services/index.tsx         a view of its own, when tables and tools are not enough
  src/docs/reference/index.ts            a reference page, if the service needs one`);
