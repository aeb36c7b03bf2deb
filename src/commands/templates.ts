/** `diorama templates`: out of a server and into another. */
import { parseArgs } from "node:util";
import {
  asYaml,
  createClient,
  type Environment,
  readDocument,
  SERVER_OPTIONS,
  UsageError,
} from "~/commands/client";
import { notice, print } from "~/log";

export const TEMPLATES_USAGE = `
  diorama templates export NAME|ID [--json]
  diorama templates import FILE [--name NAME] [--visibility public|private]`;

export async function templates(args: readonly string[], env: Environment): Promise<void> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      ...SERVER_OPTIONS,
      json: { type: "boolean", default: false },
      name: { type: "string" },
      visibility: { type: "string" },
    },
  });
  const [command, subject, ...more] = positionals;
  const client = createClient(values, env);
  if (more.length > 0 || subject === undefined) throw new UsageError(TEMPLATES_USAGE);
  if (command === "export") {
    const seed = await client.call("GET", `/templates/${encodeURIComponent(subject)}/seed`);
    print(values.json ? JSON.stringify(seed, null, 2) : asYaml(seed));
  } else if (command === "import") {
    const seed = await readDocument(subject);
    const { template, service, description } = seed;
    const created = await client.call("POST", "/templates/import", {
      name: values.name ?? template,
      service,
      ...(description !== undefined && { description }),
      ...(values.visibility && { visibility: values.visibility }),
      seed,
    });
    notice(`template ${created["name"]} is there, with the id`);
    print(`${created["templateId"]}`);
  } else throw new UsageError(TEMPLATES_USAGE);
}
