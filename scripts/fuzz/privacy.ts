/** Authorship in an environment, and content that its own user must not see. */
import { sizeOf } from "~/input/json";
import { COLUMN_MAX as CHAT_COLUMN_MAX } from "~/replicas/chat/arguments";
import { COLUMN_MAX as TRACKER_COLUMN_MAX } from "~/replicas/tracker/lengths";
import type { World } from "./world";

/** Written in a conversation and in a team without the environment's own user. */
export const PRIVATE = "not for the eyes of the agent";

export const CHAT_AGENT = "U01AGENTONE";
export const TRACKER_AGENT = "b0000000-0000-4000-8000-000000000001";
export const TRACKER_MARIA = "b0000000-0000-4000-8000-000000000011";

type Row = { readonly __table__: string; readonly [column: string]: unknown };
type Diff = {
  readonly inserts: readonly Row[];
  readonly updates: readonly { readonly after: object }[];
};
type Must = (
  path: string,
  body: object,
  headers: Record<string, string>,
  // biome-ignore lint/suspicious/noExplicitAny: answers of services.
) => Promise<any>;

/** Writes PRIVATE into both environments as another user, and registers the ids of its places. */
export async function plantPrivate(
  must: Must,
  place: World,
  key: string,
  urls: { readonly chat: string; readonly tracker: string },
): Promise<void> {
  const chat = (method: string, body: object) =>
    must(`${urls.chat}/${method}`, body, {
      "X-API-Key": key,
      Authorization: "Bearer xoxp-U02JOHNADOE",
    });
  const tracker = (query: string) =>
    must(`${urls.tracker}/graphql`, { query }, { "X-API-Key": key, Authorization: TRACKER_MARIA });
  const { channel } = await chat("conversations.open", { users: "U03ROBINRAY" });
  await chat("chat.postMessage", { channel: channel.id, text: PRIVATE });
  const { data } = await tracker(
    'mutation { teamCreate(input: { name: "Others", private: true }) { team { id } } }',
  );
  const team = data.teamCreate.team.id;
  const made = await tracker(
    `mutation { issueCreate(input: { teamId: "${team}", title: "${PRIVATE}" }) { issue { id } } }`,
  );
  for (const kind of ["channel", "privateChannel"]) place.add(kind, "own", channel.id);
  for (const kind of ["team", "privateTeam"]) place.add(kind, "own", team);
  place.add("issue", "own", made.data.issueCreate.issue.id);
}

/** Returns the fault of an answer to the environment's own user, or undefined. */
export function actingFault(path: string, text: string): string | undefined {
  if (text.includes(PRIVATE)) return "leaked content of other users";
  const chat = /auth\.test/.test(path) ? /"user_id":"(\w+)"/.exec(text)?.[1] : undefined;
  if (chat !== undefined && chat !== CHAT_AGENT) return `acted as ${chat}`;
  const tracker = /"viewer":\{"id":"([^"]+)"/.exec(text)?.[1];
  if (tracker !== undefined && tracker !== TRACKER_AGENT) return `acted as ${tracker}`;
  return undefined;
}

/** Columns with the author of a row. */
const AUTHORS: Readonly<Record<string, readonly [column: string, self: string]>> = {
  messages: ["user_id", CHAT_AGENT],
  reactions: ["user_id", CHAT_AGENT],
  channels: ["creator", CHAT_AGENT],
  files: ["user_id", CHAT_AGENT],
  scheduled_messages: ["user_id", CHAT_AGENT],
  issues: ["creatorId", TRACKER_AGENT],
  comments: ["userId", TRACKER_AGENT],
  projects: ["creatorId", TRACKER_AGENT],
  documents: ["creatorId", TRACKER_AGENT],
};

/** Returns the fault of the diff of a run in which only the environment's own user acted. */
export function authorsFault({ inserts }: Diff): string | undefined {
  for (const row of inserts) {
    const [column = "", self] = AUTHORS[row.__table__] ?? [];
    const author = row[column];
    // A message with a subtype is about a user; the author of an app's message is the app.
    if (author === undefined || author === null || row["subtype"] || row["bot_id"]) continue;
    if (author !== self) return `a row of ${row.__table__} by ${author}`;
  }
  return undefined;
}

/** Returns values of a diff that are longer than the service allows. */
export function lengthsFault({ inserts, updates }: Diff, service: string): string | undefined {
  const max = service === "chat" ? CHAT_COLUMN_MAX : TRACKER_COLUMN_MAX;
  for (const row of [...inserts, ...updates.map(({ after }) => after)])
    for (const [column, value] of Object.entries(row)) {
      const size = sizeOf(value, max);
      if (size > max) return `${column} holds ${size} characters`;
    }
  return undefined;
}
