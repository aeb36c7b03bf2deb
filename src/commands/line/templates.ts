/** Commands of templates. */
import type { Command } from "commander";
import type { Import } from "~/commands/client";
import { copyTemplate } from "~/commands/copies";
import type { GenerateOptions } from "~/commands/generate";
import {
  type Context,
  type CopyOptions,
  connecting,
  connectingBoth,
  copying,
  exporting,
  importing,
  listing,
  upTo,
} from "~/commands/line/options";
import { exportTemplate, importTemplate, listTemplates } from "~/commands/templates";
import { SIZES } from "~/generation/sizes";

export function addTemplates(line: Command, { env }: Context): void {
  const connect = connecting(env);
  const templates = line.command("templates").description("Templates, on a server.");
  listing(templates)
    .description("List the templates that you can see, newest first.")
    .option("--service <service>", "Only those of this service.")
    .action((options) => listTemplates(connect(options), options));
  exporting(templates)
    .description("Print a template as a seed.")
    .action((subject: string, options) => exportTemplate(connect(options), subject, options.json));
  importing(templates)
    .description("Create a template from a seed.")
    .action((file: string, options: Import) => importTemplate(connect(options), file, options));
  copying(templates)
    .description("Copy a template to another server, unless it has the same one already.")
    .action((subject: string, options: CopyOptions) =>
      copyTemplate(connectingBoth(env)(options), subject),
    );
  const generating = templates
    .command("generate")
    .argument("<folder>", "For company.json, facts.jsonl and prose.jsonl.")
    .description("Write the seed of a company that no model has seen, in four services.")
    .option("--seed <n>", "The same seed gives the same bytes.", upTo(0xffff_ffff, 0), 1)
    .option("--people <n>", "Besides the agent. From 5 to 200.", upTo(200, 5), 40)
    .option("--months <n>", "Up to the day on which environments begin. At most 12.", upTo(12), 3)
    .option("--prose <file>", "Texts that replace those of prose.jsonl, by their ids.")
    .action(async (folder: string, options: GenerateOptions) =>
      (await import("~/commands/generate")).generate(folder, options),
    );
  for (const [size, max] of Object.entries(SIZES))
    generating.option(
      `--${size} <n>`,
      `By default, by people and months. At most ${max}.`,
      upTo(max),
    );
}
