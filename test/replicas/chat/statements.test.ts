/** The cost of calls: the number of statements is independent of the number of rows. */
import { describe, expect, test } from "bun:test";
import { SESSION } from "~/db/connect";
import { openSession, tablesOf } from "~/db/session";
import { NO_ALIASES } from "~/input/aliases";
import { METHODS } from "~/replicas/chat/api/index";
import { chat } from "~/replicas/chat/index";
import { newAccount } from "~/replicas/replica";
import { HeaderList, HttpRequest, textOf } from "~/wire/message";
import { plainPool } from "../../support/database";
import { AGENT, GENERAL, JOHN, RANDOM, type Scene, useScenes, WELCOME } from "./scene";

const newScene = useScenes();

/** Calls the service without the platform, on a connection that counts statements. */
async function counting(scene: Scene) {
  const { schema } = scene;
  const tables = await scene.sql<{ name: string }[]>`
    select tablename as name from pg_tables where schemaname = ${schema}
  `;
  let statements = 0;
  const pool = plainPool(scene.databaseUrl, {
    max: 1,
    // As in the session pool.
    connection: { ...SESSION, plan_cache_mode: "force_generic_plan", enable_seqscan: "off" },
    onnotice: () => {},
    debug: () => {
      statements++;
    },
  });
  await pool`select`;
  const session = openSession(pool, schema, tablesOf(pool, schema, tables));
  return {
    end: () => pool.end(),
    /** The number of statements of a call. Fails when it is rejected. */
    async count(method: string, args: object): Promise<number> {
      const body = new TextEncoder().encode(JSON.stringify(args));
      const headers = { "Content-Type": "application/json; charset=utf-8" };
      statements = 0;
      const response = await chat.handle({
        request: new HttpRequest("POST", "/", HeaderList.of(headers)),
        path: method,
        body,
        session,
        actor: AGENT,
        userToken: undefined,
        account: newAccount("test"),
        isAnonymous: false,
        mayImpersonate: false,
        hasApp: async () => false,
        userOfApp: async () => undefined,
        answerEvent: async () => undefined,
        failuresOf: async () => new Map(),
        baseUrl: "http://test",
        secret: new Uint8Array(),
        aliases: NO_ALIASES,
      });
      const answer: any = JSON.parse(textOf(response));
      expect(answer.ok, JSON.stringify(answer)).toBe(true);
      return statements;
    },
    /** The number of pages of tables and indexes read so far. */
    async pages(): Promise<number> {
      await pool`select pg_stat_force_next_flush()`;
      const [row] = await pool<{ pages: number }[]>`
        select sum(heap_blks_read + heap_blks_hit + idx_blks_read + idx_blks_hit)::int as pages
        from pg_statio_user_tables where schemaname = ${schema}
      `;
      return row?.pages ?? 0;
    },
  };
}

/** Threads, reactions, pins and files, `size` of each. */
async function fill({ agent, john }: Scene, size: number): Promise<void> {
  const name = `filled-${size}`;
  for (let n = 0; n < size; n++) {
    const { ts = "" } = await agent.chat.postMessage({ channel: GENERAL, text: `${n}` });
    await john.chat.postMessage({
      channel: GENERAL,
      text: "re",
      thread_ts: ts,
      reply_broadcast: true,
    });
    await john.reactions.add({ channel: GENERAL, timestamp: ts, name: "tada" });
    await agent.reactions.add({ channel: GENERAL, timestamp: ts, name: "wave" });
    await agent.pins.add({ channel: GENERAL, timestamp: ts });
    await agent.chat.postMessage({ channel: GENERAL, text: "re", thread_ts: WELCOME });
    await agent.conversations.create({ name: `${name}-${n}` });
    await agent.files.uploadV2({
      channel_id: GENERAL,
      filename: `${n}.txt`,
      content: "x",
    } as never);
  }
}

