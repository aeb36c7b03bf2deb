import { describe, expect, test } from "bun:test";
import { useMailTools } from "./scene";

const { environment, post, send, tool, rejection, messageOf } = useMailTools();

const subjectsOf = ({ threads = [] }: any) =>
  threads.map(({ messages }: any) => messages[0].subject);

describe("search_threads", () => {
  test("returns whole threads with brief messages, the newest thread first", async () => {
    const env = await environment();
    const found = await tool(env, "search_threads", { query: "release 4.2" });

    expect(Object.keys(found)).toEqual(["threads", "resultCountEstimate"]);
    expect(found.resultCountEstimate).toBe("1");
    expect(found.threads[0].messages).toHaveLength(3);
    expect(found.threads[0].messages[0]).toEqual({
      id: found.threads[0].id,
      sender: "john@acme.test",
      toRecipients: ["agent@acme.test"],
      ccRecipients: ["robin@acme.test"],
      date: "2026-01-02T09:12:00Z",
      labelIds: ["INBOX", "IMPORTANT", "Label_2"],
      snippet: expect.stringMatching(/^Hi Agent, three customers cannot log in/),
      subject: "Login fails on Safari (ENG-2)",
    });
  });

  test("leaves subjects and snippets out of metadata, by either name of the view", async () => {
    const env = await environment();
    for (const view of ["METADATA_ONLY", "THREAD_VIEW_METADATA_ONLY"]) {
      const { threads } = await tool(env, "search_threads", { query: "release", view });
      expect(Object.keys(threads[0].messages[0])).toEqual([
        ...["id", "sender", "toRecipients", "ccRecipients", "date", "labelIds"],
      ]);
    }
  });

  test("returns an empty object if nothing fits", async () => {
    expect(await tool(await environment(), "search_threads", { query: "zebra" })).toEqual({});
  });

  test("takes ids and names of labels", async () => {
    const env = await environment();
    const wanted = ["Login page, second draft", "Login fails on Safari (ENG-2)"];

    for (const label of ["Label_2", "label_2", "Projects/Login", "projects-login"])
      expect(subjectsOf(await tool(env, "search_threads", { query: `label:${label}` }))).toEqual(
        wanted,
      );
  });

  test("leaves drafts out, also in threads that it finds", async () => {
    const env = await environment();
    const found = await tool(env, "search_threads", { query: "from:tess@northwind.test" });

    expect(found.threads[0].messages).toHaveLength(1);
    expect(await tool(env, "search_threads", { query: "in:drafts" })).toEqual({});
  });

  test("finds the trash if it is asked to, and spam only by the query", async () => {
    const env = await environment();
    const news = await messageOf(env, "from:news@weeklybyte.test");
    const bill = await messageOf(env, "from:billing@paperworks.test");
    await tool(env, "trash_message", { messageId: news.id });
    await tool(env, "mark_message_spam", { messageId: bill.id });
    const found = async (args: object) => subjectsOf(await tool(env, "search_threads", args));

    expect(await found({ query: "from:news@weeklybyte.test" })).toEqual([]);
    const query = "{from:news@weeklybyte.test from:billing@paperworks.test}";
    expect(await found({ query, includeTrash: true })).toEqual([news.subject]);
    expect(await found({ query: "in:spam" })).toEqual([bill.subject]);
  });

  test("has pages", async () => {
    const env = await environment();
    const all = subjectsOf(await tool(env, "search_threads"));
    const found: string[] = [];
    let pageToken: string | undefined;
    do {
      const page = await tool(env, "search_threads", { pageSize: 2, pageToken });
      found.push(...subjectsOf(page));
      pageToken = page.nextPageToken;
    } while (pageToken !== undefined);

    expect(all.length).toBeGreaterThan(4);
    expect(found).toEqual(all);
    expect(await rejection(env, "search_threads", { pageToken: "x" })).toBe("Invalid pageToken");
  });
});

const ENVELOPE = ["id", "sender", "toRecipients", "date", "labelIds"];
const BRIEF = [...ENVELOPE, "snippet", "subject"];

