/** Who did what in an environment, and what its own user must not see there. */
import { sizeOf } from "~/json";
import { COLUMN_MAX as CHAT_COLUMN_MAX } from "~/replicas/chat/arguments";
import { COLUMN_MAX as TRACKER_COLUMN_MAX } from "~/replicas/tracker/lengths";
import type { World } from "./world";

/** Said where the environment's own user is not: in a conversation and in a team of others. */
export const PRIVATE = "not for the eyes of the agent";

export const CHAT_AGENT = "U01AGENT";
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

/** Puts PRIVATE into both environments, as another user than theirs, and makes its places known. */
export async function plantPrivate(
  must: Must,
  place: World,
  key: string,
  urls: { readonly chat: string; readonly tracker: string },
): Promise<void> {
  const chat = (method: string, body: object) =>
    must(`${urls.chat}/${method}`, body, {
      "X-API-Key": key,
      Authorization: "Bearer xoxp-U02JOHN",
    });
  const tracker = (query: string) =>
    must(`${urls.tracker}/graphql`, { query }, { "X-API-Key": key, Authorization: TRACKER_MARIA });
  const { channel } = await chat("conversations.open", { users: "U03ROBIN" });
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

/** What is wrong with an answer to the environment's own user; undefined when nothing is. */
export function actingFault(path: string, text: string): string | undefined {
  if (text.includes(PRIVATE)) return "told what only other users may see";
  const chat = /auth\.test/.test(path) ? /"user_id":"(\w+)"/.exec(text)?.[1] : undefined;
  if (chat !== undefined && chat !== CHAT_AGENT) return `acted as ${chat}`;
  const tracker = /"viewer":\{"id":"([^"]+)"/.exec(text)?.[1];
  if (tracker !== undefined && tracker !== TRACKER_AGENT) return `acted as ${tracker}`;
  return undefined;
}

/** The columns that say who made a row. */
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

/** What is wrong with the diff of a run in which nobody but the environment's own user acted. */
export function authorsFault({ inserts }: Diff): string | undefined {
  for (const row of inserts) {
    const [column = "", self] = AUTHORS[row.__table__] ?? [];
    const author = row[column];
    // A message with a subtype tells of somebody; of an app's messages it is the app that is the author.
    if (author === undefined || author === null || row["subtype"] || row["bot_id"]) continue;
    if (author !== self) return `a row of ${row.__table__} by ${author}`;
  }
  return undefined;
}

/** What a diff holds that is longer than a service takes. */
export function lengthsFault({ inserts, updates }: Diff, service: string): string | undefined {
  const max = service === "chat" ? CHAT_COLUMN_MAX : TRACKER_COLUMN_MAX;
  for (const row of [...inserts, ...updates.map(({ after }) => after)])
    for (const [column, value] of Object.entries(row)) {
      const size = sizeOf(value, max);
      if (size > max) return `${column} holds ${size} characters`;
    }
  return undefined;
}