/**
 * Makes the schema's tables new to the planner, and keeps autovacuum away: it would read pages, too, and what it
 * found in small tables, before or during a test, would choose the plans that are kept.
 */
async function forgetSizes({ sql, schema }: Scene): Promise<void> {
  const tables = await sql<{ oid: number; name: string }[]>`
    select c.oid::int, c.oid::regclass::text as name from pg_class c
    where c.relnamespace = ${schema}::regnamespace and c.relkind = 'r'
  `;
  for (const { name } of tables)
    await sql.unsafe(`alter table ${name} set (autovacuum_enabled = off)`);
  const oids = tables.map(({ oid }) => oid);
  await sql`delete from pg_statistic where starelid = any(${oids})`;
  await sql`
    update pg_class set relpages = 0, reltuples = -1
    where oid = any(${oids})
  `;
}

const ROUNDS = 4;

const HOT: readonly (readonly [string, object, number])[] = [
  ["chat.postMessage", { channel: GENERAL, text: "hi" }, 1],
  ["chat.postMessage", { channel: GENERAL, text: "hi", thread_ts: WELCOME }, 1],
  ["chat.postMessage", { channel: "#general", text: "hi" }, 2],
  ["conversations.history", { channel: RANDOM }, 1],
  ["conversations.history", { channel: GENERAL }, 2],
  ["conversations.replies", { channel: GENERAL, ts: WELCOME }, 2],
  ["reactions.add", { channel: GENERAL, timestamp: WELCOME, name: "eyes" }, 1],
  ["conversations.list", {}, 1],
  ["users.list", {}, 1],
];

const LISTS: readonly (readonly [string, object])[] = [
  ["conversations.history", { channel: GENERAL }],
  ["conversations.replies", { channel: GENERAL, ts: WELCOME }],
  ["conversations.list", {}],
  ["conversations.members", { channel: GENERAL }],
  ["conversations.info", { channel: GENERAL }],
  ["users.list", {}],
  ["users.conversations", { user: JOHN }],
  ["reactions.get", { channel: GENERAL, timestamp: WELCOME }],
  ["reactions.list", {}],
  ["pins.list", { channel: GENERAL }],
  ["files.list", {}],
  ["emoji.list", {}],
  ["usergroups.list", { include_users: true }],
  ["chat.scheduledMessages.list", {}],
  ["search.messages", { query: "re in:general from:@john" }],
  ["search.files", { query: "x" }],
  ["search.all", { query: "re" }],
  ["stars.list", {}],
  ["bookmarks.list", { channel_id: GENERAL }],
  ["reminders.list", {}],
];

