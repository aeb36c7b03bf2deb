/**
 * Writes the generated parts of the README, each between `<!-- NAME -->` and `<!-- /NAME -->`.
 *
 *   bun run readme            write them
 *   bun run readme --check    say which are out of date, and fail
 */
import { join } from "node:path";
import { SEEDS, SUITES } from "../seeds/index";
import { SETTINGS } from "../src/config";
import { OPERATORS } from "../src/evaluation/operators";
import { Assertion, DIFF_TYPES, Spec } from "../src/evaluation/spec";
import type { NewSuite } from "../src/platform/suites/model";
import * as chat from "../src/replicas/chat/coverage";
import * as tracker from "../src/replicas/tracker/coverage";

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

type Named = { readonly id: string; readonly name?: string };
type Seed = {
  readonly template: string;
  readonly service: string;
  readonly description: string;
  readonly extends?: string;
  readonly users?: readonly (Named & { real_name?: string; email?: string; title?: string })[];
  readonly channels?: readonly (Named & { type?: string; is_archived?: boolean })[];
  readonly teams?: readonly (Named & { key: string })[];
};
const seeds = SEEDS as readonly Seed[];

const templates = () =>
  table(
    ["Template", "Service", "Contents"],
    seeds.map(({ template, service, description }) => [code(template), service, description]),
  );

const folded = (summary: string, content: string) =>
  `<details><summary>${summary}</summary>\n\n${content}\n\n</details>`;

/** What a template's tests need to name. A template that extends another has the other's users too. */
const ids = () =>
  seeds
    .filter(({ users, channels, teams }) => users ?? channels ?? teams)
    .map(({ template, users = [], channels = [], teams = [] }) =>
      folded(
        `Ids in ${code(template)}`,
        [
          table(
            ["User", "Name", "Email", "Title"],
            users.map(({ id, name, real_name, email, title }) => [
              code(id),
              real_name ?? name ?? "",
              email ?? "",
              title ?? "",
            ]),
          ),
          channels.length > 0 &&
            table(
              ["Conversation", "Name", "Kind"],
              channels.map(({ id, name, type = "public", is_archived: archived }) => [
                code(id),
                name ?? "",
                archived ? `${type}, archived` : type,
              ]),
            ),
          teams.length > 0 &&
            table(
              ["Team", "Name", "Key"],
              teams.map(({ id, name, key }) => [code(id), name ?? "", key]),
            ),
        ]
          .filter(Boolean)
          .join("\n\n"),
      ),
    )
    .join("\n\n");

const suites = () =>
  (SUITES as readonly NewSuite[])
    .map(({ name, description = "", templateName, tests = [] }) =>
      folded(
        `${name}: ${tests.length} tests on ${code(templateName)}. ${description}.`,
        table(
          ["Test", "Prompt"],
          tests.map((one) => [one.name, one.prompt.replaceAll("\n", " ").trim()]),
        ),
      ),
    )
    .join("\n\n");

const described = (properties: Record<string, { description?: string }>) =>
  Object.entries(properties).map(([name, { description }]) => [code(name), description ?? ""]);

const assertions = () =>
  [
    table(["Field", "Meaning"], described(Spec.properties)),
    table(
      ["Field of an assertion", "Meaning"],
      described(Assertion.properties as Record<string, { description?: string }>).filter(
        ([name]) => name !== code("diff_type"),
      ),
    ),
    table(
      [code("diff_type"), "Counts"],
      Object.entries(DIFF_TYPES).map(([name, says]) => [code(name), says]),
    ),
    table(
      ["Operator", "Holds for"],
      Object.entries(OPERATORS).map(([name, { says }]) => [code(name), says]),
    ),
  ].join("\n\n");

/** Rows under the part of the name before the last dot. */
function families(methods: readonly chat.Coverage[]): string[][] {
  const byFamily = Map.groupBy(methods, ({ method }) => method.slice(0, method.lastIndexOf(".")));
  return [...byFamily].map(([family, members]) => [
    code(`${family}.*`),
    members.map(({ method }) => code(method.slice(family.length + 1))).join(" "),
  ]);
}

function chatCoverage(): string {
  const all = chat.coverage();
  const of = (state: chat.Coverage["state"]) => all.filter((one) => one.state === state);
  return [
    `${of("full").length} methods behave as the service's, ${of("limited").length} within the limits below, ${of("refused").length} are refused with an error of the service.`,
    folded("Methods in full", table(["Family", "Methods"], families(of("full")))),
    folded(
      "Methods within limits",
      table(
        ["Method", "Limits"],
        of("limited").map(({ method, limits = "" }) => [code(method), limits]),
      ),
    ),
    folded("Refused", table(["Family", "Methods"], families(of("refused")))),
  ].join("\n\n");
}

function trackerCoverage(): string {
  const all = tracker.COVERAGE;
  const of = (state: tracker.Operation["state"]) => all.filter((one) => one.state === state);
  const listed = (operations: readonly tracker.Operation[]) =>
    table(
      ["About", "Queries", "Mutations"],
      [...Map.groupBy(operations, ({ entity }) => entity)].map(([entity, members]) => [
        entity,
        ...(["query", "mutation"] as const).map((kind) =>
          members
            .filter((one) => one.kind === kind)
            .map(({ operation }) => code(operation))
            .join(" "),
        ),
      ]),
    );
  return [
    `${of("simulated").length} operations behave as the service's, ${of("kept").length} keep what they are told and read it back, ${of("refused").length} are refused with an error of the service.`,
    folded("Simulated", listed(of("simulated"))),
    folded("Kept", listed(of("kept"))),
    folded("Refused", listed(of("refused"))),
  ].join("\n\n");
}

const PARTS: Record<string, () => string> = {
  templates,
  ids,
  suites,
  assertions,
  "chat coverage": chatCoverage,
  "tracker coverage": trackerCoverage,
  settings,
};

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
