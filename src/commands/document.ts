/** Documents that people write: YAML or JSON. */

import { type Answer, UsageError } from "~/commands/client";
import { isObject } from "~/input/json";
import { notice } from "~/log";

/** The content of a file; `-` is standard input. Warns about texts that YAML cuts off. */
export async function readDocument(path: string): Promise<Answer> {
  const text = await (path === "-" ? Bun.stdin : Bun.file(path)).text().catch(() => {
    throw new UsageError(`${path} cannot be read`);
  });
  let content: unknown;
  try {
    content = Bun.YAML.parse(text);
  } catch (error) {
    const problem = error instanceof Error ? error.message : "not YAML";
    throw new UsageError(`${path}:${(await mistakeIn(text)) ?? ` ${problem}`}`);
  }
  for (const line of await cutTexts(text)) notice(`warning: ${path}:${line}`);
  if (!isObject(content)) throw new UsageError(`${path} has no object`);
  return content as Answer;
}

/** The first mistake after its line and column, which Bun does not tell. */
async function mistakeIn(text: string): Promise<string | undefined> {
  const { LineCounter, parseDocument, visit } = await import("yaml");
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const found = document.errors.map(({ pos: [at], message }) => ({ at, message }));
  visit(document, {
    Alias(_, alias) {
      if (!alias.resolve(document))
        found.push({ at: alias.range?.[0] ?? 0, message: `there is no anchor ${alias.source}` });
    },
  });
  const [first] = found;
  if (!first) return undefined;
  const { line, col } = lines.linePos(first.at);
  return `${line}:${col}: ${first.message}`;
}

const WARNINGS_MAX = 20;

/**
 * Texts without quotes that end at a `#`, which begins a comment: after a prompt, and where the comment looks like the
 * name of a channel.
 */
export async function cutTexts(text: string): Promise<string[]> {
  if (!text.includes(" #")) return [];
  const { isScalar, LineCounter, parseDocument, visit } = await import("yaml");
  const lines = new LineCounter();
  const found: string[] = [];
  visit(parseDocument(text, { lineCounter: lines }), {
    Pair(_, { key, value }) {
      if (!isScalar(key) || !isScalar(value) || value.type !== "PLAIN" || !value.comment) return;
      const [comment = ""] = value.comment.split("\n");
      if (key.value !== "prompt" && !/^[\w-]/.test(comment)) return;
      const { line } = lines.linePos(value.range?.[0] ?? 0);
      found.push(
        `${line}: ${key.value}: "#${comment}" is a comment, and not in the text: put the text in quotes`,
      );
    },
  });
  const more = found.length - WARNINGS_MAX;
  return [...found.slice(0, WARNINGS_MAX), ...(more > 0 ? [` and ${more} more`] : [])];
}

export const asYaml = (content: object) => Bun.YAML.stringify(content, null, 2).trimEnd();