describe("get_message", () => {
  test.each([
    ["METADATA_ONLY", ENVELOPE],
    ["MINIMAL", BRIEF],
    ["PLAIN_TEXT", [...BRIEF, "plaintextBody", "attachmentIds", "attachments"]],
    ["FULL_CONTENT", [...BRIEF, "plaintextBody", "htmlBody", "attachmentIds", "attachments"]],
    [undefined, [...BRIEF, "plaintextBody", "htmlBody", "attachmentIds", "attachments"]],
    ["RAW", [...ENVELOPE, "raw"]],
  ])("in the format %s has its fields", async (messageFormat, fields) => {
    const env = await environment();
    const { id } = await messageOf(env, "from:robin has:attachment filename:pdf");

    expect(Object.keys(await tool(env, "get_message", { messageId: id, messageFormat }))).toEqual(
      fields,
    );
  });

  test("shows texts and files", async () => {
    const env = await environment();
    const { id } = await messageOf(env, "from:robin filename:pdf");
    const message = await tool(env, "get_message", { messageId: id });

    expect(message.plaintextBody).toBe(
      "Hello, here is the second draft of the login page.\nThe first one is obsolete.\nRobin",
    );
    expect(message.htmlBody).toContain("<b>second draft</b>");
    const [attachmentId] = message.attachmentIds;
    expect(message.attachments).toEqual([
      { id: attachmentId, filename: "login-page-v2.pdf", mimeType: "application/pdf" },
    ]);
  });

  test("shows snippets as text", async () => {
    const env = await environment();
    const { id } = await send(env, { to: "agent@acme.test", body: `"1" < '2' & 3` });

    expect((await tool(env, "get_message", { messageId: id })).snippet).toBe(`"1" < '2' & 3`);
  });

  test("of a draft or an unknown message is rejected", async () => {
    const env = await environment();
    const { drafts } = await tool(env, "list_drafts");
    const draft = await post(env, "drafts", { message: { raw: "QTogYg" } });

    expect(drafts).toHaveLength(1);
    for (const [messageId, text] of [
      [draft.message.id, "Requested entity was not found."],
      ["19b8d5a9c00003ff", "Requested entity was not found."],
      ["nonsense", "Invalid id value"],
    ])
      expect(await rejection(env, "get_message", { messageId })).toBe(text as string);
  });
});

describe("get_thread", () => {
  test("shows the texts of all messages, the oldest first, without drafts", async () => {
    const env = await environment();
    const { threads } = await tool(env, "search_threads", { query: "from:tess@northwind.test" });
    const thread = await tool(env, "get_thread", { threadId: threads[0].id });
    const bug = await tool(env, "search_threads", { query: "ENG-2" });
    const whole = await tool(env, "get_thread", {
      threadId: bug.threads[0].id,
      messageFormat: "PLAIN_TEXT",
    });

    expect(thread.id).toBe(threads[0].id);
    expect(thread.messages.map(({ plaintextBody }: any) => plaintextBody)).toEqual([
      expect.stringMatching(/^Hello,\r\n\r\nsince the week before Christmas/),
    ]);
    expect(whole.messages.map(({ sender }: any) => sender)).toEqual([
      ...["john@acme.test", "agent@acme.test", "john@acme.test"],
    ]);
  });

  test("is rejected for the format RAW, and for an unknown thread", async () => {
    const env = await environment();
    const { id } = await messageOf(env, "from:robin");

    expect(await rejection(env, "get_thread", { threadId: id, messageFormat: "RAW" })).toBe(
      "RAW is not supported for threads",
    );
    expect(await rejection(env, "get_thread", { threadId: "00" })).toBe(
      "Requested entity was not found.",
    );
  });
});

describe("drafts", () => {
  test("are listed with their texts, or without them, and by a query", async () => {
    const env = await environment();
    const { drafts } = await tool(env, "list_drafts", { query: "to:tess@northwind.test" });
    const brief = await tool(env, "list_drafts", { view: "DRAFT_VIEW_METADATA_ONLY" });

    expect(drafts).toEqual([
      expect.objectContaining({
        id: expect.stringMatching(/^r-?\d+$/),
        toRecipients: ["tess@northwind.test"],
        subject: "Re: Cannot log in since December",
        plaintextBody: expect.stringMatching(/^Dear Tess,/),
      }),
    ]);
    expect(Object.keys(brief.drafts[0])).not.toContain("subject");
    expect(await tool(env, "list_drafts", { query: "to:robin" })).toEqual({});
  });

  test("are shown by their ids, with their threads", async () => {
    const env = await environment();
    const { drafts } = await tool(env, "list_drafts");
    const [{ id, threadId }] = drafts;
    const { threads } = await tool(env, "search_threads", { query: "from:tess@northwind.test" });

    expect(threadId).toBe(threads[0].id);
    expect(await tool(env, "get_draft", { draftId: id, messageFormat: "PLAIN_TEXT" })).toEqual(
      drafts[0],
    );
    expect(await rejection(env, "get_draft", { draftId: "r1" })).toBe(
      "Requested entity was not found.",
    );
  });
});

describe("list_labels", () => {
  test("has the labels of the system and of the user, with numbers", async () => {
    const env = await environment();
    const { labels } = await tool(env, "list_labels");
    const { threadsTotal, messagesTotal } = labels.find(
      ({ labelId }: any) => labelId === "Label_2",
    );

    expect(labels.map(({ name }: any) => name)).toContain("INBOX");
    expect([messagesTotal, threadsTotal]).toEqual([2, 2]);
    expect(labels.at(-2)).toEqual({
      ...{ labelId: "Label_1", name: "Receipts" },
      ...{ messagesTotal: 1, messagesUnread: 1, threadsTotal: 1, threadsUnread: 1 },
    });
  });
});
