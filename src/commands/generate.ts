/** `diorama templates generate`: a company that nobody has seen before, as the seed of a template. */
import { UsageError } from "~/commands/client";
import { writeFiles } from "~/commands/write-files";
import {
  type Company,
  generateCompany,
  type Prose,
  TooFew,
  type Wanted,
} from "~/generation/company";
import { isObject } from "~/input/json";

export type GenerateOptions = Wanted & { readonly prose?: string };

/** Of a file of prose, in bytes. */
const PROSE_MAX = 64 * 1024 * 1024;
/** Of one text, in characters. */
const TEXT_MAX = 10_000;

const lines = (rows: readonly object[]) => rows.map((row) => `${JSON.stringify(row)}\n`).join("");

/**
 * Writes `company.json`, to import, and beside it `facts.jsonl`, with each fact and where it is stated, and
 * `prose.jsonl`, whose texts a model may rewrite for `--prose`. Throws UsageError and CommandError.
 */
export async function generate(folder: string, options: GenerateOptions): Promise<void> {
  const { seed, facts, prose } = await company(options);
  await writeFiles(folder, {
    "company.json": `${JSON.stringify(seed)}\n`,
    "facts.jsonl": lines(facts),
    "prose.jsonl": lines(prose),
  });
}

async function company({ prose: file, ...wanted }: GenerateOptions): Promise<Company> {
  try {
    const plain = generateCompany(wanted, new Map());
    return file === undefined ? plain : generateCompany(wanted, await readProse(file, plain.prose));
  } catch (error) {
    throw error instanceof TooFew ? new UsageError(error.message) : error;
  }
}

/** Texts by id. Throws UsageError. */
async function readProse(file: string, known: readonly Prose[]): Promise<Map<string, string>> {
  const content = Bun.file(file);
  if (!(await content.exists())) throw new UsageError(`--prose ${file}: there is no such file`);
  if (content.size > PROSE_MAX) throw new UsageError(`--prose ${file}: at most ${PROSE_MAX} bytes`);
  const ids = new Set(known.map(({ id }) => id));
  const texts = new Map<string, string>();
  for (const [index, line] of (await content.text()).split("\n").entries()) {
    if (line.trim() === "") continue;
    const place = `--prose ${file}:${index + 1}`;
    const { id, text } = parsedLine(line);
    if (typeof id !== "string" || typeof text !== "string")
      throw new UsageError(`${place}: an object with the texts "id" and "text" is needed`);
    if (!ids.has(id)) throw new UsageError(`${place}: no text has the id ${JSON.stringify(id)}`);
    if (text.length > TEXT_MAX) throw new UsageError(`${place}: at most ${TEXT_MAX} characters`);
    texts.set(id, text);
  }
  return texts;
}

/** The object in a line of JSON; an empty one for anything else. */
export function parsedLine(line: string): { readonly [field: string]: unknown } {
  try {
    const value: unknown = JSON.parse(line);
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}
