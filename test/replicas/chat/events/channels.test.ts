/** Events of channels, their members, and direct messages. */
import { describe, expect, test } from "bun:test";
import { AGENT, BOT, GENERAL, JOHN, RANDOM, ROBIN, useScenes } from "../scene";
import { MEMBER, OUTSIDER, observe, onlyOf, typesOf } from "./observe";

const newScene = useScenes();
const NOT_IN = "its bot is not in the channel";
const NOT_CONCERNED = "its bot is not the member concerned";
const plain = ({ event }: { event: any }) => {
  const { event_ts: _, ...fields } = event;
  return fields;
};

describe("a channel", () => {
  test("is created, which everyone learns, with its first member", async () => {
    const scene = await newScene();
    const seen = await observe(scene);
    let id = "";

    const found = await seen(async () => {
      const { channel } = await scene.agent.conversations.create({ name: "lobby" });
      id = channel?.id ?? "";
    });

    expect(typesOf(found)).toEqual(["channel_created", "member_joined_channel"]);
    expect(onlyOf(found, "channel_created").event.channel).toMatchObject({
      id,
      name: "lobby",
      name_normalized: "lobby",
      created: expect.any(Number),
      creator: AGENT,
      context_team_id: "T01ACMECORP",
      is_channel: true,
      is_private: false,
      is_archived: false,
    });
    expect(onlyOf(found, "channel_created").missed).toEqual({});
    expect(plain(onlyOf(found, "member_joined_channel"))).toEqual({
      type: "member_joined_channel",
      user: AGENT,
      channel: id,
      channel_type: "C",
      team: "T01ACMECORP",
    });
    expect(onlyOf(found, "member_joined_channel").missed[MEMBER.id]).toBe(NOT_IN);
  });

  test("is renamed, archived and unarchived", async () => {
    const scene = await newScene();
    const { john, agent } = scene;
    const seen = await observe(scene);

    const renamed = await seen(() => john.conversations.rename({ channel: RANDOM, name: "any" }));
    const archived = await seen(() => agent.conversations.archive({ channel: RANDOM }));
    const back = await seen(() => john.conversations.unarchive({ channel: RANDOM }));

    const rename = onlyOf(renamed, "channel_rename");
    expect(rename.event.channel).toEqual({
      id: RANDOM,
      name: "any",
      name_normalized: "any",
      created: expect.any(Number),
      is_channel: true,
      is_mpim: false,
    });
    expect(plain(onlyOf(archived, "channel_archive"))).toEqual({
      type: "channel_archive",
      channel: RANDOM,
      user: AGENT,
      is_moved: 0,
    });
    expect(plain(onlyOf(back, "channel_unarchive"))).toEqual({
      type: "channel_unarchive",
      channel: RANDOM,
      user: JOHN,
    });
    expect(rename.missed).toEqual({});
    expect(typesOf(archived).sort()).toEqual(["channel_archive", "message.channels"]);
  });

  test("that is private is known to its members only", async () => {
    const scene = await newScene();
    const { agent, john } = scene;
    const seen = await observe(scene);
    let channel = "";

    const created = await seen(async () => {
      const made = await agent.conversations.create({ name: "secret", is_private: true });
      channel = made.channel?.id ?? "";
      await agent.conversations.invite({ channel, users: `${JOHN},${BOT}` });
    });
    const renamed = await seen(() => agent.conversations.rename({ channel, name: "quiet" }));
    const archived = await seen(() => agent.conversations.archive({ channel }));
    const back = await seen(() => john.conversations.unarchive({ channel }));
    const left = await seen(() => scene.bot.conversations.leave({ channel }));

    expect(typesOf(created)).not.toContain("channel_created");
    const joined = created.filter(({ type }) => type === "member_joined_channel");
    expect(joined.map(({ event }) => [event.user, event.channel_type, event.inviter])).toEqual([
      [AGENT, "G", undefined],
      [JOHN, "G", AGENT],
      [BOT, "G", AGENT],
    ]);
    expect(joined.map(({ missed }) => missed[MEMBER.id])).toEqual([NOT_IN, undefined, undefined]);
    for (const [found, type, fields] of [
      [renamed, "group_rename", {}],
      [archived, "group_archive", { user: AGENT }],
      [back, "group_unarchive", { actor_id: JOHN }],
    ] as const) {
      expect(onlyOf(found, type).event).toMatchObject(fields);
      expect(onlyOf(found, type).missed).toEqual({ [OUTSIDER.id]: NOT_IN });
    }
    expect(plain(onlyOf(left, "group_left"))).toEqual({
      type: "group_left",
      channel,
      actor_id: BOT,
    });
    expect(onlyOf(left, "group_left").missed).toEqual({ [OUTSIDER.id]: NOT_CONCERNED });
  });
});

