/** A copy of the working tree, in which files are changed and tests run. */
import { copyFile, mkdir, rm, symlink } from "node:fs/promises";
import { dirname, join } from "node:path";

/** How long the servers of the last tests take to stop. */
const STOP_SECONDS = 30;

export type Tree = Awaited<ReturnType<typeof openTree>>;

/** The report names a file, and then each of its tests. */
export function failingFile(report: string): string {
  const [before = ""] = report.split(/^\(fail\)/m, 1);
  return [...before.matchAll(/^(test\/\S+\.test\.ts):$/gm)].at(-1)?.[1] ?? "";
}

/** Copies what git knows or would add. `limitMs`: of one run of tests, which fails after it. */
export async function openTree(root: string, limitMs: number) {
  const folder = join(root, `.diorama/mutants-${process.pid}`);
  const listed = Bun.spawnSync(["git", "ls-files", "-co", "--exclude-standard"], { cwd: root });
  for (const file of listed.stdout.toString().split("\n")) {
    if (file === "" || !(await Bun.file(join(root, file)).exists())) continue;
    await mkdir(dirname(join(folder, file)), { recursive: true });
    await copyFile(join(root, file), join(folder, file));
  }
  await symlink(join(root, "node_modules"), join(folder, "node_modules"));
  const report = Bun.file(`${folder}.report`);

  return {
    write: (file: string, text: string) => Bun.write(join(folder, file), text),
    restore: (file: string) => copyFile(join(root, file), join(folder, file)),

    /** The file of the first test that fails, at which it stops. "": no file is named, as after the limit. */
    async failing(tests: readonly string[]): Promise<string | undefined> {
      await report.write(""); // opening it does not truncate it
      const child = Bun.spawn(
        [process.execPath, "test", "--bail", "--timeout", TEST_MS, ...PARALLEL, ...tests],
        {
          cwd: folder,
          stdio: ["ignore", "ignore", report], // a pipe would stay open while a server of the tests runs
          timeout: limitMs,
          killSignal: "SIGKILL",
        },
      );
      return (await child.exited) === 0 ? undefined : failingFile(await report.text());
    },

    /** Whether the compiler accepts the sources. */
    async compiles(): Promise<boolean> {
      const child = Bun.spawn([process.execPath, ...TSC], {
        cwd: folder,
        stdio: ["ignore", "ignore", "ignore"],
      });
      return (await child.exited) === 0;
    },

    /** Waits for the tests' own Postgres, which stops after them. */
    async close(): Promise<void> {
      const servers = new Bun.Glob(".diorama/*/data/postmaster.pid");
      for (let waited = 0; waited < STOP_SECONDS; waited++) {
        const running = [...servers.scanSync({ cwd: folder, dot: true })];
        if (running.length === 0) break;
        await Bun.sleep(1_000);
      }
      await rm(folder, { recursive: true, force: true });
      await report.delete();
    },
  };
}

/** Generous: on a busy machine a test that takes longer would seem to notice the mutant. */
const TEST_MS = "120000";
const TSC = ["node_modules/.bin/tsc", "--incremental", "--tsBuildInfoFile", ".diorama/tsbuildinfo"];
const PARALLEL = ["--parallel=2", "--parallel-delay=0", "--no-isolate"];
