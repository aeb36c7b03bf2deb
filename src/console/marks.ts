/** The differences of a chat environment from its template, and the calls that made them. */
import type { CallPage, EnvironmentDetail, RunEvents, RunList } from "~/clients/typescript/schema";
import { ask } from "~/console/api";
import type { ChatMessage } from "~/console/chat-data";

/** A call of a run. */
export type Cause = { readonly runId: string; readonly n: number; readonly name: string };

type SeedMessage = {
  ts: string;
  text: string;
  channel?: string;
  replies?: SeedMessage[];
  reactions?: { name: string; users: string[] }[];
};
type Seed = { channels?: { id: string; name?: string }[]; messages?: SeedMessage[] };

/** The messages of a template, by conversation and timestamp. */
export type Baseline = ReadonlyMap<string, { readonly text: string; readonly reactions: string }>;

const RUNS_MAX = 10;
const CALLS_MAX = 1_000;
/** A template's moment `2026-01-05T09:00:00Z` is posted at this fraction of the second. */
const FRACTION = ".000100";

const keyOf = (channel: string, ts: string) => `${channel} ${ts}`;
const tsOf = (ts: string) =>
  ts.includes("T") ? `${Math.floor(Date.parse(ts) / 1000)}${FRACTION}` : ts;
const countsOf = (reactions: readonly { name: string; users: readonly string[] }[] = []) =>
  JSON.stringify(reactions.map(({ name, users }) => `${name} ${users.length}`).toSorted());

/** The template's messages; undefined if it cannot be read any more. */
export async function readBaseline(environment: EnvironmentDetail): Promise<Baseline | undefined> {
  const name = encodeURIComponent(environment.templateSchema);
  const seed = await ask<Seed>(`/api/platform/templates/${name}/seed`).catch(() => undefined);
  if (!seed) return undefined;
  const ids = new Map((seed.channels ?? []).map(({ id, name }) => [name ?? id, id]));
  const found = new Map<string, { text: string; reactions: string }>();
  for (const message of seed.messages ?? []) {
    const channel = ids.get(message.channel ?? "") ?? message.channel ?? "";
    for (const { ts, text, reactions } of [message, ...(message.replies ?? [])])
      found.set(keyOf(channel, tsOf(ts)), { text, reactions: countsOf(reactions) });
  }
  return found;
}

export type Mark = "new" | "changed" | undefined;

export function markOf(
  baseline: Baseline | undefined,
  channel: string,
  { ts, text, reactions, edited }: ChatMessage,
): Mark {
  if (!baseline) return undefined;
  const known = baseline.get(keyOf(channel, ts));
  if (!known) return "new";
  const isSame = known.reactions === countsOf(reactions) && (!edited || known.text === text);
  return isSame ? undefined : "changed";
}

/** The calls that touched messages, by conversation and timestamp; of the newest runs that have ended. */
export async function readCauses(environmentId: string): Promise<ReadonlyMap<string, Cause>> {
  const causes = new Map<string, Cause>();
  const { runs } = await ask<RunList>(
    `/api/platform/runs?environmentId=${environmentId}&limit=${RUNS_MAX}`,
  );
  for (const { runId, status } of runs.toReversed()) {
    if (status === "running") continue;
    const [{ events }, { calls }] = await Promise.all([
      ask<RunEvents>(`/api/platform/runs/${runId}/events`),
      ask<CallPage>(`/api/platform/runs/${runId}/calls?limit=${CALLS_MAX}`),
    ]);
    for (const { n, name, changes } of calls)
      for (const position of changes ?? []) {
        const { channel_id: channel, ts } = events[position - 1]?.key ?? {};
        if (typeof channel === "string" && typeof ts === "string")
          causes.set(keyOf(channel, ts), { runId, n, name });
      }
  }
  return causes;
}

export const causeOf = (causes: ReadonlyMap<string, Cause>, channel: string, ts: string) =>
  causes.get(keyOf(channel, ts));
