/**
 * Writes the generated parts of the README, each between `<!-- NAME -->` and `<!-- /NAME -->`.
 *
 *   bun run readme            write them
 *   bun run readme --check    say which are out of date, and fail
 */
import { join } from "node:path";
import { SEEDS } from "../seeds/index";
import { SETTINGS } from "../src/config";

const FILE = join(import.meta.dir, "../README.md");

const cell = (text: string) => text.replaceAll("|", "\\|").replaceAll("\n", " ");

function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map(cell).join(" | ")} |`;
  return [line(heads), line(heads.map(() => "---")), ...rows.map(line)].join("\n");
}

const code = (text: string) => `\`${text}\``;

const settings = () =>
  table(
    ["Setting", "Default", "Format", "Meaning"],
    Object.entries(SETTINGS).map(([name, { fallback, format, help }]) => [
      code(name),
      fallback === undefined ? "required" : fallback && code(fallback),
      format,
      help,
    ]),
  );

type Seed = {
  readonly template: string;
  readonly service: string;
  readonly description: string;
  readonly extends?: string;
  readonly users?: readonly { id: string; name: string; real_name?: string }[];
  readonly channels?: readonly { id: string; name: string }[];
};

const templates = () =>
  table(
    ["Template", "Service", "Contents"],
    (SEEDS as readonly Seed[]).map(({ template, service, description }) => [
      code(template),
      service,
      description,
    ]),
  );

const PARTS: Record<string, () => string> = { settings, templates };

/** As `bun run fix` would leave it. */
async function formatted(text: string): Promise<string> {
  const biome = Bun.spawn(["bunx", "biome", "format", "--stdin-file-path=README.md"], {
    stdin: new Blob([text]),
    stderr: "inherit",
  });
  const result = await new Response(biome.stdout).text();
  if ((await biome.exited) !== 0) throw new Error("biome could not format the README");
  return result;
}

const found = await Bun.file(FILE).text();
let text = found;
for (const [name, write] of Object.entries(PARTS)) {
  const [open, close] = [`<!-- ${name} -->`, `<!-- /${name} -->`];
  const [start, end] = [text.indexOf(open), text.indexOf(close)];
  if (start < 0 || end < start) throw new Error(`the README has no ${open} … ${close}`);
  text = `${text.slice(0, start)}${open}\n\n${write()}\n\n${text.slice(end)}`;
}
text = await formatted(text);

if (text !== found && process.argv.includes("--check")) {
  console.error("README.md is out of date; run: bun run readme");
  process.exit(1);
}
if (text !== found) await Bun.write(FILE, text);
