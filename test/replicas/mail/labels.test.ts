import { beforeAll, describe, expect, test } from "bun:test";
import { type Environment, useScene } from "./scene";

const scene = useScene();
let environment: Environment;
beforeAll(async () => {
  environment = await scene.environment();
});

describe("labels of messages", () => {
  test("a message that is inserted with a label twice has it once", async () => {
    const labelIds = ["INBOX", "INBOX", "STARRED"];
    const raw = Buffer.from("Subject: Twice\r\n\r\nx").toString("base64url");
    const inserted = await scene.post(environment, "messages", { raw, labelIds });
    const { id } = await scene.post(environment, "messages/import", { raw, labelIds });

    expect(inserted.labelIds).toEqual(["INBOX", "STARRED"]);
    const imported = await scene.get(environment, `messages/${id}?format=minimal`);
    expect(imported.labelIds).toEqual(["INBOX", "STARRED"]);
  });

  test("archive, trash and back, with a record of each change", async () => {
    const own = await scene.environment();
    const { id } = (await scene.get(own, "messages?q=from:tess")).messages[0];
    const { historyId } = await scene.get(own, "profile");
    const modify = (body: object) => scene.post(own, `messages/${id}/modify`, body);

    expect((await modify({ removeLabelIds: ["INBOX"] })).labelIds).toEqual([
      "UNREAD",
      "CATEGORY_PERSONAL",
    ]);
    expect((await modify({ addLabelIds: ["INBOX"] })).labelIds).toEqual([
      "UNREAD",
      "CATEGORY_PERSONAL",
      "INBOX",
    ]);
    const trashed = await scene.post(own, `messages/${id}/trash`);
    const back = await scene.post(own, `messages/${id}/untrash`);
    await scene.post(own, `messages/${id}/untrash`);

    expect(trashed.labelIds).toEqual(["UNREAD", "CATEGORY_PERSONAL", "TRASH"]);
    expect(back.labelIds).toEqual(["UNREAD", "CATEGORY_PERSONAL"]);
    const { history } = await scene.get(own, `history?startHistoryId=${historyId}`);
    expect(
      history.flatMap(({ messages: _, id: __, ...record }: any) =>
        Object.entries(record).map(([type, [{ labelIds }]]: any) => [type, labelIds]),
      ),
    ).toEqual([
      ["labelsRemoved", ["INBOX"]],
      ["labelsAdded", ["INBOX"]],
      ["labelsAdded", ["TRASH"]],
      ["labelsRemoved", ["INBOX"]],
      ["labelsRemoved", ["TRASH"]],
    ]);
  });

  test("a change of a message is the change of one row", async () => {
    const own = await scene.environment();
    const { id } = (await scene.get(own, "messages?q=from:tess")).messages[0];
    const { updates, deletes } = await scene.changesOf(own, () =>
      scene.post(own, `messages/${id}/modify`, {
        addLabelIds: ["STARRED"],
        removeLabelIds: ["UNREAD"],
      }),
    );

    expect(updates).toEqual([
      {
        __table__: "messages",
        key: { mailbox: "agent@acme.test", id },
        before: expect.objectContaining({ labelIds: ["UNREAD", "INBOX", "CATEGORY_PERSONAL"] }),
        after: expect.objectContaining({ labelIds: ["INBOX", "CATEGORY_PERSONAL", "STARRED"] }),
      },
    ]);
    expect(deletes).toEqual([]);
  });

  test("batches skip unknown ids, and threads change as a whole", async () => {
    const own = await scene.environment();
    const { threads } = await scene.get(own, "threads?q=safari%20is:important");
    const [{ id }] = threads;
    const changed = await scene.post(own, `threads/${id}/modify`, { addLabelIds: ["Label_1"] });
    expect(changed.messages).toHaveLength(3);
    for (const { labelIds } of changed.messages) expect(labelIds).toContain("Label_1");

    const ids = [changed.messages[0].id, "19b8d5a9c00003ff"];
    await scene.post(own, "messages/batchModify", { ids, removeLabelIds: ["Label_1"] });
    await scene.post(own, "messages/batchDelete", { ids });
    expect((await scene.get(own, `threads/${id}`)).messages).toHaveLength(2);
    expect(await scene.call(own, "DELETE", `threads/${id}`)).toMatchObject({ status: 204 });
    expect(await scene.call(own, "GET", `threads/${id}`)).toMatchObject({ status: 404 });
  });
});

describe("labels of a mailbox", () => {
  test("are those of the system, and then those of the user", async () => {
    const { labels } = await scene.get(environment, "labels");

    expect(labels.map(({ id }: any) => id).slice(0, 6)).toEqual([
      "CHAT",
      "SENT",
      "INBOX",
      "IMPORTANT",
      "TRASH",
      "DRAFT",
    ]);
    expect(labels.slice(14)).toMatchObject([
      { id: "Label_1", name: "Receipts", type: "user", labelListVisibility: "labelShow" },
      { id: "Label_2", name: "Projects/Login", type: "user" },
    ]);
    expect(labels[4]).toEqual({
      ...{ id: "TRASH", name: "TRASH", messageListVisibility: "hide" },
      ...{ labelListVisibility: "labelHide", type: "system" },
    });
  });

  test("count their messages", async () => {
    expect(await scene.get(environment, "labels/Label_2")).toMatchObject({
      ...{ messagesTotal: 2, messagesUnread: 1, threadsTotal: 2, threadsUnread: 1 },
    });
  });

  test("are created, renamed, and taken from their messages", async () => {
    const own = await scene.environment();
    const created = await scene.post(own, "labels", {
      ...{ name: "  To do ", color: { textColor: "#ffffff", backgroundColor: "#16a766" } },
    });
    expect(created).toEqual({
      ...{
        id: "Label_3",
        name: "To do",
        messageListVisibility: "show",
        labelListVisibility: "labelShow",
      },
      color: { textColor: "#ffffff", backgroundColor: "#16a766" },
    });
    const { id } = (await scene.get(own, "messages?q=from:tess")).messages[0];
    await scene.post(own, `messages/${id}/modify`, { addLabelIds: ["Label_3"] });
    const renamed = await scene.call(own, "PATCH", "labels/Label_3", { name: "Done" });
    expect(renamed.body).toMatchObject({ name: "Done", color: created.color, type: "user" });

    expect(await scene.call(own, "DELETE", "labels/Label_3")).toMatchObject({ status: 204 });
    expect((await scene.get(own, `messages/${id}`)).labelIds).not.toContain("Label_3");
    expect((await scene.post(own, "labels", { name: "Next" })).id).toBe("Label_4");
  });

  test("leave filters when they are deleted, and filters without an action go", async () => {
    const own = await scene.environment();
    const filter = (from: string, action: object) =>
      scene.post(own, "settings/filters", { criteria: { from }, action });
    await filter("john@acme.test", { addLabelIds: ["Label_2"], removeLabelIds: ["INBOX"] });
    await filter("robin@acme.test", { addLabelIds: ["Label_2"] });
    await scene.call(own, "DELETE", "labels/Label_2");

    const { filter: left } = await scene.get(own, "settings/filters");
    expect(left.map(({ criteria, action }: any) => [criteria.from, action])).toEqual([
      ["billing@paperworks.test", { addLabelIds: ["Label_1"] }],
      ["john@acme.test", { removeLabelIds: ["INBOX"] }],
    ]);
  });
});
