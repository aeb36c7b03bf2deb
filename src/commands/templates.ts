/** `diorama templates`: moves templates between servers. */
import { asYaml, type Client, type Import, readDocument } from "~/commands/client";
import { notice, print } from "~/log";

export async function exportTemplate(client: Client, template: string, json: boolean) {
  const seed = await client.call("GET", `/templates/${encodeURIComponent(template)}/seed`);
  print(json ? JSON.stringify(seed, null, 2) : asYaml(seed));
}

export async function importTemplate(client: Client, file: string, { name, visibility }: Import) {
  const seed = await readDocument(file);
  const { template, service, description } = seed;
  const created = await client.call("POST", "/templates/import", {
    name: name ?? template,
    service,
    ...(description !== undefined && { description }),
    ...(visibility && { visibility }),
    seed,
  });
  for (const note of (created["notes"] ?? []) as readonly string[]) notice(note);
  notice(`template ${created["name"]} is created, with the id`);
  print(`${created["templateId"]}`);
}
