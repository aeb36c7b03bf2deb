/** The listing of the vendor's tools, and what all calls have in common. */
import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { COLORS } from "~/replicas/mail/mcp/colors";
import { vendor } from "~/replicas/mail/mcp/vendor";
import { isPaletteColor } from "~/replicas/mail/palette";
import { endpointOf, send } from "../../../support/mcp";
import { undescribed, withoutDescription } from "../../../support/tool-listing";
import { useMailTools } from "./scene";

const { program, environment, changesOf, tool, rejection, messageOf } = useMailTools();

describe("the listing", () => {
  test("has the names, the order and the schemas of the capture", async () => {
    const captured = await Bun.file(join(import.meta.dir, "vendor.jsonl")).text();
    const listed = vendor.tools.map(({ name, inputSchema }) => ({
      name,
      inputSchema: undescribed(inputSchema),
    }));

    expect(listed).toEqual(
      captured
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line)),
    );
  });

  test("has 30 tools, of which 6 only read", () => {
    expect(vendor.tools).toHaveLength(30);
    expect(vendor.tools.filter(vendor.isReading).map(({ name }) => name)).toEqual([
      ...["search_threads", "get_thread", "get_message", "list_drafts", "list_labels", "get_draft"],
    ]);
  });

  test("describes every tool and every argument", () => {
    expect(withoutDescription(vendor.tools)).toEqual([]);
  });

  test("names colours that all are of the palette", () => {
    const create: any = vendor.tools.find(({ name }) => name === "create_label");
    const { colorPreset } = create.inputSchema.properties;
    const codes = Object.values(COLORS).flatMap((color) => Object.values(color));

    expect(Object.keys(COLORS)).toEqual(colorPreset.enum.slice(1));
    expect(codes.filter((code) => !isPaletteColor(code))).toEqual([]);
  });
});

describe("a call", () => {
  test("of an unknown tool is an error of the protocol", async () => {
    const at = endpointOf(program, await environment());
    const { body } = await send(at, {
      ...{ jsonrpc: "2.0", id: 1, method: "tools/call" },
      params: { name: "send_letter", arguments: {} },
    });

    expect(body.error).toEqual({ code: -32602, message: "Unknown tool: send_letter" });
  });

  test.each([
    ["get_thread", {}, "Missing required field: threadId"],
    [
      "get_thread",
      { threadId: 7 },
      "Invalid value at 'threadId': Invalid input: expected string, received number",
    ],
    [
      "search_threads",
      { pageSize: 51 },
      "Invalid value at 'pageSize': Too big: expected number to be <=50",
    ],
    [
      "send_message",
      { to: ["john@acme.test"], text: "x" },
      'Invalid JSON payload received. Unknown name "text": Cannot find field.',
    ],
    [
      "create_draft",
      { attachments: [{ content: "", name: "x" }] },
      `Invalid JSON payload received. Unknown name "name" at 'attachments.0': Cannot find field.`,
    ],
    [
      "get_message",
      { messageId: "19b8d5a9c00003e9", messageFormat: "LONG" },
      `Invalid value at 'messageFormat': Invalid option: expected one of "MESSAGE_FORMAT_UNSPECIFIED"|"MINIMAL"|"FULL_CONTENT"|"METADATA_ONLY"|"PLAIN_TEXT"|"RAW"`,
    ],
    ["create_draft", { subject: "a\u0000b" }, "Invalid value at 'subject': text is not valid"],
    [
      "create_draft",
      { subject: "x".repeat(10_001) },
      "Invalid value at 'subject': Too big: expected string to have <=10000 characters",
    ],
  ])("of %s with wrong arguments is rejected", async (name, args, text) => {
    expect(await rejection(await environment(), name, args)).toBe(text);
  });

  test("takes null for a field that is not given", async () => {
    const env = await environment();

    expect(await tool(env, "search_threads", { query: "in:spam", view: null })).toEqual({});
  });

  test("acts in the mailbox of the environment's user", async () => {
    const env = await environment({ impersonateUserId: "john@acme.test" });
    const { threads } = await tool(env, "search_threads", { query: "in:sent" });

    expect(threads[0].messages.at(-1).sender).toBe("john@acme.test");
    const own = await environment();
    const { id } = await messageOf(own, "from:billing@paperworks.test");
    expect(await rejection(env, "get_message", { messageId: id })).toBe(
      "Requested entity was not found.",
    );
  });

  test("that is rejected changes nothing", async () => {
    const env = await environment();
    const { id } = await messageOf(env, "from:billing@paperworks.test");
    const { inserts, updates, deletes } = await changesOf(env, async () => {
      const to = ["john@acme.test"];
      for (const [name, args, text] of [
        ["send_message", {}, "Recipient address required"],
        ["send_message", { to: ["John <john@acme.test>"] }, "Invalid To header"],
        ["send_message", { to, cc: ["a@b\r\nBcc: c@d.test"] }, "Invalid Cc header"],
        ["send_message", { draftId: "r1", to }, "Requested entity was not found."],
        ["send_message", { to, replyThreadId: "x" }, "Invalid id value"],
        ["reply", { messageId: "00" }, "Requested entity was not found."],
        ["forward", { messageId: id }, "Recipient address required"],
        ["create_draft", { replyToMessageId: "00" }, "Requested entity was not found."],
        ["label_message", { messageId: id, labelIds: [] }, "No label add or removes specified"],
        ["label_message", { messageId: id, labelIds: ["Receipts"] }, "Invalid label: Receipts"],
        ["label_message", { messageId: id, labelIds: ["TRASH"] }, "Invalid label: TRASH"],
        [
          "label_thread",
          { threadId: "00", labelIds: ["STARRED"] },
          "Requested entity was not found.",
        ],
        ["create_label", { displayName: `New/${"x".repeat(225)}` }, "Invalid label name"],
        ["create_label", { displayName: "receipts" }, "Label name exists or conflicts"],
        ["delete_label", { labelId: "INBOX" }, "Invalid delete request"],
        [
          "apply_sensitive_message_label",
          { messageId: id, labelOption: "LABEL_OPTION_UNSPECIFIED" },
          "Invalid label option: LABEL_OPTION_UNSPECIFIED",
        ],
        [
          "create_draft",
          { attachments: [{ content: "=x" }] },
          "Invalid value at 'attachments[0].content' (TYPE_BYTES), Base64 decoding failed",
        ],
      ] as const)
        expect([name, await rejection(env, name, args)]).toEqual([name, text]);
    });

    expect([...inserts, ...updates, ...deletes]).toEqual([]);
  });
});

