/** Pieces that the exports share. */
import type { Answer, Client } from "~/commands/client";
import { asImport, type Suite } from "~/commands/suite";
import { SEEDS } from "../../../seeds/index";

/** Files by path. */
export type Files = { readonly [file: string]: string };

/** Replaces `@NAME@` by the value of that name. */
export const fill = (text: string, values: { readonly [name: string]: string }) =>
  text.replace(/@([A-Z_]+)@/g, (whole, name: string) => values[name] ?? whole);

/** Text without line breaks. */
export const oneLine = (text: string) => text.replace(/[^\p{L}\p{N}\p{P}\p{S} ]/gu, " ").trim();

/** A name for Python: `chat_benchmark` for "Chat benchmark". */
export function pythonName(text: string): string {
  const name = text
    .toLowerCase()
    .match(/[a-z0-9]+/g)
    ?.join("_");
  if (name === undefined) return "suite";
  return /^\d/.test(name) ? `suite_${name}` : name;
}

/** Templates that every server has. */
const BUILTIN = new Set(SEEDS.map((seed) => (seed as { template: string }).template));

/** The templates of a suite that not every server has, by their names. Throws CallFailed. */
export async function ownTemplates(suite: Suite, client: Client): Promise<Map<string, Answer>> {
  const seeds = new Map<string, Answer>();
  for (const { templateName: template = suite.templateName } of suite.tests)
    if (!seeds.has(template) && !BUILTIN.has(template))
      seeds.set(template, await client.call("GET", `/templates/${template}/seed`));
  return seeds;
}

/** The services of a suite's environments: several in a world. Throws CallFailed. */
export async function servicesOf({ templateName }: Suite, client: Client): Promise<string[]> {
  return (await client.call("GET", `/templates/${templateName}`))["services"] as string[];
}

/** A file that a server starts with: see `serve --task` and `serve --suite`. */
export const servedFile = (suite: Suite, templates: readonly Answer[]) =>
  `${JSON.stringify(
    { ...(templates.length > 0 && { templates }), suite: asImport(suite) },
    null,
    2,
  )}\n`;
