/** The cost of an attempt: an agent that knows it writes it to a file. */
import { mkdtemp, open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { notice } from "~/log";

const BYTES_MAX = 64;
const USD_MAX = 1_000_000;

/** Gives `use` the path of a file that does not exist yet, and removes it afterwards. */
export async function withCostFile<T>(use: (path: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), "diorama-cost-"));
  try {
    return await use(join(folder, "usd"));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Returns US dollars. Undefined if there is no file, or no price in it, which the terminal then says. */
export async function readCost(path: string, name: string): Promise<number | undefined> {
  const text = await readStart(path);
  if (text === undefined) return undefined;
  const usd = text === "" ? Number.NaN : Number(text);
  if (usd >= 0 && usd <= USD_MAX) return usd;
  notice(`${name}: DIORAMA_COST_FILE has ${JSON.stringify(text)}, not a price in US dollars`);
  return undefined;
}

/** A file of any size, or what is no file, may stand there. */
async function readStart(path: string): Promise<string | undefined> {
  const info = await Bun.file(path)
    .stat()
    .catch(() => undefined);
  if (!info?.isFile()) return undefined;
  await using file = await open(path);
  const { buffer, bytesRead } = await file.read(Buffer.alloc(BYTES_MAX), 0, BYTES_MAX, 0);
  return buffer.toString("utf8", 0, bytesRead).trim();
}
