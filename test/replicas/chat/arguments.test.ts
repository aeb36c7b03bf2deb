/** Every argument has a maximum length, and so does content that several calls accumulate. */
import { beforeAll, describe, expect, test } from "bun:test";
import { METHODS } from "~/replicas/chat/api/index";
import { COLUMN_MAX, convert } from "~/replicas/chat/arguments";
import { ChatError } from "~/replicas/chat/errors";
import { HELD_UP_MS, heldUp } from "../../support/turns";
import { AGENT, GENERAL, JOHN, outcome, type Scene, useScenes, WELCOME } from "./scene";

/** More than a column holds. */
const LONG = "x".repeat(2 * COLUMN_MAX);

const writable = [...METHODS.values()].flatMap(({ name, args }) =>
  Object.entries(args.properties)
    .filter(([, schema]) => !schema["enum"] && schema["format"] !== "binary")
    .filter(([, { type }]) => type !== "integer" && type !== "boolean")
    .map(([argument, schema]) => ({ name, args, argument, schema })),
);

const items = (count: number, length: number) => Array(count).fill("x".repeat(length));
const LONG_VALUES: Readonly<Record<"json" | "array" | "string", readonly unknown[]>> = {
  json: [JSON.stringify(LONG), LONG, { a: LONG }, [{ b: [LONG] }], { [LONG]: 1 }, items(40_000, 9)],
  array: [LONG, "x,".repeat(COLUMN_MAX), items(40_000, 9), items(4_000, 300)],
  string: [LONG],
};

test("no text, list or JSON argument may be longer than a column", () => {
  expect(writable.length).toBeGreaterThan(400);
  const taken = writable.flatMap(({ name, args, argument, schema }) => {
    const values = LONG_VALUES["json" in schema ? "json" : (schema["type"] as "string" | "array")];
    return values.flatMap((value, index) => {
      try {
        convert(args, new Map([[argument, value]]));
        return [`${name} ${argument} ${index}`];
      } catch (error) {
        if (!(error instanceof ChatError)) throw error;
        const { response_metadata: metadata } = error.fields;
        const isNamed = JSON.stringify(metadata ?? "").includes(`[json-pointer:/${argument}]`);
        return error.code !== "invalid_arguments" || isNamed
          ? []
          : [`${name} ${argument} ${index}`];
      }
    });
  });

  expect(taken).toEqual([]);
});

const OBJECTS = [{}, { a: 1 }, [], ["x"], [{}]];
/** Values that no argument of the type takes; bytes are text in forms, and `json` takes any. */
const MISFITS: Readonly<Record<string, readonly unknown[]>> = {
  string: OBJECTS,
  integer: [...OBJECTS, "x", "1.5", "1e3", true],
  boolean: [...OBJECTS, "yes", 2],
  array: [{}, { a: 1 }, [1], [{}], ["x", null], 5, true],
  binary: [...OBJECTS, 5, true],
};

test("no argument takes a value of another type", () => {
  const taken = [...METHODS.values()].flatMap(({ name, args }) =>
    Object.entries(args.properties).flatMap(([argument, schema]) => {
      if ("json" in schema) return [];
      const type = schema["format"] === "binary" ? "binary" : String(schema["type"] ?? "string");
      return (MISFITS[type] ?? OBJECTS).flatMap((value) => {
        try {
          convert(args, new Map([[argument, value]]));
        } catch (error) {
          const { response_metadata: metadata } = (error as ChatError).fields;
          const pointer = `[json-pointer:/${argument}]`;
          if (JSON.stringify(metadata ?? "").includes(pointer)) return [];
        }
        return [`${name} ${argument} ${JSON.stringify(value)}`];
      });
    }),
  );

  expect(taken).toEqual([]);
});

const newScene = useScenes();

