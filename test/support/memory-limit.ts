/** A limit on the memory of a server, which the kernel enforces: cgroups of version 1, which only root can make. */
import { mkdir, readFile, rmdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Launch } from "./process";

const GROUPS = "/sys/fs/cgroup/memory";

/** Why the machine has none; undefined if it has. */
export async function memoryLimitObstacle(): Promise<string | undefined> {
  const trial = join(GROUPS, `diorama-trial-${process.pid}`);
  try {
    await mkdir(trial);
    await rmdir(trial);
    return undefined;
  } catch {
    return "no memory cgroup (version 1) can be made here: it takes root";
  }
}

/** A group to launch a server in. It is removed at the end, when the server has ended. */
export async function limitMemory(bytes: number, onEnd: (ending: () => Promise<unknown>) => void) {
  const group = join(GROUPS, `diorama-${crypto.randomUUID().slice(0, 8)}`);
  await mkdir(group);
  onEnd(() => rmdir(group));
  await writeFile(join(group, "memory.limit_in_bytes"), String(bytes));
  const read = async (file: string) => Number(await readFile(join(group, file), "utf8"));
  const launch: Launch = {
    prefix: ["sh", "-c", `echo $$ > ${group}/cgroup.procs; exec "$@"`, "sh"],
  };
  return {
    launch,
    peak: () => read("memory.max_usage_in_bytes"),
    failures: () => read("memory.failcnt"),
  };
}
