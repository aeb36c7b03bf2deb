/** Adds to outcomes why they are so, in the server's words, and their pages in the console. */
import { CallFailed, type Client } from "~/commands/client";
import { consoleOf } from "~/commands/console";
import type { Outcome } from "~/commands/suite";

/** Without words if the attempt passed and changed only what was asked for, or the server has none. */
export async function explained(client: Client, outcome: Outcome): Promise<Outcome> {
  const { runId, verdict, unsafe } = outcome;
  if (runId === undefined) return outcome;
  const linked = { ...outcome, consoleUrl: consoleOf(client, "runs", runId) };
  const isDone = verdict === "passed" && (unsafe?.count ?? 0) === 0;
  if (isDone || verdict === "interrupted") return linked;
  const reasons = await reasonsOf(client, runId);
  return reasons === "" ? linked : { ...linked, reasons };
}

/** The reasons of a run as lines of text; empty if there are none. */
export async function reasonsOf(client: Client, runId: string): Promise<string> {
  try {
    const { text } = await client.call("GET", `/runs/${encodeURIComponent(runId)}/reasons`);
    return typeof text === "string" ? text : "";
  } catch (error) {
    if (error instanceof CallFailed) return "";
    throw error;
  }
}
