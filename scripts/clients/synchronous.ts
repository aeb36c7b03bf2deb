/**
 * Writes the synchronous half of the Python client from its half for asyncio: `_sync` from `_async`, word by word.
 *
 *   bun scripts/clients/synchronous.ts
 */
import { readdir } from "node:fs/promises";
import { join } from "node:path";

const PACKAGE = join(import.meta.dir, "../../src/clients/python/diorama");

const WORDS: readonly (readonly [RegExp, string])[] = [
  [/^import asyncio\n/gm, ""],
  [/^from \.\._entering import entering\n/gm, ""],
  [/^ *@entering\n/gm, ""],
  [/await asyncio\.to_thread\(([\w.]+)(?:, ([\w., "]+))?\)/g, "$1($2)"],
  [/Awaitable\[(\w+)\]/g, "$1"],
  [/Awaitable, /g, ""],
  [/"slack-async"/g, '"slack"'],
  [/slack_sdk\.web\.async_client/g, "slack_sdk"],
  [/for asyncio/g, "without asyncio"],
  [/\basync (def|with|for)\b/g, "$1"],
  [/`async with`/g, "`with`"],
  [/\bawait /g, ""],
  [/__a(enter|exit)__/g, "__$1__"],
  [/\baclose\b/g, "close"],
  [/\basync_(\w+)/g, "$1"],
  [/\b(Abstract)?Async([A-Z]\w+)/g, "$1$2"],
];

/** The file as its synchronous twin. */
const synchronous = (name: string, text: string) =>
  `# Written from _async/${name} by scripts/clients/synchronous.ts.\n${WORDS.reduce(
    (written, [word, replacement]) => written.replace(word, replacement),
    text,
  )}`;

/** The files of `_sync` by name. */
export async function synchronousFiles(): Promise<Map<string, string>> {
  const names = (await readdir(join(PACKAGE, "_async"))).filter((name) => name.endsWith(".py"));
  const files = names.map(async (name) => {
    const text = await Bun.file(join(PACKAGE, "_async", name)).text();
    return [name, synchronous(name, text)] as const;
  });
  return new Map(await Promise.all(files));
}

if (import.meta.main)
  for (const [name, text] of await synchronousFiles())
    await Bun.write(join(PACKAGE, "_sync", name), text);
