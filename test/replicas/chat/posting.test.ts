/** The answer to a post is the message as it is read afterwards. */
import { expect, test } from "bun:test";
import { openSession, tablesOf } from "~/db/session";
import type { ChatSession } from "~/replicas/chat/method";
import { findMessage } from "~/replicas/chat/store/messages";
import { insertMessage, type NewMessage } from "~/replicas/chat/store/posting";
import ddl from "~/replicas/chat/tables.sql" with { type: "text" };
import { AGENT, BOT, GENERAL, STRAY, useScenes, WELCOME } from "./scene";

const newScene = useScenes();
const tables = [...ddl.matchAll(/^create table (\w+)/gm)].map(([, name = ""]) => ({ name }));

const PLAIN: NewMessage = {
  channel: GENERAL,
  user: AGENT,
  text: "Plain",
  threadTs: null,
  broadcast: false,
  subtype: null,
  username: null,
  icons: null,
  blocks: null,
  attachments: null,
  metadata: null,
  extra: null,
};

const KINDS: readonly (readonly [kind: string, values: Partial<NewMessage>])[] = [
  ["a plain message", {}],
  ["a message of an app", { user: BOT }],
  ["a message of an app outside the channel", { user: STRAY }],
  [
    "a message under another name",
    { user: BOT, subtype: "bot_message", username: "Deploys", icons: { emoji: ":rocket:" } },
  ],
  ["a message with blocks", { blocks: [{ type: "divider", block_id: "one" }] }],
  ["a message with attachments", { attachments: [{ id: 1, fallback: "An attachment" }] }],
  ["a message with metadata", { metadata: { event_type: "built", event_payload: { id: 7 } } }],
  ["a message with further fields", { extra: { is_locked: false, room: { id: "R1" } } }],
  ["a message in the third person", { subtype: "me_message" }],
  ["a notice of the service", { subtype: "channel_topic", extra: { topic: "News" } }],
  ["a reply", { threadTs: WELCOME }],
  ["a reply of an app", { threadTs: WELCOME, user: BOT }],
];

test.each(KINDS)("%s", async (_kind, values) => {
  const { sql, schema } = await newScene();
  const session = openSession(sql, schema, tablesOf(sql, schema, tables)) as ChatSession;
  const message = { ...PLAIN, ...values };

  const posted = await insertMessage(session, message);
  const read = await findMessage(session, message.user, GENERAL, posted!.ts);

  expect(read).toEqual(posted!);
});

test("a reply that is also shown in the channel, but for its root, which only readers see", async () => {
  const { sql, schema } = await newScene();
  const session = openSession(sql, schema, tablesOf(sql, schema, tables)) as ChatSession;
  const message = { ...PLAIN, threadTs: WELCOME, broadcast: true };

  const posted = await insertMessage(session, message);
  const read = await findMessage(session, AGENT, GENERAL, posted!.ts);

  expect(read?.root?.ts).toBe(WELCOME);
  expect({ ...read, root: null } as typeof posted).toEqual(posted);
});
