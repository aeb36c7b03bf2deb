/** Templates and suites that several servers have alike: copied from one to another. A second copy changes nothing. */
import { isDeepStrictEqual } from "node:util";
import { type Answer, CallFailed, type Client } from "~/commands/client";
import { CommandError } from "~/commands/failure";
import { asImport, type Suite } from "~/commands/suite";
import { findSuite, sendSuite } from "~/commands/suites";
import { seedOf, sendTemplate } from "~/commands/templates";
import { notice, print } from "~/log";

export type Ends = { readonly from: Client; readonly to: Client };

export async function copyTemplate(ends: Ends, name: string): Promise<void> {
  const { templateId } = (await bring(ends, name)) ?? (await detailsOf(ends.to, name));
  print(`${templateId}`);
}

/** Copies the templates too. Tests that only the other server has are removed there. */
export async function copySuite(ends: Ends, subject: string): Promise<void> {
  const suite = await findSuite(ends.from, subject);
  for (const name of templatesOf(suite)) await bring(ends, name);
  await sendSuite(ends.to, { ...asImport(suite), prune: true });
}

const templatesOf = ({ templateName, tests }: Suite): ReadonlySet<string> =>
  new Set([templateName, ...tests.flatMap((test) => test.templateName ?? [])]);

/** Undefined if the other server has it already. Throws if it has another one of that name. */
async function bring({ from, to }: Ends, name: string): Promise<Answer | undefined> {
  const [seed, there] = await Promise.all([
    seedOf(from, name),
    seedOf(to, name).catch(undefinedIfMissing),
  ]);
  if (there === undefined) {
    const { visibility } = await detailsOf(from, name);
    return await sendTemplate(to, seed, { visibility: `${visibility}` });
  }
  if (!isDeepStrictEqual(seed, there))
    throw new CommandError(
      `the template ${name} is another one on ${to.url}: delete it there first`,
    );
  notice(`template ${name} is unchanged`);
  return undefined;
}

const detailsOf = async (client: Client, name: string) =>
  await client.call("GET", `/templates/${encodeURIComponent(name)}`);

function undefinedIfMissing(error: unknown): undefined {
  if (error instanceof CallFailed && error.code === "template_not_found") return undefined;
  throw error;
}
