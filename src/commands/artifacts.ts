/** Files of each attempt: what the agent printed, the calls it made, what they changed, and the verdict. */
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { CallFailed, type Client, UsageError } from "~/commands/client";
import { type Labels, type Outcome, type Suite, slugOf } from "~/commands/suite";
import type { Homes } from "~/commands/suite-homes";
import { notice } from "~/log";

export type Artifacts = Awaited<ReturnType<typeof createArtifacts>>;
type Head = Pick<Outcome, "name" | "testId" | "attempt">;

const LOG_BYTES_MAX = 64 * 1024 * 1024;
const CALLS_PAGE = 1_000;
const VERDICT = "verdict.json";

/** `folder` is created; an attempt has the folder `NAME-ID/attempt-N` in it. Throws UsageError. */
export async function createArtifacts(
  { all }: Homes,
  folder: string,
  { name: suite, tests }: Suite,
  labels: Labels,
) {
  await mkdir(folder, { recursive: true }).catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(`--artifacts ${folder}: the folder cannot be created: ${error.code}`);
  });
  const folderOf = ({ name, testId, attempt }: Head) =>
    join(folder, `${slugOf(name)}-${testId.slice(0, 8)}`, `attempt-${attempt}`);

  /** A file that is missing does not stop the suite. */
  async function attempted<Value>(head: Head, work: () => Promise<Value>) {
    try {
      return await work();
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code;
      if (!(error instanceof CallFailed) && code === undefined) throw error;
      notice(`artifacts of ${head.name}: ${error instanceof CallFailed ? error.message : code}`);
      return undefined;
    }
  }

  async function write(outcome: Outcome): Promise<void> {
    const path = folderOf(outcome);
    await mkdir(path, { recursive: true });
    const { runId, earlier: _, output: __, ...known } = outcome;
    const client = (all.find((home) => home.client.url === outcome.url) ?? all[0])?.client;
    const { prompt, expectedOutput } = tests.find(({ id }) => id === outcome.testId) ?? {};
    const file = (name: string, content: unknown) =>
      Bun.write(join(path, name), `${JSON.stringify(content, null, 2)}\n`);
    let journal = {};
    if (client && runId !== undefined) {
      const { diff } = await client.call("GET", `/results/${runId}`);
      if (diff !== null) await file("diff.json", diff);
      await file("events.json", await client.call("GET", `/runs/${runId}/events`));
      journal = { journal: await writeJournal(client, runId, join(path, "journal.jsonl")) };
    }
    // The last one: a folder without it is not complete.
    await file(VERDICT, {
      suite,
      runId: runId ?? null,
      ...known,
      labels,
      ...journal,
      prompt,
      expectedOutput,
    });
  }

  return {
    /** Empties the attempt's folder, and opens the files of the agent's output. */
    open: async (head: Head) =>
      await attempted(head, async () => {
        const path = folderOf(head);
        await rm(path, { recursive: true, force: true });
        await mkdir(path, { recursive: true });
        const stdout = openLog(join(path, "stdout.log"));
        const stderr = openLog(join(path, "stderr.log"));
        const close = async () => {
          await stdout.close();
          await stderr.close();
        };
        return { stdout: stdout.write, stderr: stderr.write, close };
      }),

    /** Writes what the server knows of an attempt that has ended; of an earlier one, unless it is there. */
    complete: async (outcome: Outcome) =>
      await attempted(outcome, async () => {
        if (outcome.earlier && (await Bun.file(join(folderOf(outcome), VERDICT)).exists())) return;
        await write(outcome);
      }),
  };
}

/** A file that stops growing at a limit. */
function openLog(path: string) {
  const sink = Bun.file(path).writer();
  let left = LOG_BYTES_MAX;
  let isOpen = true;
  return {
    async write(chunk: Uint8Array): Promise<void> {
      if (!isOpen || left === 0) return;
      const kept = chunk.subarray(0, left);
      left -= kept.length;
      sink.write(kept);
      if (left === 0) sink.write(`\n[cut at ${LOG_BYTES_MAX} bytes]\n`);
      await sink.flush();
    },
    async close(): Promise<void> {
      isOpen = false;
      await sink.end();
    },
  };
}

/** Writes the calls of a run, each as a line of JSON. Returns the rest of the answer. */
async function writeJournal(client: Client, runId: string, path: string) {
  const sink = Bun.file(path).writer();
  try {
    for (let after = 0; ; ) {
      const page = await client.call(
        "GET",
        `/runs/${runId}/calls?after=${after}&limit=${CALLS_PAGE}`,
      );
      const { calls, next, attribution, complete } = page;
      for (const call of calls as object[]) sink.write(`${JSON.stringify(call)}\n`);
      await sink.flush();
      if (typeof next !== "number" || next <= after) return { attribution, complete };
      after = next;
    }
  } finally {
    await sink.end();
  }
}
