/** Events of messages that are changed or deleted. */
import { describe, expect, test } from "bun:test";
import { BOT, GENERAL, JOHN, type Scene, useScenes } from "../scene";
import { OUTSIDER, observe, onlyOf, typesOf } from "./observe";

const newScene = useScenes();
const NOT_IN = "its bot is not in the channel";

const post = ({ john }: Scene, text: string, more: object = {}) =>
  john.chat.postMessage({ channel: GENERAL, text, ...more });

describe("a changed message", () => {
  test("shows both versions, and does not mention anyone", async () => {
    const scene = await newScene();
    const { john } = scene;
    const { ts = "" } = await post(scene, "one");
    const seen = await observe(scene);

    const found = await seen(() =>
      john.chat.update({ channel: GENERAL, ts, text: `two <@${BOT}>` }),
    );

    expect(typesOf(found)).toEqual(["message.channels"]);
    const [{ event, missed }] = found as any;
    expect(event).toMatchObject({
      type: "message",
      subtype: "message_changed",
      hidden: true,
      channel: GENERAL,
      channel_type: "channel",
      message: { ts, text: `two <@${BOT}>`, user: JOHN, edited: { user: JOHN } },
      previous_message: { ts, text: "one", user: JOHN },
    });
    expect(event.ts).toBe(event.event_ts);
    expect(event.ts > ts).toBe(true);
    expect(event.previous_message).not.toHaveProperty("edited");
    expect(missed).toEqual({ [OUTSIDER.id]: NOT_IN });
  });

  test("by previews of links, and by a stream", async () => {
    const scene = await newScene();
    const { ts = "" } = await post(scene, "https://acme.test/1");
    const seen = await observe(scene);

    const unfurled = await seen(() =>
      scene.bot.chat.unfurl({
        channel: GENERAL,
        ts,
        unfurls: { "https://acme.test/1": { title: "One" } },
      } as never),
    );
    const to = { recipient_user_id: JOHN, recipient_team_id: "T01ACMECORP" };
    const streamed = await seen(async () => {
      const stream = await scene.bot.chat.startStream({
        channel: GENERAL,
        thread_ts: ts,
        markdown_text: "one",
        ...to,
      });
      await scene.bot.chat.appendStream({
        channel: GENERAL,
        ts: stream.ts ?? "",
        markdown_text: " two",
      });
    });

    expect(unfurled[0]?.event).toMatchObject({
      subtype: "message_changed",
      message: { attachments: [{ title: "One" }] },
    });
    expect(streamed.map(({ event }) => event.subtype)).toEqual([undefined, "message_changed"]);
    expect(streamed[1]?.event.message).toMatchObject({
      text: "one two",
      streaming_state: "in_progress",
    });
  });
});

describe("a deleted message", () => {
  test("is shown once more, without events of what belonged to it", async () => {
    const scene = await newScene();
    const { john } = scene;
    const { ts = "" } = await post(scene, "oops");
    const item = { channel: GENERAL, timestamp: ts };
    await john.reactions.add({ ...item, name: "tada" });
    await john.pins.add(item);
    await john.stars.add(item);
    const seen = await observe(scene);

    const found = await seen(() => john.chat.delete({ channel: GENERAL, ts }));

    expect(typesOf(found)).toEqual(["message.channels"]);
    expect(found[0]?.event).toMatchObject({
      subtype: "message_deleted",
      hidden: true,
      deleted_ts: ts,
      previous_message: { ts, text: "oops", user: JOHN },
    });
  });

  test("with replies becomes a tombstone, which goes with the last reply", async () => {
    const scene = await newScene();
    const { john } = scene;
    const { ts: root = "" } = await post(scene, "root");
    const { ts: reply = "" } = await post(scene, "reply", { thread_ts: root });
    const seen = await observe(scene);

    const [buried] = await seen(() => john.chat.delete({ channel: GENERAL, ts: root }));
    const gone = await seen(() => john.chat.delete({ channel: GENERAL, ts: reply }));

    expect(buried?.event).toMatchObject({
      subtype: "message_changed",
      message: {
        subtype: "tombstone",
        user: "USLACKBOT",
        text: "This message was deleted.",
        hidden: true,
        thread_ts: root,
        reply_count: 1,
      },
      previous_message: { text: "root", user: JOHN },
    });
    expect(gone.map(({ event }) => [event.subtype, event.deleted_ts])).toEqual([
      ["message_deleted", reply],
      ["message_deleted", root],
    ]);
    expect(gone[1]?.event.previous_message).toMatchObject({ subtype: "tombstone" });
  });

  test("shows the files that it had", async () => {
    const scene = await newScene();
    const { john } = scene;
    await john.files.uploadV2({
      channel_id: GENERAL,
      filename: "a.txt",
      content: "text",
    } as never);
    const { messages }: any = await john.conversations.history({ channel: GENERAL, limit: 1 });
    const seen = await observe(scene);

    const found = await seen(() => john.chat.delete({ channel: GENERAL, ts: messages[0].ts }));

    expect(typesOf(found).sort()).toEqual(["file_unshared", "message.channels"]);
    expect(onlyOf(found, "message.channels").event.previous_message).toMatchObject({
      files: [{ name: "a.txt" }],
    });
  });
});
