/** The block of a text: what the service's editor would have written, for people and for clients that send it back. */
import { describe, expect, test } from "bun:test";
import { resolveSeed, type Seed } from "~/platform/templates/seeds";
import { findBlockProblems } from "~/replicas/chat/blocks";
import { richText } from "~/replicas/chat/rich-text";
import { normalizeText } from "~/replicas/chat/text";
import { SEEDS } from "../../../seeds/index";
import { useSharedDatabase } from "../../support/database";
import { useProgram } from "../../support/program";

const text = (text: string, style?: object) => ({ type: "text", text, ...(style && { style }) });
const section = (...elements: object[]) => ({ type: "rich_text_section", elements });
const list = (style: string, ...items: object[]) => ({
  ...{ type: "rich_text_list", elements: items.map((item) => section(item)) },
  ...{ style, indent: 0, border: 0 },
});
/** As it is sent: without what is undefined. */
const sent = (value: unknown) => JSON.parse(JSON.stringify(value));

describe("a text", () => {
  test.each<[string, object[]]>([
    ["Hello", [section(text("Hello"))]],
    ["a &amp; b &lt;c&gt;", [section(text("a & b <c>"))]],
    ["two\nlines", [section(text("two\nlines"))]],
    [
      "*b* _i_ ~s~",
      [
        section(
          text("b", { bold: true }),
          text(" "),
          text("i", { italic: true }),
          text(" "),
          text("s", { strike: true }),
        ),
      ],
    ],
    [
      "*b _both_*",
      [section(text("b ", { bold: true }), text("both", { bold: true, italic: true }))],
    ],
    ["`*code*`", [section(text("*code*", { code: true }))]],
    ["2*3*4, snake_case_name", [section(text("2*3*4, snake_case_name"))]],
    [
      "<@U1>, <#C1|general>",
      [section({ type: "user", user_id: "U1" }, text(", "), { type: "channel", channel_id: "C1" })],
    ],
    [
      "<!here> <!subteam^S1|@crew>",
      [
        section({ type: "broadcast", range: "here" }, text(" "), {
          type: "usergroup",
          usergroup_id: "S1",
        }),
      ],
    ],
    ["<https://a.b?c&amp;d|e>", [section({ type: "link", url: "https://a.b?c&d", text: "e" })]],
    ["<https://a.b>", [section({ type: "link", url: "https://a.b" })]],
    [
      "<!date^1392734382^{date}|today>",
      [section({ type: "date", timestamp: 1392734382, format: "{date}", fallback: "today" })],
    ],
    ["*<@U1>*", [section({ type: "user", user_id: "U1", style: { bold: true } })]],
    [
      ":ship: at 10:30:45 :no_such:",
      [section({ type: "emoji", name: "ship", unicode: "1f6a2" }, text(" at 10:30:45 :no_such:"))],
    ],
    [
      ":wave::skin-tone-3:",
      [section({ type: "emoji", name: "wave", unicode: "1f44b", skin_tone: 3 })],
    ],
    [
      "Do:\n1. a\n2. b\nEnd",
      [section(text("Do:\n")), list("ordered", text("a"), text("b")), section(text("End"))],
    ],
    ["• a\n• b", [list("bullet", text("a"), text("b"))]],
    ["3. is not a list", [section(text("3. is not a list"))]],
    [
      "&gt; a\n&gt; b\nc",
      [{ type: "rich_text_quote", elements: [text("a\nb")] }, section(text("c"))],
    ],
    [
      "a\n```x\n*y*```\nb",
      [
        section(text("a\n")),
        { type: "rich_text_preformatted", elements: [text("x\n*y*")], border: 0 },
        section(text("b")),
      ],
    ],
  ])("%j has its elements", (given, expected) => {
    expect(sent(richText(given, true))).toEqual(expected);
  });

  test("of an app has no lists: its text is as it was sent", () => {
    expect(richText("• a\n1. b", false)).toEqual([section(text("• a\n1. b"))]);
  });

  test("has none if it is empty or long", () => {
    expect(richText("", true)).toBeUndefined();
    expect(richText("x".repeat(4_000), true)).toHaveLength(1);
    expect(richText("x".repeat(4_001), true)).toBeUndefined();
  });

  test("has none if there would be more than a hundred elements", () => {
    const people = (count: number) => "<@U1>".repeat(count);
    expect(sent(richText(people(99), true))).toMatchObject([{ elements: { length: 99 } }]);
    expect(richText(people(100), true)).toBeUndefined();
    expect(richText("• a\n".repeat(50), true)).toBeUndefined();
  });

  test("of marks alone takes little time and space", () => {
    for (const mark of ["*", "_", "`", "<", ":a", "*_~", "```", "• \n", "&gt; \n", "*a _b* c_ "]) {
      const long = mark.repeat(4_000).slice(0, 4_000);
      const before = process.cpuUsage();
      expect(JSON.stringify(richText(long, true) ?? []).length).toBeLessThan(20_000);
      expect(process.cpuUsage(before).user / 1000).toBeLessThan(500);
    }
  });
});

