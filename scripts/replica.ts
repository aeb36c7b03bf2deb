/**
 * Scaffolds another service: its folder under src/replicas with two methods, a seed and a test, from the files of
 * scripts/replica, and its lines in the two lists of services and seeds.
 *
 *   bun scripts/replica.ts NAME [--root DIR]
 */
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";

const TEMPLATES = join(import.meta.dir, "replica");
const EXTENSION = ".tmpl";
const SERVICE = /^[a-z]{2,20}$/;

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
if (existsSync(join(root, folder))) fail(`${folder} exists already`);
const Service = service.charAt(0).toUpperCase() + service.slice(1);

/** The destination of a template in the project. */
function placeOf(template: string): string {
  const name = template.slice(0, -EXTENSION.length);
  if (name === "seed.yaml") return `seeds/${service}_default.yaml`;
  if (name.startsWith("src/")) return join(folder, name.slice("src/".length));
  return join("test/replicas", service, name);
}

async function addTo(file: string, changes: readonly (readonly [RegExp, string])[]): Promise<void> {
  let text = await Bun.file(join(root, file)).text();
  for (const [place, replacement] of changes) {
    if (!place.test(text)) fail(`${file}: found no place for the ${service} service`);
    text = text.replace(place, replacement);
  }
  await Bun.write(join(root, file), text);
}

for (const template of readdirSync(TEMPLATES, { recursive: true, encoding: "utf8" })) {
  if (!template.endsWith(EXTENSION)) continue;
  const text = await Bun.file(join(TEMPLATES, template)).text();
  const place = placeOf(template);
  await Bun.write(
    join(root, place),
    text.replaceAll("{{service}}", service).replaceAll("{{Service}}", Service),
  );
  console.log(place);
}
await addTo("src/replicas/index.ts", [
  [/\n\nexport/, `\nimport { ${service} } from "~/replicas/${service}/index";$&`],
  [/(\[[^\]]*)\]\.map/, `$1, ${service}].map`],
]);
await addTo("seeds/index.ts", [
  [/\n\nexport/, `\nimport ${service}Default from "./${service}_default.yaml";$&`],
  [/(SEEDS[^[]*\[\][^[]*\[[^\]]*)\]/, `$1  ${service}Default,\n]`],
]);
console.log(`
Next:
  bun run fix                            sorts the imports of the two lists
  bun test test/replicas/${service}
  src/replicas/${service}/tables.sql         the tables of one environment
  src/replicas/${service}/api                the methods, one file per family
  src/docs/reference/index.ts            a reference page, if the service needs one`);
