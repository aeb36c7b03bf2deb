/** Runs an agent's command, with an end to it. */

export type Ending = {
  readonly how: "finished" | "crashed" | "timed out" | "interrupted";
  readonly exitCode: number | null;
  /** The last of what it printed. */
  readonly output: string;
};

/** So much of its output is kept. */
const OUTPUT_MAX = 4_000;
/** Until what it printed last has been read; a child that it left behind may hold the pipe open for ever. */
const OUTPUT_GRACE_MS = 200;

/**
 * Starts `command` with the shell, in a process group of its own, and waits for it. After `timeoutSeconds`, or when
 * `signal` says so, the group is killed.
 */
export async function runAgent(
  command: string,
  env: { readonly [name: string]: string | undefined },
  timeoutSeconds: number,
  signal: AbortSignal,
): Promise<Ending> {
  const agent = Bun.spawn(["sh", "-c", command], {
    env: { ...env },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
    detached: true,
  });
  let output = "";
  const read = async (stream: ReadableStream<Uint8Array>) => {
    const decoder = new TextDecoder();
    for await (const chunk of stream)
      output = (output + decoder.decode(chunk, { stream: true })).slice(-OUTPUT_MAX);
  };
  const reading = Promise.all([read(agent.stdout), read(agent.stderr)]).catch(() => undefined);

  let ended: Ending["how"] | undefined;
  const end = (how: Ending["how"]) => {
    ended ??= how;
    killGroup(agent.pid);
  };
  const interrupt = () => end("interrupted");
  const timer = setTimeout(() => end("timed out"), timeoutSeconds * 1000);
  signal.addEventListener("abort", interrupt);
  if (signal.aborted) interrupt();
  await agent.exited;
  clearTimeout(timer);
  signal.removeEventListener("abort", interrupt);
  // What it started must not go on working in an environment whose run is about to be judged.
  killGroup(agent.pid);
  await Promise.race([reading, Bun.sleep(OUTPUT_GRACE_MS)]);
  const { exitCode } = agent;
  return { how: ended ?? (exitCode === 0 ? "finished" : "crashed"), exitCode, output };
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // Nobody is left in it.
  }
}