/** The text of elements as a reader sees it. */
const shown = (value: any): string => {
  if (Array.isArray(value)) return value.map(shown).join("");
  if (value.elements) return shown(value.elements);
  return value.text ?? value.url ?? value.name ?? value.user_id ?? value.channel_id ?? "";
};
const words = (value: string) => value.match(/[\p{L}\p{N}]+/gu) ?? [];

test("every message of the templates has a block that can be sent back, with all of its words", () => {
  const seeds = (SEEDS as readonly Seed[]).filter(({ service }) => service === "chat");
  const texts = seeds
    .flatMap((seed) => (resolveSeed(seed, SEEDS as readonly Seed[]) as any).messages ?? [])
    .flatMap((message: any) => [message, ...(message.replies ?? [])])
    .map((message: any) => normalizeText(message.text));
  expect(texts.length).toBeGreaterThan(300);
  for (const given of texts) {
    const elements = sent(richText(given, true));
    expect(findBlockProblems([{ type: "rich_text", elements }])).toEqual([]);
    const left = new Set(words(shown(elements)));
    const plain = given.replace(/<[^>]*>|&\w+;|:[\w+-]+:|^\d+\. /gm, " ");
    expect(words(plain).filter((word: string) => !left.has(word))).toEqual([]);
  }
});

describe("a message", () => {
  const database = useSharedDatabase();
  const program = useProgram(database);
  const UUID_V4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

  test("has the block of its text wherever it is read, which the tables do not have", async () => {
    const environment = await program.environment();
    const { runId } = (await program.post("/startRun", { envId: environment.environmentId })).body;
    const posted = { channel: "C02RANDOM", text: "*Yes*" };
    const { message, ts } = await program.chat(environment, "chat.postMessage", posted);
    const elements = [section(text("Yes", { bold: true }))];
    expect(message.blocks).toEqual([
      { type: "rich_text", block_id: expect.stringMatching(/^[0-9A-Za-z]{5}$/), elements },
    ]);
    expect(message.client_msg_id).toMatch(UUID_V4);
    const history = await program.chat(environment, "conversations.history", {
      ...{ channel: "C02RANDOM", limit: 2 },
    });
    expect(history.messages[0]).toEqual(message);
    const [, earlier] = history.messages;
    expect(earlier.client_msg_id.slice(0, 8)).not.toBe(message.client_msg_id.slice(0, 8));
    expect(earlier.blocks[0].block_id).not.toBe(message.blocks[0].block_id);
    const { diff } = (await program.post("/diffRun", { runId })).body;
    expect(diff.inserts).toMatchObject([{ text: "*Yes*", blocks: null }]);
    const edit = { ...posted, ts, text: "No", blocks: JSON.stringify(message.blocks) };
    expect(await program.chat(environment, "chat.update", edit)).toMatchObject({
      message: { text: "No", blocks: [{ elements }] },
    });
  });

  test("has none if it is a notice, or if an app attached something", async () => {
    const environment = await program.environment();
    const channel = "C02RANDOM";
    const attachments = JSON.stringify([{ text: "more" }]);
    const { message } = await program.chat(environment, "chat.postMessage", {
      ...{ channel, text: "See", attachments },
    });
    expect(message.blocks).toBeUndefined();
    await program.chat(environment, "conversations.setTopic", { channel, topic: "new" });
    const { messages } = await program.chat(environment, "conversations.history", {
      ...{ channel, limit: 1 },
    });
    expect(messages[0]).toMatchObject({ subtype: "channel_topic" });
    expect(messages[0].blocks).toBeUndefined();
  });

  test("is of users who were updated at different times", async () => {
    const environment = await program.environment({ templateName: "chat_bench_default" });
    const { members } = await program.chat(environment, "users.list");
    const people = members.filter(({ id }: { id: string }) => id !== "USLACKBOT");
    expect(new Set(people.map(({ updated }: { updated: number }) => updated)).size).toBe(
      people.length,
    );
  });
});
