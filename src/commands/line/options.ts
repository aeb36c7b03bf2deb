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
