/** Commands that call a server, started as a user does. */
import { afterAll, beforeAll } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProgram } from "./program";

export const MAIN = join(import.meta.dir, "../../src/main.ts");

/** Declares commands against this program, and a folder for their files. */
export function useCommands(program: TestProgram) {
  let folder = "";
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "diorama-"));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  function start(args: readonly string[], env: Record<string, string> = {}) {
    const { DATABASE_URL: _, ...rest } = process.env;
    return Bun.spawn(["bun", MAIN, ...args], {
      env: { ...rest, DIORAMA_URL: program.url, ...env },
      stdout: "pipe",
      stderr: "pipe",
    });
  }
  return {
    start,
    async run(args: readonly string[], env: Record<string, string> = {}) {
      const child = start(args, env);
      const [out, err] = await Promise.all([
        new Response(child.stdout).text(),
        new Response(child.stderr).text(),
      ]);
      return { code: await child.exited, out, err };
    },
    path: (name: string) => join(folder, name),
    /** Writes a file; returns its path. */
    async file(name: string, content: unknown) {
      const path = join(folder, name);
      await Bun.write(path, typeof content === "string" ? content : JSON.stringify(content));
      return path;
    },
  };
}
