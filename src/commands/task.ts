/** `diorama task finish`: the verdict of the test that this machine's server exists for. */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Environment } from "~/commands/client";
import { CommandError } from "~/commands/failure";
import { notice } from "~/log";
import { socketOf, type TaskEnd, type TaskResult } from "~/program/task";

/** Options of `task finish`. */
export type TaskFinish = TaskEnd & { readonly out: string };

const TIMEOUT_MS = 120_000;

/** Throws CommandError. */
export async function finishTask(
  env: Environment,
  { out: folder, ...end }: TaskFinish,
): Promise<void> {
  const socket = socketOf(env);
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const body = JSON.stringify(end);
  const request = { method: "POST", body, unix: socket, signal };
  const response = await fetch("http://localhost/", request).catch(() => {
    throw new CommandError(`no server with a task listens at ${socket}`);
  });
  if (!response.ok) throw new CommandError(`the server answered HTTP ${response.status}`);
  const { result, rewards } = (await response.json()) as TaskResult;
  const write = (name: string, content: object) =>
    Bun.write(join(folder, name), `${JSON.stringify(content, null, 2)}\n`);
  try {
    await mkdir(folder, { recursive: true });
    await write("result.json", result);
    if (rewards) await write("reward.json", rewards);
  } catch (error) {
    throw new CommandError(
      `${folder}: cannot be written: ${(error as NodeJS.ErrnoException).code}`,
    );
  }
  notice(rewards ? `reward ${rewards["reward"]}` : "the run is not gradable: there is no reward");
}