describe("a call", () => {
  test("that is frequent takes one statement, or two for a name or for reactions and threads", async () => {
    const scene = await newScene();
    const { count, end } = await counting(scene);

    const counts: unknown[] = [];
    for (const [method, args] of HOT) counts.push([method, args, await count(method, args)]);
    await end();

    expect(counts).toEqual(HOT as never);
  });

  test("that lists takes as many statements for many rows as for few", async () => {
    const scene = await newScene();
    const { count, end } = await counting(scene);
    const measure = async () => {
      const counts: Record<string, number> = {};
      for (const [method, args] of LISTS) counts[method] = await count(method, args);
      return counts;
    };
    await fill(scene, 1);
    const few = await measure();

    await fill(scene, 12);

    expect(await measure()).toEqual(few);
    await end();
  });

  // Statements are planned while tables are almost empty, and the plans are kept.
  test.each([["chat_base"], ["chat_default"]])(
    "of %s looks at as few pages in a large channel as in a small one",
    async (template) => {
      const scene = await newScene(template);
      const { count, pages, end } = await counting(scene);
      await forgetSizes(scene);
      const { ts = "" } = await scene.agent.chat.postMessage({ channel: RANDOM, text: "mine" });
      await scene.john.chat.postMessage({ channel: RANDOM, text: "re", thread_ts: ts });
      await scene.agent.pins.add({ channel: RANDOM, timestamp: ts });
      await scene.agent.reactions.add({ channel: RANDOM, timestamp: ts, name: "tada" });
      await scene.agent.files.uploadV2({
        channel_id: RANDOM,
        filename: "a.txt",
        content: "a",
      } as never);
      const calls: readonly (readonly [string, object])[] = [
        ["conversations.history", { channel: RANDOM, limit: 20 }],
        ["conversations.history", { channel: RANDOM, limit: 20, latest: "1767700000" }],
        ["conversations.replies", { channel: RANDOM, ts }],
        ["chat.postMessage", { channel: RANDOM, text: "hi" }],
        ["chat.postMessage", { channel: RANDOM, text: "hi", thread_ts: ts }],
        ["chat.getPermalink", { channel: RANDOM, message_ts: ts }],
        ["chat.update", { channel: RANDOM, ts, text: "mine, too" }],
        ["pins.list", { channel: RANDOM }],
        ["reactions.list", {}],
        ["files.list", {}],
        ["reactions.add", { channel: RANDOM, timestamp: ts, name: "eyes" }],
        ["reactions.remove", { channel: RANDOM, timestamp: ts, name: "eyes" }],
      ];
      // The minimum of several rounds: counts of other sessions arrive late and would be added to these calls'.
      const measure = async () => {
        const fewest = calls.map(() => Number.POSITIVE_INFINITY);
        for (let round = 0; round < ROUNDS; round++)
          for (const [index, [method, args]] of calls.entries()) {
            const before = await pages();
            await count(method, args);
            fewest[index] = Math.min(fewest[index]!, (await pages()) - before);
          }
        return fewest;
      };
      const bulk = (from: number, to: number) =>
        scene.sql.unsafe(`
        insert into "${scene.schema}".messages (channel_id, ts, user_id, text)
        select '${RANDOM}', (1780000000 + n)::text || '.000000', '${JOHN}', 'bulk ' || n
        from generate_series(${from}, ${to}) n
      `);
      await bulk(1, 100);
      const small = await measure();

      await bulk(101, 20_000);

      const large = await measure();
      await end();
      // The index grows by a level or two; a scan of it would be hundreds of pages.
      const grown = calls.flatMap(([method], index) =>
        large[index]! > small[index]! * 2 + 20
          ? [{ method, small: small[index], large: large[index] }]
          : [],
      );
      expect(grown).toEqual([]);
    },
  );

  test("that writes for many takes as many statements as for few", async () => {
    const scene = await newScene();
    const { count, end } = await counting(scene);
    await scene.sql.unsafe(`
      insert into "${scene.schema}".users
      select (jsonb_populate_record(u, jsonb_build_object('id', 'U8' || n, 'name', 'user' || n))).*
      from "${scene.schema}".users u, generate_series(10, 59) n where u.id = '${JOHN}'
    `);
    const people = Array.from({ length: 50 }, (_, n) => `U8${n + 10}`);

    const one = await count("conversations.invite", { channel: RANDOM, users: people.slice(0, 1) });
    const many = await count("conversations.invite", { channel: RANDOM, users: people.slice(1) });
    await end();

    expect(many).toBe(one);
  });
});

test("a message to a channel is one statement", async () => {
  const { count, end } = await counting(await newScene());

  expect(await count("chat.postMessage", { channel: GENERAL, text: "hi" })).toBe(1);
  expect(
    await count("chat.postMessage", { channel: GENERAL, text: "hi", thread_ts: WELCOME }),
  ).toBe(1);
  await end();
});

test("every list of tier 1 is measured", () => {
  const lists = [...METHODS.values()].filter(
    ({ name, tier, args }) => tier === 1 && "cursor" in args.properties && name !== "files.info",
  );

  const measured = new Set(LISTS.map(([name]) => name));
  expect(lists.map(({ name }) => name).filter((name) => !measured.has(name))).toEqual([]);
});
