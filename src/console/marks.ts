/** How an environment differs from its template, and the calls that caused it. */
import type { CallPage, EnvironmentDetail, RunEvents, RunList } from "~/clients/typescript/schema";
import { ask } from "~/console/api";
import type { ChatMessage } from "~/console/chat-data";
import { type Row, readRows } from "~/console/rows";
import type { Issue } from "~/console/tracker-data";

/** A call of a run. */
export type Cause = { readonly runId: string; readonly n: number; readonly name: string };

/** The messages of a template, by conversation and timestamp. */
export type Baseline = ReadonlyMap<string, { readonly text: string; readonly reactions: string }>;

/** Tables whose rows are shown on their own. */
const TRACKED = new Set(["issues", "comments"]);
const RUNS_MAX = 10;
const CALLS_MAX = 1_000;

const keyOf = (channel: unknown, ts: unknown) => `${channel} ${ts}`;

/** The emoji of all reactions, each as often as users have added it. */
const reactionsOf = (names: readonly unknown[]) => names.toSorted().join(" ");

/** The template's messages; undefined if it does not exist any more. */
export async function readBaseline(environment: EnvironmentDetail): Promise<Baseline | undefined> {
  const tables = ["messages", "reactions"];
  const rows = await readRows(ask, environment.templateSchema, tables).catch(() => undefined);
  if (!rows) return undefined;
  const idOf = (row: Row) => keyOf(row["channel_id"], row["ts"]);
  const reactions = Map.groupBy(rows["reactions"] ?? [], idOf);
  return new Map(
    (rows["messages"] ?? []).map((row) => {
      const names = (reactions.get(idOf(row)) ?? []).map(({ name }) => name);
      return [idOf(row), { text: String(row["text"]), reactions: reactionsOf(names) }];
    }),
  );
}

/** `touched`: a call changed what belongs to it, or what is not compared. */
export type Mark = "new" | "changed" | "touched" | undefined;

export function markOf(
  baseline: Baseline | undefined,
  channel: string,
  { ts, text, reactions, edited }: ChatMessage,
): Mark {
  if (!baseline) return undefined;
  const known = baseline.get(keyOf(channel, ts));
  if (!known) return "new";
  const names = (reactions ?? []).flatMap(({ name, users }) => users.map(() => name));
  const isSame = known.reactions === reactionsOf(names) && (!edited || known.text === text);
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

/** Rows of a template by id; undefined if it does not exist any more. */
export type IssueBaseline = ReadonlyMap<unknown, Row> | undefined;

/** The template's issues and comments. */
export async function readIssueBaseline(environment: EnvironmentDetail): Promise<IssueBaseline> {
  const tables = ["issues", "comments"];
  const rows = await readRows(ask, environment.templateSchema, tables).catch(() => undefined);
  return (
    rows && new Map(Object.values(rows).flatMap((list) => list.map((row) => [row["id"], row])))
  );
}

/** Compares the fields that a board shows. */
export function issueMarkOf(
  baseline: IssueBaseline,
  { id, title, state, priority, assignee }: Issue,
): Mark {
  if (!baseline) return undefined;
  const known = baseline.get(id);
  if (!known) return "new";
  const isSame =
    known["title"] === title &&
    known["stateId"] === state.id &&
    known["priority"] === priority &&
    known["assigneeId"] === (assignee?.id ?? null);
  return isSame ? undefined : "changed";
}
