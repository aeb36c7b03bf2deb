/** `diorama templates`: lists templates, and moves them between servers. */
import { type Answer, type Client, type Import, listAll } from "~/commands/client";
import { asYaml, readDocument } from "~/commands/document";
import { table } from "~/commands/table";
import { notice, print } from "~/log";

/** A template as a seed. */
export const seedOf = async (client: Client, template: string): Promise<Answer> =>
  await client.call("GET", `/templates/${encodeURIComponent(template)}/seed`);

export async function exportTemplate(client: Client, template: string, json: boolean) {
  const seed = await seedOf(client, template);
  print(json ? JSON.stringify(seed, null, 2) : asYaml(seed));
}

export async function importTemplate(client: Client, file: string, options: Import) {
  const { templateId } = await sendTemplate(client, await readDocument(file), options);
  print(`${templateId}`);
}

/** Creates a template from a seed. */
export async function sendTemplate(client: Client, seed: Answer, { name, visibility }: Import) {
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
  return created;
}

type ListedTemplate = {
  readonly [field in "id" | "name" | "service" | "visibility" | "description"]: string;
} & { readonly services: readonly string[] };

export async function listTemplates(
  client: Client,
  { service, json }: { service?: string; json: boolean },
) {
  const templates = await listAll<ListedTemplate>(client, "/templates", "templates", { service });
  if (json) return print(JSON.stringify(templates, null, 2));
  const rows = templates.map(({ id, name, services, visibility, description }) => [
    ...[id, name, services.join(", "), visibility, description.split("\n")[0] ?? ""],
  ]);
  for (const line of table(["Id", "Name", "Services", "Visibility", "Description"], rows))
    print(line);
}
