/** Runs an agent's command with a timeout. */
import type { EndingKind } from "~/evaluation/ending";

export type AgentEnd = {
  readonly ending: EndingKind;
  /** Null if a signal ended it. */
  readonly exitCode: number | null;
  /** The end of its output. */
  readonly output: string;
};

/** Receives the output while it is written. */
export type Logs = { readonly [stream in "stdout" | "stderr"]: (chunk: Uint8Array) => unknown };

/** Characters of output to keep. */
const OUTPUT_MAX = 4_000;
/** How long to wait for its last output; an orphaned child may keep the pipe open. */
const OUTPUT_GRACE_MS = 200;

/**
 * Starts `command` with the shell in a new process group and waits for it. Kills the group after `timeoutSeconds`, or
 * when `signal` aborts. One that stays up is killed when `done` resolves; if it ends before, it has crashed.
 */
export async function runAgent(
  command: string,
  env: { readonly [name: string]: string | undefined },
  timeoutSeconds: number,
  signal: AbortSignal,
  { logs, done }: { readonly logs?: Logs | undefined; readonly done?: Promise<unknown> } = {},
): Promise<AgentEnd> {
  const agent = Bun.spawn(["sh", "-c", command], {
    env: { ...env },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
    detached: true,
  });
  let output = "";
  const read = async (name: keyof Logs) => {
    const decoder = new TextDecoder();
    for await (const chunk of agent[name]) {
      output = (output + decoder.decode(chunk, { stream: true })).slice(-OUTPUT_MAX);
      await logs?.[name](chunk);
    }
  };
  const reading = Promise.all([read("stdout"), read("stderr")]).catch(() => undefined);

  let ended: EndingKind | undefined;
  const end = (ending: EndingKind) => {
    ended ??= ending;
    killGroup(agent.pid);
  };
  const interrupt = () => end("interrupted");
  const timer = setTimeout(() => end("timed_out"), timeoutSeconds * 1000);
  signal.addEventListener("abort", interrupt);
  if (signal.aborted) interrupt();
  void done?.then(() => end("answered"));
  await agent.exited;
  clearTimeout(timer);
  signal.removeEventListener("abort", interrupt);
  // Its child processes must not change an environment whose run is about to be evaluated.
  killGroup(agent.pid);
  await Promise.race([reading, Bun.sleep(OUTPUT_GRACE_MS)]);
  const { exitCode } = agent;
  const hasAnswered = exitCode === 0 && !done;
  return { ending: ended ?? (hasAnswered ? "answered" : "crashed"), exitCode, output };
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // The group is empty.
  }
}
