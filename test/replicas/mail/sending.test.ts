import { beforeAll, describe, expect, test } from "bun:test";
import { type Environment, rawOf, useScene } from "./scene";

const scene = useScene();
let environment: Environment;
beforeAll(async () => {
  environment = await scene.environment({ clock: { now: "2026-01-05T12:00:00Z", mode: "frozen" } });
});

const rowsOf = (inserts: any[]) =>
  inserts
    .filter(({ __table__ }) => __table__ === "messages")
    .map(({ mailbox, labelIds, subject, threadId, id }) => ({
      mailbox,
      labelIds,
      subject,
      isFirst: threadId === id,
    }));
const NEW = ["UNREAD", "INBOX", "CATEGORY_PERSONAL"];

describe("messages.send", () => {
  test("puts a message into the mailbox of each recipient, once", async () => {
    const own = await scene.environment();
    const { inserts, updates, deletes } = await scene.changesOf(own, () =>
      scene.send(own, {
        ...{ to: "John <john@acme.test>, john+x@acme.test", cc: "robin@acme.test" },
        ...{ bcc: "out@elsewhere.test", subject: "Plan", body: "See you\r\n" },
      }),
    );

    expect(rowsOf(inserts)).toEqual([
      { mailbox: "agent@acme.test", labelIds: ["SENT"], subject: "Plan", isFirst: true },
      { mailbox: "john@acme.test", labelIds: NEW, subject: "Plan", isFirst: true },
      { mailbox: "robin@acme.test", labelIds: NEW, subject: "Plan", isFirst: true },
    ]);
    const [sent, received] = inserts.filter((row: any) => row.__table__ === "messages");
    expect(sent).toMatchObject({
      bcc: "out@elsewhere.test",
      body: "See you\r\n",
      isDelivered: false,
    });
    expect(received).toMatchObject({ bcc: null, cc: "robin@acme.test", isDelivered: true });
    expect([updates, deletes]).toEqual([[], []]);
  });

  test("replaces Message-ID and Date, and a sender that is somebody else", async () => {
    const { id } = await scene.send(environment, {
      ...{ from: "john@acme.test", to: "robin@acme.test", subject: "x" },
      headers: { "Message-ID": "<own@acme.test>", Date: "Mon, 01 Jan 2001 00:00:00 +0000" },
    });

    const { payload } = await scene.get(environment, `messages/${id}?format=metadata`);
    const values = Object.fromEntries(payload.headers.map(({ name, value }: any) => [name, value]));
    expect(values).toMatchObject({
      ...{ From: "Agent Smith <agent@acme.test>", Date: "Mon, 05 Jan 2026 12:00:00 +0000" },
      "MIME-Version": "1.0",
    });
    expect(values["Message-ID"]).toMatch(/^<CA[\w-]+@mail\.gmail\.com>$/);
  });

  test("to oneself makes one row", async () => {
    const { labelIds } = await scene.send(environment, { to: "agent@acme.test", subject: "Note" });

    expect(labelIds).toEqual(["SENT", "INBOX", "UNREAD"]);
    const { messages } = await scene.get(environment, "messages?q=subject:note");
    expect(messages).toHaveLength(1);
  });

  test("to a group reaches its members", async () => {
    const own = await scene.environment();
    const { inserts } = await scene.changesOf(own, () =>
      scene.send(own, { to: "team@acme.test", subject: "All" }),
    );

    expect(rowsOf(inserts).map(({ mailbox, labelIds }) => [mailbox, labelIds])).toEqual([
      ["agent@acme.test", ["SENT", "INBOX", "UNREAD"]],
      ["john@acme.test", NEW],
      ["robin@acme.test", NEW],
    ]);
  });

  test("to an address that does not exist comes back, in the same thread", async () => {
    const { threadId } = await scene.send(environment, { to: "jon@acme.test", subject: "Lost" });

    const { messages } = await scene.get(environment, `threads/${threadId}`);
    expect(messages).toHaveLength(2);
    const [, bounce] = messages;
    expect(bounce).toMatchObject({
      labelIds: NEW,
      payload: {
        mimeType: "multipart/report",
        parts: [
          { mimeType: "text/plain" },
          { mimeType: "message/delivery-status" },
          { mimeType: "message/rfc822" },
        ],
      },
    });
    expect(bounce.payload.headers).toContainEqual({
      name: "X-Failed-Recipients",
      value: "jon@acme.test",
    });
  });
});

