/** Bad inputs to chat. */
import { describe, expect, test } from "bun:test";
import { useSharedDatabase } from "../support/database";
import { useProgram } from "../support/program";

const database = useSharedDatabase();
const program = useProgram(database);

const GENERAL = "C01GENERAL";
const post = (environment: { environmentUrl: string }, args: object) =>
  program.chat(environment, "chat.postMessage", { channel: GENERAL, ...args });

describe("text", () => {
  test.each([
    "\u202ereversed",
    "🙂 e\u0301 é",
    "a\u2028b\ufeff",
    "' OR 1=1; --",
    "\\u0000",
    "x".repeat(40_000),
  ])("is returned as sent, by the API and in the diff (S090)", async (text) => {
    const environment = await program.environment();
    const run = await program.post("/startRun", { envId: environment.environmentId });
    const { ts } = await post(environment, { text });
    const { messages } = await program.chat(environment, "conversations.history", {
      channel: GENERAL,
      latest: ts,
      inclusive: true,
      limit: 1,
    });
    expect(messages[0].text).toBe(text);
    const { body } = await program.post("/diffRun", { runId: run.body.runId });
    expect(body.diff.inserts.map((row: { text: string }) => row.text)).toEqual([text]);
  });

  test.each([
    ["nothing", "", "no_text"],
    ["a megabyte", "x".repeat(2 ** 20), "msg_too_long"],
    ["NUL", "a\u0000b", "invalid_arguments"],
    ["half a surrogate pair", "\ud800", "invalid_arguments"],
  ])("that is %s is rejected with a code of the service (S090)", async (_what, text, error) => {
    const answer = await post(await program.environment(), { text });
    expect([answer.ok, answer.error]).toEqual([false, error]);
  });

  test("that looks like HTML is escaped (S090)", async () => {
    const environment = await program.environment();
    const { message } = await post(environment, { text: "&lt;script&gt;alert(1)&lt;/script&gt;" });
    expect(message.text).toBe("&lt;script&gt;alert(1)&lt;/script&gt;");
  });
});

test.each([["C%"], ["#nope"], ["C99"], ["' OR 1=1"], ["__proto__"]])(
  "the channel %p is not found (S091)",
  async (channel) => {
    const environment = await program.environment();
    for (const method of ["chat.postMessage", "conversations.history", "conversations.info"])
      expect(await program.chat(environment, method, { channel, text: "x" })).toMatchObject({
        ok: false,
        error: "channel_not_found",
      });
  },
);

test.each([[null], [["C01GENERAL"]], [{ id: "C01GENERAL" }], [[]]])(
  "a channel that is %p is invalid (S091)",
  async (channel) => {
    const environment = await program.environment();
    const answer = await program.chat(environment, "conversations.history", { channel });
    expect([answer.ok, answer.error]).toEqual([false, "invalid_arguments"]);
  },
);

test("a channel of another environment is not found (S091)", async () => {
  const [mine, other] = [await program.environment(), await program.environment()];
  const { channel } = await program.chat(other, "conversations.create", { name: "elsewhere" });
  expect(await post(mine, { channel: channel.id, text: "x" })).toMatchObject({
    ok: false,
    error: "channel_not_found",
  });
});

test.each(["1e309", "-1", "1700000000", "1767603600.000100x", "9".repeat(200), "NaN", " ", "'"])(
  "there is no message with the timestamp %p (S092)",
  async (timestamp) => {
    const environment = await program.environment();
    const answers = [
      await program.chat(environment, "reactions.add", {
        channel: GENERAL,
        timestamp,
        name: "eyes",
      }),
      await program.chat(environment, "chat.update", {
        channel: GENERAL,
        ts: timestamp,
        text: "x",
      }),
      await program.chat(environment, "chat.delete", { channel: GENERAL, ts: timestamp }),
    ];
    for (const { ok, error } of answers) {
      expect(ok).toBe(false);
      expect(error).toMatch(
        /^(message_not_found|bad_timestamp|invalid_arguments|no_item_specified)$/,
      );
    }
  },
);

test("the same reaction a hundred times concurrently is stored once (S093)", async () => {
  const environment = await program.environment();
  const answers = await Promise.all(
    Array.from({ length: 100 }, () =>
      program.chat(environment, "reactions.add", {
        channel: GENERAL,
        timestamp: "1767603600.731938",
        name: "eyes",
      }),
    ),
  );
  expect(answers.filter(({ ok }) => ok)).toHaveLength(1);
  expect(answers.filter(({ error }) => error === "already_reacted")).toHaveLength(99);
});

test("a thousand concurrent messages have a thousand timestamps, in the order of history (S094)", async () => {
  const environment = await program.environment();
  const answers = await Promise.all(
    Array.from({ length: 1_000 }, (_, index) => post(environment, { text: `${index}` })),
  );
  const stamps = answers.map(({ ts }) => ts);
  expect(new Set(stamps).size).toBe(1_000);
  const { messages } = await program.chat(environment, "conversations.history", {
    channel: GENERAL,
    limit: 999,
  });
  const listed = messages.map(({ ts }: { ts: string }) => ts);
  expect(listed).toEqual(listed.toSorted().toReversed());
  expect(listed.slice(0, 999)).toEqual(stamps.toSorted().toReversed().slice(0, 999));
});

test.each(["chat.fooBar", "chat.__proto__", "constructor", "toString", "", "chat", "a%00b"])(
  "the method %p is unknown, with the service's error (S095)",
  async (method) => {
    const answer = await program.chat(await program.environment(), method);
    expect(answer.ok).toBe(false);
    expect(answer.error).toMatch(
      /^(unknown_method|method_not_supported|not_found|invalid_request)$/,
    );
  },
);

test("a cursor of another list is invalid (S096)", async () => {
  const environment = await program.environment();
  const { response_metadata: own } = await program.chat(environment, "conversations.list", {
    limit: 1,
  });
  expect(own.next_cursor).not.toBe("");
  const forged = [
    "forged",
    Buffer.from("' OR 1=1; --").toString("base64"),
    Buffer.from("next_ts:1e309").toString("base64"),
    own.next_cursor.slice(0, -3),
    "x".repeat(10_000),
  ];
  for (const cursor of forged)
    for (const method of ["conversations.list", "users.list"])
      expect(await program.chat(environment, method, { cursor, limit: 1 })).toMatchObject({
        ok: false,
        error: "invalid_cursor",
      });
  expect(
    await program.chat(environment, "conversations.history", {
      channel: GENERAL,
      cursor: own.next_cursor,
    }),
  ).toMatchObject({ ok: false, error: "invalid_cursor" });
});

test.each([[0], [-1], ["all"], ["0x10"], [1.5], [1e9], [10 ** 15]])(
  "a limit of %p is rejected or bounded (S097)",
  async (limit) => {
    const environment = await program.environment();
    for (const method of ["conversations.list", "users.list"]) {
      const answer = await program.chat(environment, method, { limit });
      if (answer.ok) expect((answer.channels ?? answer.members).length).toBeLessThan(1_001);
      else expect(answer.error).toMatch(/^(invalid_limit|invalid_arguments)$/);
    }
  },
);
