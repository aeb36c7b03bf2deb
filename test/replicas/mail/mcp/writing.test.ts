import { describe, expect, test } from "bun:test";
import { rawWith } from "~/replicas/mail/mcp/composing";
import type { MailCall } from "~/replicas/mail/operation";
import { REAL } from "~/source";
import { useMailTools } from "./scene";

const { environment, tool, rejection, messageOf, changesOf, get } = useMailTools();

const JOHN = ["john@acme.test"];

/** The new messages of a call, by the mailbox that they are in. */
async function sentBy(env: any, name: string, args: object): Promise<any> {
  const { inserts } = await changesOf(env, () => tool(env, name, args));
  const rows = inserts.filter((row: any) => row.__table__ === "messages");
  return Object.fromEntries(rows.map((row: any) => [row.mailbox, row]));
}

describe("send_message", () => {
  test("delivers texts and files", async () => {
    const env = await environment();
    const args = {
      ...{ to: JOHN, cc: ["robin@acme.test"], bcc: ["agent+copy@acme.test"], subject: "Überblick" },
      ...{ body: "Kurz.", htmlBody: "<p>Kurz.</p>" },
      attachments: [
        {
          content: Buffer.from("a,b\n").toString("base64"),
          filename: "a.csv",
          mimeType: "text/csv",
        },
        { content: Buffer.from("x").toString("base64"), inline: true },
      ],
    };
    const rows = await sentBy(env, "send_message", args);

    expect(Object.keys(rows).toSorted()).toEqual([
      ...["agent@acme.test", "john@acme.test", "robin@acme.test"],
    ]);
    expect(rows["john@acme.test"]).toMatchObject({
      from: "Agent Smith <agent@acme.test>",
      ...{ to: "john@acme.test", cc: "robin@acme.test", bcc: null, subject: "Überblick" },
      body: "Kurz.",
      attachments: [
        { filename: "a.csv", mimeType: "text/csv", size: 4 },
        { filename: "attachment", mimeType: "application/octet-stream", size: 1 },
      ],
    });
    expect(rows["agent@acme.test"]).toMatchObject({ bcc: "agent+copy@acme.test" });
  });

  test("returns the id, the thread and the labels", async () => {
    const env = await environment();
    const sent = await tool(env, "send_message", { to: JOHN, body: "x" });

    expect(Object.keys(sent)).toEqual(["id", "threadId", "labelIds"]);
    expect(sent).toMatchObject({ threadId: sent.id, labelIds: ["SENT"] });
  });

  test.each(["replyToMessageId", "replyThreadId"])("answers by %s, and quotes", async (by) => {
    const env = await environment();
    const { threads } = await tool(env, "search_threads", { query: "subject:Safari from:john" });
    const [{ id: threadId, messages }] = threads;
    const answered = by === "replyThreadId" ? threadId : messages.at(-1).id;
    const rows = await sentBy(env, "send_message", {
      ...{ to: JOHN, body: "Will do.", [by]: answered },
    });
    const [own, theirs] = [rows["agent@acme.test"], rows["john@acme.test"]];

    expect(own).toMatchObject({ threadId, subject: "Re: Login fails on Safari (ENG-2)" });
    expect(own.body.replaceAll("\r\n", "\n")).toBe(
      "Will do.\n\nOn Mon, 05 Jan 2026 08:40:00 +0000, John Doe <john@acme.test> wrote:\n\n> Thanks. The fix is in review. Please write to the three customers when it is out, not before.\n",
    );
    const as = await environment({ impersonateUserId: "john@acme.test" });
    // The seed gives both environments the same threads.
    const [theirThread] = (await tool(as, "search_threads", { query: "subject:Safari" })).threads;
    expect(theirs.threadId).toBe(theirThread.id);
  });

  test("sends a draft, with fields in place of its own", async () => {
    const env = await environment();
    const { drafts } = await tool(env, "list_drafts");
    const [{ id: draftId, threadId }] = drafts;
    const { id } = await tool(env, "send_message", {
      ...{ draftId, body: "Dear Tess, it is fixed." },
    });
    const message = await tool(env, "get_message", { messageId: id });

    expect(message).toMatchObject({
      ...{ toRecipients: ["tess@northwind.test"], subject: "Re: Cannot log in since December" },
      plaintextBody: "Dear Tess, it is fixed.\r\n",
    });
    expect((await get(env, `messages/${id}?format=minimal`)).threadId).toBe(threadId);
    expect(await tool(env, "list_drafts")).toEqual({});
  });
});

describe("reply", () => {
  test("goes to the author, with the thread and a quote", async () => {
    const env = await environment();
    const { id } = await messageOf(env, "from:tess@northwind.test");
    const rows = await sentBy(env, "reply", {
      messageId: id,
      body: "Soon.",
      htmlBody: "<p>Soon.</p>",
    });
    const own = rows["agent@acme.test"];

    expect(own).toMatchObject({ to: "tess@northwind.test", cc: null });
    expect(own.subject).toBe("Re: Cannot log in since December");
    const { htmlBody } = await tool(env, "get_message", { messageId: own.id });
    expect(htmlBody).toStartWith('<p>Soon.</p><br><div class="gmail_quote"><div>On Mon, 05 Jan');
    expect(htmlBody).toContain("<blockquote");
    expect(htmlBody).toContain("&lt;tess@northwind.test&gt;");
  });

  test("goes to all, without oneself, or to others who are named", async () => {
    const env = await environment();
    const { threads } = await tool(env, "search_threads", { query: "subject:Safari" });
    const [first, second] = threads[0].messages;
    const addressed = async (args: object) => {
      const { id } = await tool(env, "reply", { body: "x", ...args });
      const { toRecipients, ccRecipients } = await tool(env, "get_message", { messageId: id });
      return [toRecipients, ccRecipients];
    };

    expect(await addressed({ messageId: first.id })).toEqual([JOHN, undefined]);
    expect(await addressed({ messageId: first.id, replyAll: true })).toEqual([
      JOHN,
      ["robin@acme.test"],
    ]);
    // An own message: to those whom it went to.
    expect(await addressed({ messageId: second.id, replyAll: true })).toEqual([
      JOHN,
      ["robin@acme.test"],
    ]);
    expect(
      await addressed({ messageId: first.id, to: ["robin@acme.test"], replyAll: true, cc: JOHN }),
    ).toEqual([["robin@acme.test"], JOHN]);
  });
});