describe("threads", () => {
  const reply = async (headers: object, subject: string, threadId?: string) =>
    (await scene.send(environment, { to: "john@acme.test", subject, headers } as any, threadId))
      .threadId;
  const first = async (subject: string) => {
    const { id, threadId } = await scene.send(environment, { to: "john@acme.test", subject });
    const { payload } = await scene.get(environment, `messages/${id}`);
    const [{ value }] = payload.headers.filter(({ name }: any) => name === "Message-ID");
    return { threadId, messageId: value };
  };

  test("a message joins the thread that the client names, if the subject fits", async () => {
    const { threadId } = await first("Budget");

    expect(await reply({}, "Re: [team] budget", threadId)).toBe(threadId);
    expect(await reply({}, "Something else", threadId)).not.toBe(threadId);
  });

  test("an answer joins the thread of the message that it answers, in every mailbox", async () => {
    const { threadId, messageId } = await first("Trip");

    expect(await reply({ References: messageId }, "Re: Trip")).toBe(threadId);
    expect(await reply({ References: messageId }, "Another trip")).not.toBe(threadId);
    expect(await reply({}, "Re: Trip")).not.toBe(threadId);
  });

  test("an import joins also by its subject alone", async () => {
    const { threadId } = await first("Offer 7");
    const { id } = await scene.post(environment, "messages/import", {
      raw: rawOf({ from: "x@y.test", subject: "Fwd: offer 7" }),
    });

    expect(await scene.get(environment, `messages/${id}?format=minimal`)).toMatchObject({
      threadId,
    });
  });
});

describe("drafts", () => {
  test("keep their id while their message changes, and are gone when they are sent", async () => {
    const own = await scene.environment();
    const message = { raw: rawOf({ to: "john@acme.test", subject: "Quokka 1" }) };
    const created = await scene.post(own, "drafts", { message });
    const updated = await scene.call(own, "PUT", `drafts/${created.id}`, {
      message: { raw: rawOf({ to: "john@acme.test", subject: "Quokka 2" }) },
    });
    const sent = await scene.post(own, "drafts/send", { id: created.id });

    expect(created.message.labelIds).toEqual(["DRAFT"]);
    expect(updated.body.id).toBe(created.id);
    expect(updated.body.message.id).not.toBe(created.message.id);
    expect(sent).toMatchObject({ labelIds: ["SENT"], threadId: updated.body.message.threadId });
    expect(await scene.call(own, "GET", `drafts/${created.id}`)).toMatchObject({ status: 404 });
    expect((await scene.get(own, "messages?q=subject:quokka")).messages).toEqual([
      { id: sent.id, threadId: sent.threadId },
    ]);
  });

  test("that are created and sent in a run are two messages", async () => {
    const own = await scene.environment();
    const { inserts, updates, deletes } = await scene.changesOf(own, async () => {
      const { id } = await scene.post(own, "drafts", {
        message: { raw: rawOf({ to: "john@acme.test", subject: "Plan" }) },
      });
      await scene.post(own, "drafts/send", { id });
    });

    expect(rowsOf(inserts).map(({ mailbox }) => mailbox)).toEqual([
      "agent@acme.test",
      "john@acme.test",
    ]);
    expect(inserts.some(({ __table__ }: any) => __table__ === "drafts")).toBe(false);
    expect([updates, deletes]).toEqual([[], []]);
  });

  test("need no recipients, and go with their message", async () => {
    const { id, message } = await scene.post(environment, "drafts", {
      message: { raw: rawOf({ subject: "Nobody" }) },
    });
    const listed = await scene.get(environment, "drafts?q=subject:nobody");
    expect(listed.drafts).toEqual([
      { id, message: { id: message.id, threadId: message.threadId } },
    ]);
    expect(await scene.call(environment, "POST", "drafts/send", { id })).toMatchObject({
      status: 400,
      body: { error: { message: "Recipient address required" } },
    });

    expect(await scene.call(environment, "DELETE", `messages/${message.id}`)).toMatchObject({
      status: 204,
    });
    expect(await scene.call(environment, "GET", `drafts/${id}`)).toMatchObject({ status: 404 });
  });
});

describe("filters", () => {
  test("sort messages that arrive later", async () => {
    const own = await scene.environment();
    const label = await scene.post(own, "labels", { name: "Bills" });
    const filter = await scene.post(own, "settings/filters", {
      criteria: { from: "billing@", subject: "invoice", negatedQuery: "paid" },
      action: { addLabelIds: [label.id], removeLabelIds: ["INBOX", "UNREAD"] },
    });
    const import_ = async (subject: string) =>
      await scene.send(own, { to: "agent@acme.test", subject });

    expect((await scene.get(own, "settings/filters")).filter).toHaveLength(2);
    expect(filter.id).toStartWith("ANe1Bm");
    await import_("Invoice 1");
    expect(await scene.call(own, "DELETE", `settings/filters/${filter.id}`)).toMatchObject({
      status: 204,
    });
    expect(await scene.call(own, "GET", `settings/filters/${filter.id}`)).toMatchObject({
      status: 404,
    });
  });
});
