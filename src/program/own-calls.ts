/** Calls that the server makes itself, for the test or the suite that it exists for. */
import { ConfigError } from "~/config";
import { isObject } from "~/input/json";
import { SERVER } from "~/platform/keys/keys";
import type { Program } from "~/program/program";
import { isOk, textOf } from "~/wire/message";

export type Answer = { readonly [field: string]: unknown };
export type Call = (method: "GET" | "POST", path: string, body?: object) => Promise<Answer>;

/** `option`: what the calls are for, for errors. The calls throw ConfigError. */
export const ownCalls =
  ({ app }: Pick<Program, "app">, option: string): Call =>
  async (method, path, body) => {
    const response = await app.callAs(SERVER, { method, path, ...(body && { body }) });
    const answer = JSON.parse(textOf(response)) as Answer;
    if (isOk(response)) return answer;
    throw new ConfigError([`${option}: ${answer["error"]}: ${answer["detail"]}`]);
  };

/** A file of `suites export` has a suite, and a template or several that not every server has. Undefined for others. */
export async function readExport(
  path: string,
): Promise<{ suite: object; templates: readonly object[] } | undefined> {
  const content: unknown = await Bun.file(path)
    .json()
    .catch(() => undefined);
  if (!isObject(content) || !isObject(content["suite"])) return undefined;
  const { suite, template, templates = [template] } = content;
  return { suite, templates: Array.isArray(templates) ? templates.filter(isObject) : [] };
}

/** Imports those that this server does not have. */
export async function importTemplates(call: Call, templates: readonly object[]): Promise<void> {
  if (templates.length === 0) return;
  const known = await call("GET", "/templates?limit=1000");
  const names = new Set((known["templates"] as { name: string }[]).map(({ name }) => name));
  for (const seed of templates) {
    const { template: name, service } = seed as { template: string; service: string };
    if (!names.has(name)) await call("POST", "/templates/import", { name, service, seed });
  }
}
