/** The cost of events: the number of statements is independent of the number of changes. */
import { expect, test } from "bun:test";
import { openSession, tablesOf } from "~/db/session";
import { events } from "~/replicas/chat/events/index";
import type { ChatSession } from "~/replicas/chat/method";
import type { RowChange } from "~/replicas/events";
import { plainPool } from "../../../support/database";
import { BOT, GENERAL, JOHN, useScenes, WELCOME } from "../scene";
import { MEMBER, OUTSIDER, TABLES } from "./observe";

const newScene = useScenes();
const STATEMENTS_MAX = 9;
const EMPTY = { username: null, icons: null, blocks: null, attachments: null, edited: null };

/** A broadcast reply with a file, a reaction, a pin and a member. */
function changesOf(n: number): Pick<RowChange, "table" | "before" | "after">[] {
  const place = { channel_id: GENERAL, ts: `17676037${String(n).padStart(2, "0")}.000000` };
  const message = {
    ...{ ...place, thread_ts: WELCOME, subtype: "thread_broadcast", text: "hi", user_id: BOT },
    ...{ bot_id: "B06BOT", app_id: "A06BOT", metadata: { event_type: "x" }, extra: null, ...EMPTY },
  };
  const member = { channel_id: `C${n}`, user_id: JOHN, is_open: false };
  const rows: [string, object][] = [
    ["messages", message],
    ["file_shares", { file_id: `F${n}`, ...place, place: 1 }],
    ["reactions", { ...place, name: "tada", user_id: JOHN, created_at: 1 }],
    ["pins", { ...place, created_by: JOHN, created_at: 1 }],
    ["channel_members", member],
  ];
  return rows.map(([table, row]) => ({ table, before: null, after: row as never }));
}

test("a batch takes as many statements as a single change", async () => {
  const { databaseUrl, schema } = await newScene();
  let statements = 0;
  const pool = plainPool(databaseUrl, { max: 1, debug: () => statements++ });
  await pool`select`;
  const list = TABLES.map((name) => ({ name }));
  const session = openSession(pool, schema, tablesOf(pool, schema, list)) as ChatSession;
  const cost = async (size: number) => {
    const changes = Array.from({ length: size }, (_, n) => changesOf(n)).flat();
    statements = 0;
    const numbered = changes.map((change, at) => ({
      ...change,
      ...{
        number: at + 1,
        transaction: `${Math.floor(at / 5)}`,
        micros: 1_767_603_800_000_000 + at,
      },
    }));
    const found = await events.derive(session, numbered, [MEMBER, OUTSIDER], async () => []);
    expect(found.length).toBeGreaterThanOrEqual(size * 3);
    return statements;
  };

  await cost(1); // reads the types of parameters
  const [one, many] = [await cost(1), await cost(40)];
  await pool.end();

  expect(many).toBe(one);
  expect(one).toBeLessThanOrEqual(STATEMENTS_MAX);
});
