/** The calls that solve a test, for harnesses that prove their tasks. */
import type { Client } from "~/commands/client";
import { SOLUTIONS } from "../../../seeds/index";

/** A call that changed something, and what the server answered, unless it is the last. */
export type SolvingCall = {
  readonly via: "rest" | "graphql" | "mcp";
  readonly service: string;
  readonly name: string;
  readonly arguments: unknown;
  readonly answer?: unknown;
};
type Noted = SolvingCall & { readonly fault: string | null; readonly changes: number[] | null };
type Page = {
  readonly journal: string;
  readonly attribution: string;
  readonly next: number | null;
  readonly complete: boolean;
  readonly calls: readonly Noted[];
};

const RUNS_MAX = 5;
const CALLS_MAX = 1_000;

/**
 * Of a built-in test, or of the newest run that passed and whose journal suffices. Undefined if none is known, and for a
 * built-in test that counts deliveries. Throws CallFailed.
 */
export async function solutionOf(
  client: Client,
  testId: string,
): Promise<readonly SolvingCall[] | undefined> {
  const builtin = SOLUTIONS[testId];
  // Calls that are repeated receive no events.
  if (builtin?.deliveries) return undefined;
  if (builtin) return builtin.calls as readonly SolvingCall[];
  const query = `testId=${testId}&status=passed&limit=${RUNS_MAX}`;
  const { runs } = (await client.call("GET", `/runs?${query}`)) as { runs: { runId: string }[] };
  for (const { runId } of runs) {
    const path = `/runs/${runId}/calls?limit=${CALLS_MAX}`;
    const found = writesOf((await client.call("GET", path)) as Page);
    if (found) return found;
  }
  return undefined;
}

/** Nothing if they cannot be repeated: all but the last need their answers, which have the ids that they made. */
export function writesOf({
  journal,
  attribution,
  next,
  complete,
  calls,
}: Page): SolvingCall[] | undefined {
  if (attribution !== "exact" || next !== null || !complete) return undefined;
  const writes = calls.filter(({ changes }) => changes && changes.length > 0);
  const isWhole = ({ fault, ...call }: Noted) =>
    fault === null && !isCut(call.arguments) && !isCut(call.answer);
  if (writes.length === 0 || (writes.length > 1 && journal !== "full")) return undefined;
  if (!writes.every(isWhole)) return undefined;
  return writes.map(({ via, service, name, arguments: given, answer }, index) => ({
    via,
    service,
    name,
    arguments: given,
    ...(index < writes.length - 1 && { answer }),
  }));
}

const isCut = (value: unknown) =>
  typeof value === "object" && value !== null && "truncated" in value && "beginning" in value;