describe("a member", () => {
  test("joins and leaves, which members and the app concerned learn", async () => {
    const scene = await newScene();
    const { agent, bot } = scene;
    const seen = await observe(scene);

    const joined = await seen(() => bot.conversations.join({ channel: RANDOM }));
    const left = await seen(() => bot.conversations.leave({ channel: RANDOM }));
    const other = await seen(() => agent.conversations.kick({ channel: RANDOM, user: ROBIN }));

    expect(onlyOf(joined, "member_joined_channel").event).toMatchObject({
      user: BOT,
      channel: RANDOM,
    });
    expect(onlyOf(joined, "member_joined_channel").missed).toEqual({ [OUTSIDER.id]: NOT_IN });
    expect(plain(onlyOf(left, "member_left_channel"))).toEqual({
      type: "member_left_channel",
      user: BOT,
      channel: RANDOM,
      channel_type: "C",
      team: "T01ACMECORP",
    });
    expect(onlyOf(left, "member_left_channel").missed).toEqual({ [OUTSIDER.id]: NOT_IN });
    expect(onlyOf(left, "channel_left").missed).toEqual({ [OUTSIDER.id]: NOT_CONCERNED });
    expect(onlyOf(other, "channel_left").missed[MEMBER.id]).toBe(NOT_CONCERNED);
    expect(onlyOf(other, "member_left_channel").missed[MEMBER.id]).toBe(NOT_IN);
  });

  test("reads, which is no event", async () => {
    const scene = await newScene();
    const seen = await observe(scene);

    const found = await seen(() =>
      scene.john.conversations.mark({ channel: GENERAL, ts: "1767603600.731938" }),
    );

    expect(found).toEqual([]);
  });
});

test("a direct message is created, closed and opened, in the list of one member", async () => {
  const scene = await newScene();
  const { john } = scene;
  const seen = await observe(scene);
  let channel = "";

  const created = await seen(async () => {
    const made = await john.conversations.open({ users: BOT });
    channel = made.channel?.id ?? "";
  });
  const closed = await seen(() => scene.bot.conversations.close({ channel }));
  const opened = await seen(() => scene.bot.conversations.open({ channel }));

  expect(typesOf(created)).toEqual(["im_created", "im_open", "im_open"]);
  expect(plain(onlyOf(created, "im_created"))).toEqual({
    type: "im_created",
    user: JOHN,
    channel: { id: channel },
  });
  expect(onlyOf(created, "im_created").missed).toEqual({ [OUTSIDER.id]: NOT_IN });
  const opening = created.filter(({ type }) => type === "im_open");
  expect(opening.map(({ event, missed }) => [event.user, missed[MEMBER.id]])).toEqual([
    [JOHN, NOT_CONCERNED],
    [BOT, undefined],
  ]);
  expect(plain(onlyOf(closed, "im_close"))).toEqual({ type: "im_close", user: BOT, channel });
  expect(onlyOf(closed, "im_close").missed).toEqual({ [OUTSIDER.id]: NOT_CONCERNED });
  expect(typesOf(opened)).toEqual(["im_open"]);
});

test("a direct message with several people is a group", async () => {
  const scene = await newScene();
  const { john } = scene;
  const seen = await observe(scene);
  let channel = "";

  const created = await seen(async () => {
    const made = await john.conversations.open({ users: `${BOT},${AGENT}` });
    channel = made.channel?.id ?? "";
  });
  const closed = await seen(() => john.conversations.close({ channel }));

  expect(typesOf(created)).toEqual(["group_open", "group_open", "group_open"]);
  expect(plain(onlyOf(closed, "group_close"))).toEqual({
    type: "group_close",
    user: JOHN,
    channel,
  });
});