describe("a call", () => {
  let scene: Scene;
  beforeAll(async () => {
    scene = await newScene();
  });

  const send = async (method: string, type: string, body: string) => {
    const response = await fetch(`${scene.url}/${method}`, {
      method: "POST",
      headers: { "Content-Type": type, Authorization: `Bearer xoxp-${AGENT}` },
      body,
    });
    return { status: response.status, ...((await response.json()) as { error?: string }) };
  };
  const FORM = "application/x-www-form-urlencoded";
  const JSON_TYPE = "application/json; charset=utf-8";
  const json = (value: unknown) => JSON.stringify(value);
  const form = (fields: Record<string, string>) => new URLSearchParams(fields).toString();
  const BLOCKS = Array(200_000).fill({ type: "divider" });

  test.each([
    [
      "blocks by the hundred thousand",
      "chat.postMessage",
      JSON_TYPE,
      () => json({ channel: GENERAL, blocks: BLOCKS.slice(0, 100_000) }),
      "invalid_json",
    ],
    [
      "as many in a form",
      "chat.postMessage",
      FORM,
      () => form({ channel: GENERAL, blocks: json(BLOCKS.slice(0, 90_000)) }),
      "msg_blocks_too_long",
    ],
    [
      "twenty thousand blocks",
      "chat.postMessage",
      JSON_TYPE,
      () => json({ channel: GENERAL, blocks: BLOCKS.slice(0, 20_000) }),
      "msg_blocks_too_long",
    ],
    [
      "a text of 40,001 characters",
      "chat.postMessage",
      JSON_TYPE,
      () => json({ channel: GENERAL, text: "x".repeat(40_001) }),
      "msg_too_long",
    ],
    [
      "a text that grows beyond twice that",
      "chat.postMessage",
      JSON_TYPE,
      () => json({ channel: GENERAL, text: "&".repeat(40_000) }),
      "msg_too_long",
    ],
    [
      "attachments beyond their payload",
      "chat.postMessage",
      JSON_TYPE,
      () => json({ channel: GENERAL, attachments: [{ text: "x".repeat(60_000) }] }),
      "attachment_payload_limit_exceeded",
    ],
    [
      "a topic of 251 characters",
      "conversations.setTopic",
      JSON_TYPE,
      () => json({ channel: GENERAL, topic: "x".repeat(251) }),
      "too_long",
    ],
    [
      "a topic of a megabyte",
      "conversations.setTopic",
      JSON_TYPE,
      () => json({ channel: GENERAL, topic: "x".repeat(1_000_000) }),
      "too_long",
    ],
    [
      "a channel's name of a megabyte",
      "conversations.create",
      JSON_TYPE,
      () => json({ name: "x".repeat(1_000_000) }),
      "invalid_name_maxlength",
    ],
    [
      "people by the million",
      "conversations.invite",
      FORM,
      () => `channel=${GENERAL}&users=${",".repeat(4_000_000)}`,
      "invalid_arguments",
    ],
    [
      "a form of millions of fields",
      "api.test",
      FORM,
      () => "a&".repeat(2_000_000),
      "invalid_form_data",
    ],
    [
      "a view of a megabyte",
      "views.publish",
      JSON_TYPE,
      () =>
        json({
          user_id: AGENT,
          view: { type: "home", blocks: [], private_metadata: "x".repeat(1_000_000) },
        }),
      "view_too_large",
    ],
  ] as const)("with %s is refused, soon", async (_what, method, type, body, error) => {
    const text = body();
    let answer: Awaited<ReturnType<typeof send>> | undefined;
    const held = await heldUp(async () => {
      answer = await send(method, type, text);
    });

    expect(answer).toMatchObject({ status: 200, error });
    expect(held).toBeLessThan(HELD_UP_MS);
  });
});

