/** Folders of files that a person goes on with. */
import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Files } from "~/commands/export/files";
import { CommandError } from "~/commands/failure";
import { print } from "~/log";

/** Writes new files only: what is there may have been edited. Throws CommandError. */
export async function writeFiles(folder: string, files: Files): Promise<void> {
  const paths = Object.keys(files).map((name) => join(folder, name));
  const existing = paths.find((path) => existsSync(path));
  if (existing !== undefined) throw new CommandError(`${existing} exists already`);
  try {
    await mkdir(folder, { recursive: true });
    for (const [name, text] of Object.entries(files)) await Bun.write(join(folder, name), text);
  } catch (error) {
    throw new CommandError(
      `${folder}: cannot be written: ${(error as NodeJS.ErrnoException).code}`,
    );
  }
  for (const path of paths) print(path);
}
