/** Suite mode: a server that exists for one suite, and plays it at its root in the protocol of OpenEnv. */
import { existsSync } from "node:fs";
import { ConfigError } from "~/config";
import { type Call, importTemplates, ownCalls, readExport } from "~/program/own-calls";
import type { Program } from "~/program/program";

/** Serves the suite of a file of `suites export --format openenv`, or of this server. Throws ConfigError. */
export async function openSuite(program: Pick<Program, "app">, wanted: string): Promise<void> {
  const option = `--suite ${wanted}`;
  const call = ownCalls(program, option);
  program.app.placeSuite(
    existsSync(wanted) ? await importSuite(call, wanted, option) : await find(call, wanted),
  );
}

async function find(call: Call, reference: string): Promise<string> {
  const { id } = await call("GET", `/testSuites/${encodeURIComponent(reference)}`);
  return `${id}`;
}

/** Brings a suite of an earlier start up to date. */
async function importSuite(call: Call, path: string, option: string): Promise<string> {
  const content = await readExport(path);
  if (!content) throw new ConfigError([`${option}: the file has no suite`]);
  await importTemplates(call, content.templates);
  const { suiteId } = await call("POST", "/testSuites/import", { ...content.suite, prune: true });
  return `${suiteId}`;
}