describe("the example of the document", () => {
  test("is the answer on the default template", async () => {
    const { name, arguments: args, text } = vendor.example;

    expect(await tool(await environment(), name, args)).toEqual(JSON.parse(text));
  });
});

describe("every tool", () => {
  test("is one call of the run's journal", async () => {
    const env = await environment();
    const { body: run } = await program.post("/startRun", { envId: env.environmentId });
    const { id, threadId } = await tool(env, "send_message", {
      to: ["robin@acme.test"],
      subject: "All tools",
      body: "Hello",
    });
    const { labelId } = await tool(env, "create_label", { displayName: "All" });
    const { id: draftId } = await tool(env, "create_draft", { body: "One" });
    const message = { messageId: id };
    const thread = { threadId };
    const labelled = { labelIds: [labelId] };
    const rest: readonly (readonly [string, object])[] = [
      ["search_threads", {}],
      ["get_thread", thread],
      ["get_message", message],
      ["list_drafts", {}],
      ["list_labels", {}],
      ["label_message", { ...message, ...labelled }],
      ["unlabel_message", { ...message, ...labelled }],
      ["label_thread", { ...thread, ...labelled }],
      ["unlabel_thread", { ...thread, ...labelled }],
      ["reply", { ...message, body: "Two" }],
      ["forward", { ...message, to: ["john@acme.test"] }],
      ["get_draft", { draftId }],
      ["update_draft", { draftId, body: "Three" }],
      ["delete_draft", { draftId }],
      ["update_label", { labelId, displayName: "Every" }],
      ["update_message_labels", { ...message, addLabelIds: ["STARRED"] }],
      ["apply_sensitive_message_label", { ...message, labelOption: "TRASH" }],
      ["apply_sensitive_thread_label", { ...thread, labelOption: "SPAM" }],
      ["mark_message_spam", message],
      ["unmark_message_spam", message],
      ["mark_thread_spam", thread],
      ["unmark_thread_spam", thread],
      ["trash_message", message],
      ["untrash_message", message],
      ["trash_thread", thread],
      ["untrash_thread", thread],
      ["delete_label", { labelId }],
    ];
    for (const [name, args] of rest) await tool(env, name, args);
    const { body } = await program.get(`/runs/${run.runId}/calls?limit=1000`);
    const made = body.calls.map((call: any) => [call.service, call.via, call.name, call.error]);

    expect(made).toEqual(
      ["send_message", "create_label", "create_draft", ...rest.map(([name]) => name)].map(
        (name) => ["mail", "mcp", name, null],
      ),
    );
    expect(made.map(([, , name]: string[]) => name).toSorted()).toEqual(
      vendor.tools.map(({ name }) => name).toSorted(),
    );
  });
});