describe("content that several calls accumulate is limited by its column", () => {
  /** How often a call is accepted, up to `most` times, and the next answer. */
  async function until(most: number, call: (index: number) => Promise<unknown>) {
    for (let index = 0; index < most; index++) {
      const answer = await outcome(call(index));
      if (answer !== "ok") return [index, answer];
    }
    return [most, "ok"];
  }

  test("blocks of a stream", async () => {
    const { agent } = await newScene();
    const { ts = "" } = await agent.chat.startStream({
      channel: GENERAL,
      thread_ts: WELCOME,
      recipient_user_id: JOHN,
      recipient_team_id: "T01DIORAMA",
    } as never);
    const blocks = Array.from({ length: 5 }, () => ({
      type: "section",
      text: { type: "mrkdwn", text: "x".repeat(2_900) },
    }));

    const end = await until(10, () =>
      agent.chat.appendStream({
        channel: GENERAL,
        ts,
        chunks: [{ type: "blocks", blocks }],
      } as never),
    );

    expect(end).toEqual([3, "msg_blocks_too_long"]);
  });

  test("unfurls of a message", async () => {
    const { agent } = await newScene();
    const urls = Array.from({ length: 9 }, (_, index) => `https://acme.test/${index}`);
    const { ts = "" } = await agent.chat.postMessage({ channel: GENERAL, text: urls.join(" ") });

    const end = await until(urls.length, (index) =>
      agent.chat.unfurl({
        channel: GENERAL,
        ts,
        unfurls: { [urls[index] ?? ""]: { text: "x".repeat(9_000) } },
      } as never),
    );

    expect(end).toEqual([5, "attachment_payload_limit_exceeded"]);
  });

  test("people of a call", async () => {
    const { agent } = await newScene();
    const { call }: any = await agent.calls.add({
      external_unique_id: "x",
      join_url: "https://acme.test",
    });

    const end = await until(10, (index) =>
      agent.calls.participants.add({
        id: call.id,
        users: [{ external_id: `e${index}`, display_name: "x".repeat(90_000) }],
      }),
    );

    expect(end).toEqual([2, "bad_users"]);
  });

  test("sections of a canvas", async () => {
    const { agent } = await newScene();
    const markdown = "a\n\n".repeat(3_000);
    const { canvas_id: id = "" } = await agent.canvases.create({ title: "Long" });

    const end = await until(20, () =>
      agent.canvases.edit({
        canvas_id: id,
        changes: [{ operation: "insert_at_end", document_content: { type: "markdown", markdown } }],
      }),
    );

    expect(end).toEqual([1, "canvas_editing_failed"]);
  });

  test("cells of a row", async () => {
    const { agent } = await newScene();
    const schema = Array.from({ length: 6 }, (_, index) => ({
      key: `c${index}`,
      name: `Column ${index}`,
      type: "text",
      is_primary_column: index === 0,
    }));
    const made: any = await agent.slackLists.create({ name: "Errands", schema } as never);
    const { item }: any = await agent.slackLists.items.create({ list_id: made.list_id });
    const text = { type: "rich_text", elements: [{ type: "text", text: "x".repeat(30_000) }] };

    const end = await until(schema.length, (index) =>
      agent.slackLists.items.update({
        list_id: made.list_id,
        cells: [{ row_id: item.id, column_id: `c${index}`, rich_text: [text] }],
      } as never),
    );

    expect(end).toEqual([expect.any(Number), "over_cell_fields_limit"]);
    expect(end[0]).toBeGreaterThan(1);
  });

  test("previous names of a channel", async () => {
    const { agent, john } = await newScene();
    const { channel } = await agent.conversations.create({ name: "first" });
    const id = channel?.id ?? "";
    for (let index = 0; index < 105; index++)
      await agent.conversations.rename({ channel: id, name: `name-${index}` });

    const { channel: found } = await john.conversations.info({ channel: id });

    expect(found?.previous_names).toHaveLength(100);
    expect(found?.previous_names?.[0]).toBe("name-103");
  });
});

describe("a page of long messages", () => {
  test.each([
    ["conversations.history", {}],
    ["conversations.replies", { ts: WELCOME }],
  ])("of %s ends before its limit, and continues at its cursor", async (method, args) => {
    const { agent, sql, schema } = await newScene();
    const thread = "ts" in args ? WELCOME : null;
    await sql`
      insert into ${sql(`${schema}.messages`)} (channel_id, ts, thread_ts, user_id, text)
      select ${GENERAL}, (1767700000 + n)::text || '.000000', ${thread}, ${JOHN}, repeat('x', 40000)
      from generate_series(1, 450) n
    `;

    const seen: string[] = [];
    const sizes: number[] = [];
    let cursor = "";
    do {
      const page: any = await agent.apiCall(method, {
        channel: GENERAL,
        limit: 900,
        cursor,
        ...args,
      });
      sizes.push(page.messages.length);
      seen.push(...page.messages.map(({ ts }: { ts: string }) => ts));
      expect(page.has_more).toBe(page.response_metadata.next_cursor !== "");
      cursor = page.response_metadata.next_cursor;
    } while (cursor);

    expect(Math.max(...sizes)).toBeLessThan(300);
    expect(new Set(seen).size).toBe(seen.length);
    expect(seen.length).toBeGreaterThan(450);
  });
});

test("a list that is too long for one result needs a limit", async () => {
  const { agent, sql, schema } = await newScene();
  await sql`
    insert into ${sql(`${schema}.scheduled_messages`)}
      (id, channel_id, user_id, post_at, text, reply_broadcast, date_created)
    select 'Q' || n, ${GENERAL}, ${AGENT}, 2000000000 + n, repeat('x', 80000), false, 1767700000
    from generate_series(1, 600) n
  `;
  const list = (limit: number) => agent.chat.scheduledMessages.list({ channel: GENERAL, limit });

  expect(await outcome(list(1_000))).toBe("limit_required");
  expect((await list(100)).scheduled_messages).toHaveLength(100);
});