describe("forward", () => {
  test("sends the text and the files of a message on", async () => {
    const env = await environment();
    const { id } = await messageOf(env, "from:robin filename:pdf");
    const rows = await sentBy(env, "forward", {
      ...{ messageId: id, to: JOHN, forwardText: "For you.", htmlBody: "<p>For you.</p>" },
    });
    const got = rows["john@acme.test"];

    expect(got).toMatchObject({
      subject: "Fwd: Login page, second draft",
      attachments: [{ filename: "login-page-v2.pdf", mimeType: "application/pdf" }],
    });
    expect(got.body.replaceAll("\r\n", "\n")).toBe(
      [
        "For you.",
        "",
        "---------- Forwarded message ---------",
        "From: Robin Ray <robin@acme.test>",
        "Date: Sat, 03 Jan 2026 15:20:00 +0000",
        "Subject: Login page, second draft",
        "To: Agent Smith <agent@acme.test>",
        "",
        "Hello, here is the second draft of the login page.\nThe first one is obsolete.\nRobin\n",
      ].join("\n"),
    );
    expect(rows["agent@acme.test"].threadId).toBe(id);
  });
});

describe("files", () => {
  test("have at most 25 MB together", async () => {
    const half = { content: Buffer.alloc(13 * 1024 * 1024).toString("base64") };
    const call = { mailbox: "agent@acme.test", session: { source: REAL } } as MailCall;

    await expect(rawWith(call, { attachments: [half, half] })).rejects.toThrow(
      "The attachments are larger than 25 MB",
    );
  });
});

describe("a draft", () => {
  test("is created without recipients, in a thread of its own", async () => {
    const env = await environment();
    const { id, threadId: thread } = await tool(env, "create_draft", { subject: "Later" });

    expect(await tool(env, "get_draft", { draftId: id, messageFormat: "MINIMAL" })).toMatchObject({
      ...{ id, threadId: thread, subject: "Later", labelIds: ["DRAFT"] },
    });
  });

  test("is created as an answer", async () => {
    const env = await environment();
    const { id } = await messageOf(env, "from:tess@northwind.test");
    const { id: draftId, threadId: thread } = await tool(env, "create_draft", {
      ...{ to: ["tess@northwind.test"], body: "Dear Tess", replyToMessageId: id },
    });
    const draft = await tool(env, "get_draft", { draftId });

    expect(thread).toBe(id);
    expect(draft.subject).toBe("Re: Cannot log in since December");
    expect(draft.plaintextBody).toContain("> since the week before Christmas");
  });

  test("keeps what is not given, and its files unless a list is given", async () => {
    const env = await environment();
    const file = (filename: string) => ({ content: "aGk=", filename, mimeType: "text/plain" });
    const { id: draftId } = await tool(env, "create_draft", {
      ...{
        to: JOHN,
        cc: ["robin@acme.test"],
        subject: "Plan",
        body: "One",
        htmlBody: "<p>One</p>",
      },
      attachments: [file("a.txt")],
    });
    const after = async (args: object) => {
      await tool(env, "update_draft", { draftId, ...args });
      const { attachments = [], ...draft } = await tool(env, "get_draft", { draftId });
      const { toRecipients, ccRecipients, subject, plaintextBody, htmlBody } = draft;
      const files = attachments.map(({ filename }: any) => filename);
      return [toRecipients, ccRecipients, subject, plaintextBody, htmlBody, files];
    };
    const cc = ["robin@acme.test"];

    expect(await after({ subject: "Plan B" })).toEqual([
      ...[JOHN, cc, "Plan B", "One", "<p>One</p>", ["a.txt"]],
    ]);
    expect(await after({ body: "Two" })).toEqual([JOHN, cc, "Plan B", "Two", undefined, ["a.txt"]]);
    expect(await after({ cc: [], attachments: [file("b.txt")] })).toEqual([
      ...[JOHN, undefined, "Plan B", "Two", undefined, ["b.txt"]],
    ]);
  });

  test("that several calls change at the same time loses no change", async () => {
    const env = await environment();
    const { id: draftId } = await tool(env, "create_draft", { to: JOHN });
    await Promise.all([
      tool(env, "update_draft", { draftId, subject: "Subject" }),
      tool(env, "update_draft", { draftId, body: "Body" }),
      tool(env, "update_draft", { draftId, cc: ["robin@acme.test"] }),
    ]);

    expect(await tool(env, "get_draft", { draftId })).toMatchObject({
      ...{ subject: "Subject", plaintextBody: "Body\r\n", ccRecipients: ["robin@acme.test"] },
    });
  });

  test("is deleted", async () => {
    const env = await environment();
    const { id: draftId } = await tool(env, "create_draft", { to: JOHN });

    expect(await tool(env, "delete_draft", { draftId })).toEqual({});
    expect(await rejection(env, "delete_draft", { draftId })).toBe(
      "Requested entity was not found.",
    );
  });
});
