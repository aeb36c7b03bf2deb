/** Fields that recorded answers of the service have. */
import { describe, expect, test } from "bun:test";
import { AGENT, GENERAL, JOHN, useScenes } from "./scene";

const newScene = useScenes();
const UNREAD = "0000000000.000000";

test("a channel that was created or changed shows the caller's read mark", async () => {
  const { agent } = await newScene();

  const { channel: created }: any = await agent.conversations.create({ name: "plans" });
  const { id } = created;
  const { ts } = await agent.chat.postMessage({ channel: id, text: "one" });
  const changed: any[] = [
    await agent.conversations.rename({ channel: id, name: "ideas" }),
    await agent.conversations.setTopic({ channel: id, topic: "Ideas" }),
    await agent.conversations.setPurpose({ channel: id, purpose: "Ideas" }),
  ];

  expect(created.last_read).toBe(UNREAD);
  for (const { channel } of changed) expect(channel.last_read >= (ts ?? "")).toBe(true);
});

test("a channel's properties name its tabs and its canvas", async () => {
  const { agent } = await newScene();
  const properties = async (channel: string) => {
    const answer: any = await agent.conversations.info({ channel });
    return answer.channel.properties;
  };
  const tabs = [
    { id: "files", label: "", type: "files" },
    { id: "bookmarks", label: "", type: "bookmarks" },
  ];
  expect(await properties(GENERAL)).toEqual({ tabs });

  const { canvas_id: id } = await agent.conversations.canvases.create({ channel_id: GENERAL });
  expect(await properties(GENERAL)).toEqual({ tabs, canvas: { file_id: id, is_empty: true } });

  const { channel }: any = await agent.conversations.open({ users: JOHN, return_im: true });
  expect(await properties(channel.id)).toEqual({});
});

describe("a file", () => {
  test("that is text names its editor and when it was changed", async () => {
    const { agent } = await newScene();
    const [{ files }]: any = (
      (await agent.files.uploadV2({ content: "a", filename: "a.txt" })) as any
    ).files;
    const { file }: any = await agent.files.info({ file: files[0].id });
    expect(file).toMatchObject({
      editable: true,
      editor: AGENT,
      last_editor: AGENT,
      updated: file.created,
    });
  });

  test("that is a canvas names who changed it last", async () => {
    const { agent, john } = await newScene();
    const { canvas_id: id = "" } = await agent.canvases.create({ title: "Plan" });
    const editor = async () => {
      const { file }: any = await agent.files.info({ file: id });
      expect(file.editable).toBe(true);
      expect(file.updated).toBeGreaterThanOrEqual(file.created);
      return file.last_editor;
    };
    expect(await editor()).toBe(AGENT);

    await agent.canvases.access.set({ canvas_id: id, access_level: "write", user_ids: [JOHN] });
    await john.canvases.edit({
      canvas_id: id,
      changes: [
        {
          operation: "insert_at_end",
          document_content: { type: "markdown", markdown: "More" },
        },
      ],
    });
    expect(await editor()).toBe(JOHN);
  });

  test("that is a picture is not edited", async () => {
    const { agent } = await newScene();
    const [{ files }]: any = (
      (await agent.files.uploadV2({ file: Buffer.from([137, 80]), filename: "a.png" })) as any
    ).files;
    const { file }: any = await agent.files.info({ file: files[0].id });
    expect([file.editable, "editor" in file]).toEqual([false, false]);
  });
});

test("a user group that was created or changed shows its users", async () => {
  const { agent } = await newScene();
  const { usergroup: made }: any = await agent.usergroups.create({ name: "Crew", handle: "crew" });
  await agent.usergroups.users.update({ usergroup: made.id, users: `${JOHN},${AGENT}` });
  const { usergroup: changed }: any = await agent.usergroups.update({
    usergroup: made.id,
    name: "Staff",
  });
  expect([made.users, changed.users.toSorted()]).toEqual([[], [AGENT, JOHN]]);
});

test("a workspace's icon has its original", async () => {
  const { agent } = await newScene();
  const { team }: any = await agent.team.info();
  expect(team.icon.image_original).toBe(team.icon.image_34.replace("_34", "_original"));
});

test("text objects in stored blocks have the flags that the service adds", async () => {
  const { agent, bot, trigger } = await newScene();
  const plain = (text: string, more: object = {}) => ({ type: "plain_text", text, ...more });
  const blocks: any = [
    { type: "header", text: plain("Title") },
    {
      type: "section",
      text: { type: "mrkdwn", text: "*x*" },
      fields: [plain("a", { emoji: false }), { type: "mrkdwn", text: "b", verbatim: true }],
      accessory: {
        type: "static_select",
        action_id: "a",
        options: [{ text: plain("one"), value: "1" }],
      },
    },
  ];
  const stored = [
    { text: plain("Title", { emoji: true }) },
    {
      text: { type: "mrkdwn", text: "*x*", verbatim: false },
      fields: [plain("a", { emoji: false }), { type: "mrkdwn", text: "b", verbatim: true }],
      accessory: { options: [{ text: plain("one", { emoji: true }) }] },
    },
  ];

  const { message }: any = await agent.chat.postMessage({ channel: GENERAL, text: "x", blocks });
  const attached: any = await agent.chat.postMessage({
    channel: GENERAL,
    text: "x",
    attachments: [{ blocks }],
  });
  const { view }: any = await bot.views.open({
    trigger_id: await trigger(),
    view: { type: "modal", title: plain("T") as never, blocks },
  });

  expect(message.blocks).toMatchObject(stored);
  expect(attached.message.attachments[0].blocks).toMatchObject(stored);
  expect(view.blocks).toMatchObject(stored);
});

describe("the emoji of a status", () => {
  test.each([
    [":train:", "train", "1f68b"],
    [":wave::skin-tone-3:", "wave::skin-tone-3", "1f44b"],
  ])("%s is shown with its code and picture", async (given, name, unicode) => {
    const { agent } = await newScene();
    const info = async () => {
      const { profile }: any = await agent.users.profile.get({});
      return profile.status_emoji_display_info;
    };
    await agent.users.profile.set({ profile: { status_text: "Away", status_emoji: given } });
    expect(await info()).toEqual([
      { emoji_name: name, display_url: expect.stringContaining(unicode), unicode },
    ]);

    await agent.users.profile.set({ profile: { status_text: "", status_emoji: "" } });
    expect(await info()).toEqual([]);
  });
});
