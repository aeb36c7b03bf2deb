/** How messages differ from the template. */
import type { RunEvent } from "~/clients/typescript/schema";
import { ask } from "~/console/api";
import type { Mark } from "~/console/marks";
import type { Row } from "~/console/rows";
import type { ChatMessage } from "~/console/services/chat/data";
import { readOwnRows, type ServiceEnvironment } from "~/console/services/member";

/** The messages of a template, by conversation and timestamp. */
export type Baseline = ReadonlyMap<string, { readonly text: string; readonly reactions: string }>;

export const keyOf = (channel: unknown, ts: unknown) => `${channel} ${ts}`;

/** The message that a change belongs to. */
export function subjectsOf({ key: { channel_id: channel, ts } }: RunEvent): string[] {
  return typeof channel === "string" && typeof ts === "string" ? [keyOf(channel, ts)] : [];
}

/** The emoji of all reactions, each as often as users have added it. */
const reactionsOf = (names: readonly unknown[]) => names.toSorted().join(" ");

/** The template's messages; undefined if it does not exist any more. */
export async function readBaseline(environment: ServiceEnvironment): Promise<Baseline | undefined> {
  const tables = ["messages", "reactions"];
  const rows = await readOwnRows(ask, environment, tables).catch(() => undefined);
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
