/** `diorama suites generate`: tests about the facts of a generated company, with the calls that solve them. */
import { join } from "node:path";
import { UsageError } from "~/commands/client";
import { readDocument } from "~/commands/document";
import { parsedLine } from "~/commands/generate";
import { writeFiles } from "~/commands/write-files";
import { type FactLine, isCompany, suiteOf, tasksOf } from "~/generation/tasks";

export type GenerateSuite = { readonly count: number };

/** Reads a folder of `templates generate`, and writes `suite.json` and `solutions.json` there. Throws UsageError. */
export async function generateSuite(folder: string, { count }: GenerateSuite): Promise<void> {
  const path = join(folder, "company.json");
  const seed: unknown = await readDocument(path);
  if (!isCompany(seed)) throw new UsageError(`${path} is no company of \`templates generate\``);
  const tasks = tasksOf(seed, await readFacts(join(folder, "facts.jsonl")));
  if (tasks.length < count)
    throw new UsageError(`--count: at most ${tasks.length} for the facts in ${folder}`);
  const chosen = tasks.slice(0, count);
  const solutions = Object.fromEntries(chosen.map(({ test, solution }) => [test.name, solution]));
  await writeFiles(folder, {
    "suite.json": `${JSON.stringify(suiteOf(seed, chosen), null, 2)}\n`,
    "solutions.json": `${JSON.stringify(solutions, null, 2)}\n`,
  });
}

async function readFacts(path: string): Promise<FactLine[]> {
  const file = Bun.file(path);
  if (!(await file.exists())) throw new UsageError(`${path} cannot be read`);
  return (await file.text()).split("\n").flatMap((line, index) => {
    if (line === "") return [];
    const fact = parsedLine(line);
    if (typeof fact["kind"] !== "string")
      throw new UsageError(`${path}:${index + 1} is not a fact`);
    return [fact as FactLine];
  });
}
