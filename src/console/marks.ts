/** How an environment differs from its template, and the calls that caused it. */
import type { CallPage, EnvironmentDetail, RunEvents, RunList } from "~/clients/typescript/schema";
import { ask } from "~/console/api";
import type { ChatMessage } from "~/console/chat-data";
import type { Issue } from "~/console/tracker-data";

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

/** Tables whose rows are shown on their own. */
const TRACKED = new Set(["issues", "comments"]);
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

/** The last call that touched each message, issue and comment, in the newest runs that have ended. */
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
        const { key = {}, table, after, before } = events[position - 1] ?? {};
        const { channel_id: channel, ts, id } = key;
        const cause = { runId, n, name };
        if (typeof channel === "string" && typeof ts === "string")
          causes.set(keyOf(channel, ts), cause);
        if (TRACKED.has(table ?? "") && typeof id === "string") causes.set(id, cause);
        const issue = after?.["issueId"] ?? before?.["issueId"];
        if (typeof issue === "string") causes.set(issue, cause);
      }
  }
  return causes;
}

export const causeOf = (causes: ReadonlyMap<string, Cause>, channel: string, ts: string) =>
  causes.get(keyOf(channel, ts));

/** The template's issues, and the calls that changed issues since. */
export type IssueMarks = {
  readonly baseline: IssueBaseline;
  readonly causes: ReadonlyMap<string, Cause>;
};

type SeedIssue = {
  id?: string;
  identifier?: string;
  title?: string;
  state?: unknown;
  priority?: number;
  assignee?: unknown;
  comments?: SeedComment[];
};
type SeedComment = { body: string; replies?: SeedComment[] };

export type IssueBaseline = ReadonlyMap<string, SeedIssue> | undefined;

/** The template's issues, by identifier; undefined if it cannot be read any more. */
export async function readIssueBaseline(environment: EnvironmentDetail): Promise<IssueBaseline> {
  const name = encodeURIComponent(environment.templateSchema);
  const seed = await ask<{ issues?: SeedIssue[] }>(`/api/platform/templates/${name}/seed`).catch(
    () => undefined,
  );
  return seed && new Map((seed.issues ?? []).map((issue) => [issue.identifier ?? "", issue]));
}

/** Compares the fields that a board shows, as far as the seed has them in a comparable form. */
export function issueMarkOf(
  baseline: IssueBaseline,
  { identifier, title, state, priority, assignee }: Issue,
): Mark {
  if (!baseline) return undefined;
  const known = baseline.get(identifier);
  if (!known) return "new";
  const people = [assignee?.id, assignee?.name, assignee?.displayName];
  const isSame =
    (known.title ?? title) === title &&
    (typeof known.state !== "string" || [state.name, state.id].includes(known.state)) &&
    (known.priority ?? 0) === priority &&
    (known.assignee === undefined || known.assignee === null
      ? assignee === null
      : typeof known.assignee !== "string" || people.includes(known.assignee));
  return isSame ? undefined : "changed";
}

export function isNewComment(baseline: IssueBaseline, identifier: string, body: string): boolean {
  if (!baseline) return false;
  const isSame = (each: SeedComment): boolean =>
    each.body.trim() === body.trim() || Boolean(each.replies?.some(isSame));
  return !baseline.get(identifier)?.comments?.some(isSame);
}
