/** Commands of templates. */
import type { Command } from "commander";
import type { Import } from "~/commands/client";
import { copyTemplate } from "~/commands/copies";
import {
  type Context,
  type CopyOptions,
  connecting,
  connectingBoth,
  copying,
  exporting,
  importing,
  listing,
} from "~/commands/line/options";
import { exportTemplate, importTemplate, listTemplates } from "~/commands/templates";

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
}
