/** Parts of the command line that several commands have. */
import { type Command, InvalidArgumentError, Option } from "commander";
import { createClient, type Environment, type ServerOptions } from "~/commands/client";
import type { Serving } from "~/commands/serve";
import type { Labels } from "~/commands/suite";

export type Context = {
  readonly env: Environment;
  readonly serve: (options: Serving) => Promise<void>;
  /** Aborts on the first signal: the command cleans up before it ends. */
  readonly interruption: () => AbortSignal;
  /** Sets the exit code of the process. */
  readonly endWith: (code: number) => void;
};

export const PARALLEL_MAX = 64;

/** A command that calls a server. */
export const onServer = (parent: Command, name: string) =>
  parent
    .command(name)
    .option("--url <url>", "The server; else DIORAMA_URL, else the one on this machine.")
    .option("--key <key>", "The API key; else DIORAMA_API_KEY.");

/** Options of a command that calls several servers, which know the same key. */
export type ServersOptions = { readonly url?: readonly string[]; readonly key?: string };

export const onServers = (parent: Command, name: string) =>
  parent
    .command(name)
    .option(
      "--url <url>",
      "A server that has the suite; may be repeated, to spread the attempts. Else DIORAMA_URL, else the one on this machine.",
      listed,
    )
    .option("--key <key>", "The API key; else DIORAMA_API_KEY.");

/** Clients of all the servers. Several that have one address are one. */
export const connectingAll =
  (env: Environment) =>
  ({ url: urls = [], ...options }: ServersOptions) => {
    const distinct = [...new Set(urls.map((url) => url.replace(/\/+$/, "")))];
    const servers =
      distinct.length === 0 ? [options] : distinct.map((url) => ({ ...options, url }));
    return servers.map((server) => createClient(server, env, servers.length > 1));
  };

/** Options of a command that copies from one server to another. */
export type CopyOptions = {
  readonly from?: string;
  readonly to: string;
  readonly key?: string;
  readonly toKey?: string;
};

export const copying = (parent: Command) =>
  parent
    .command("copy")
    .argument("<name-or-id>")
    .option(
      "--from <url>",
      "The server that has it; else DIORAMA_URL, else the one on this machine.",
    )
    .requiredOption("--to <url>", "The server that gets it.")
    .option("--key <key>", "The API key; else DIORAMA_API_KEY.")
    .option("--to-key <key>", "The API key on the other server, if it is another one.");

export const connectingBoth =
  (env: Environment) =>
  ({ from, to, key, toKey = key }: CopyOptions) => ({
    from: createClient({ ...(from && { url: from }), ...(key && { key }) }, env),
    to: createClient({ url: to, ...(toKey && { key: toKey }) }, env),
  });

export const listing = (parent: Command, name = "list") =>
  onServer(parent, name).option("--json", "As JSON instead of a table.", false);

export const exporting = (parent: Command) =>
  onServer(parent, "export")
    .argument("<name-or-id>")
    .option("--json", "As JSON instead of YAML.", false);

export const importing = (parent: Command) =>
  onServer(parent, "import")
    .argument("<file>", "YAML or JSON; - is standard input.")
    .option("--name <name>", "A name that replaces the one in the file.")
    .addOption(new Option("--visibility <visibility>").choices(["public", "private"]));

export const connecting = (env: Environment) => (options: ServerOptions) =>
  createClient(options, env);

export const upTo =
  (max: number, min = 1) =>
  (text: string) => {
    const value = Number(text);
    if (/^\d+$/.test(text) && value >= min && value <= max) return value;
    throw new InvalidArgumentError(`A whole number from ${min} to ${max} is needed.`);
  };

export function positive(text: string): number {
  const value = Number(text);
  if (value > 0 && value < Number.POSITIVE_INFINITY) return value;
  throw new InvalidArgumentError("A number greater than 0 is needed.");
}

export const listed = (item: string, items: readonly string[] = []) => [...items, item];

export function labelled(item: string, labels: Labels = {}): Labels {
  const [, name, value] = /^([^=]+)=(.*)$/s.exec(item) ?? [];
  if (name !== undefined && value !== undefined) return { ...labels, [name]: value };
  throw new InvalidArgumentError("A name and a value are needed, such as model=gpt-5.");
}
