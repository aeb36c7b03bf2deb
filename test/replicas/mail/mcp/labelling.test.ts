import { describe, expect, test } from "bun:test";
import { useMailTools } from "./scene";

const { environment, get, tool, messageOf } = useMailTools();

const BUG = "subject:Safari from:john";

async function labelsIn(env: any, threadId: string): Promise<string[][]> {
  const { messages } = await get(env, `threads/${threadId}?format=minimal`);
  return messages.map(({ labelIds = [] }: any) => labelIds.toSorted());
}

async function threadOf(env: any, query: string) {
  const { threads } = await tool(env, "search_threads", { query });
  return threads[0].id;
}

describe("the labels of a message", () => {
  test("are added and removed", async () => {
    const env = await environment();
    const { id } = await messageOf(env, "from:billing@paperworks.test");
    const labels = async () => (await get(env, `messages/${id}?format=minimal`)).labelIds;
    const before = await labels();

    expect(
      await tool(env, "label_message", { messageId: id, labelIds: ["STARRED", "Label_2"] }),
    ).toEqual({});
    expect(await labels()).toEqual([...before, "STARRED", "Label_2"]);
    expect(
      await tool(env, "unlabel_message", { messageId: id, labelIds: ["UNREAD", "INBOX"] }),
    ).toEqual({});
    expect(await labels()).toEqual(["CATEGORY_PERSONAL", "Label_1", "STARRED", "Label_2"]);
    await tool(env, "update_message_labels", {
      ...{ messageId: id, addLabelIds: ["INBOX"] },
      removeLabelIds: ["STARRED", "Label_2"],
    });
    expect(await labels()).toEqual(["CATEGORY_PERSONAL", "Label_1", "INBOX"]);
  });

  test.each([
    ["trash_message", {}, ["CATEGORY_PERSONAL", "Label_1", "TRASH", "UNREAD"]],
    ["mark_message_spam", {}, ["CATEGORY_PERSONAL", "Label_1", "SPAM", "UNREAD"]],
    [
      "apply_sensitive_message_label",
      { labelOption: "TRASH" },
      ["CATEGORY_PERSONAL", "Label_1", "TRASH", "UNREAD"],
    ],
  ])("after %s", async (name, args, labels) => {
    const env = await environment();
    const { id } = await messageOf(env, "from:billing@paperworks.test");
    await tool(env, name, { messageId: id, ...args });

    expect(await labelsIn(env, id)).toEqual([labels]);
  });

  test("leave the trash as they are, and spam for the inbox", async () => {
    const env = await environment();
    const { id } = await messageOf(env, "from:billing@paperworks.test");
    const messageId = id;
    await tool(env, "trash_message", { messageId });
    await tool(env, "untrash_message", { messageId });
    const archived = ["CATEGORY_PERSONAL", "Label_1", "UNREAD"];
    expect(await labelsIn(env, id)).toEqual([archived]);

    await tool(env, "mark_message_spam", { messageId });
    await tool(env, "unmark_message_spam", { messageId });
    expect(await labelsIn(env, id)).toEqual([["CATEGORY_PERSONAL", "INBOX", "Label_1", "UNREAD"]]);
  });
});

describe("the labels of a thread", () => {
  test("are added to all of its messages, and removed", async () => {
    const env = await environment();
    const threadId = await threadOf(env, BUG);
    await tool(env, "label_thread", { threadId, labelIds: ["STARRED"] });
    expect((await labelsIn(env, threadId)).map((labels) => labels.includes("STARRED"))).toEqual([
      ...[true, true, true],
    ]);

    await tool(env, "unlabel_thread", { threadId, labelIds: ["STARRED", "INBOX"] });
    const after = await labelsIn(env, threadId);
    expect(after.flat().filter((label) => ["STARRED", "INBOX"].includes(label))).toEqual([]);
  });

  test.each([
    ["trash_thread", {}, "TRASH", "untrash_thread"],
    ["mark_thread_spam", {}, "SPAM", "unmark_thread_spam"],
    ["apply_sensitive_thread_label", { labelOption: "SPAM" }, "SPAM", "unmark_thread_spam"],
  ])("after %s have its label, and lose it again", async (name, args, label, back) => {
    const env = await environment();
    const threadId = await threadOf(env, BUG);
    const has = async () => (await labelsIn(env, threadId)).map((ids) => ids.includes(label));
    await tool(env, name, { threadId, ...args });
    expect(await has()).toEqual([true, true, true]);
    await tool(env, back, { threadId });
    expect(await has()).toEqual([false, false, false]);
  });
});

describe("a label", () => {
  test("is created with its parents, in colour", async () => {
    const env = await environment();
    const label = await tool(env, "create_label", {
      ...{ displayName: "Work/Sprint/One", colorPreset: "LABEL_COLOR_PRESET_RED" },
      ...{ labelListVisibility: "LABEL_HIDE", messageListVisibility: "HIDE" },
    });
    const { labels } = await get(env, "labels");

    expect(label).toMatchObject({
      ...{ labelId: "Label_5", name: "Work/Sprint/One" },
      color: { backgroundColor: "#fb4c2f", textColor: "#ffffff" },
    });
    expect(labels.slice(-3)).toMatchObject([
      { name: "Work", labelListVisibility: "labelShow" },
      { name: "Work/Sprint" },
      { name: "Work/Sprint/One", labelListVisibility: "labelHide", messageListVisibility: "hide" },
    ]);
  });

  test("is created without parents that exist, or if they are not wanted", async () => {
    const env = await environment();
    await tool(env, "create_label", { displayName: "projects/Mobile" });
    await tool(env, "create_label", { displayName: "A/B", autoCreateParentLabels: false });
    const names = (await get(env, "labels")).labels.map(({ name }: any) => name);

    expect(names.slice(-5)).toEqual([
      ...["Receipts", "Projects/Login", "projects", "projects/Mobile", "A/B"],
    ]);
    await tool(env, "create_label", { displayName: "Projects/Web" });
    expect((await get(env, "labels")).labels.at(-1).name).toBe("Projects/Web");
  });

  test("is changed, counted and deleted", async () => {
    const env = await environment();
    const changed = await tool(env, "update_label", {
      ...{ labelId: "Label_1", displayName: "Bills" },
      color: { textColor: "#ffffff", backgroundColor: "#16a766" },
    });

    expect(changed).toEqual({
      ...{ labelId: "Label_1", name: "Bills" },
      color: { textColor: "#ffffff", backgroundColor: "#16a766" },
      ...{ messagesTotal: 1, messagesUnread: 1, threadsTotal: 1, threadsUnread: 1 },
    });
    expect(await tool(env, "delete_label", { labelId: "Label_1" })).toEqual({});
    expect((await messageOf(env, "from:billing@paperworks.test")).labelIds).not.toContain(
      "Label_1",
    );
  });
});
