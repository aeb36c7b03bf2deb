import { describe, expect, test } from "bun:test";
import {
  AGENT,
  GENERAL,
  GUEST,
  JOHN,
  RANDOM,
  ROBIN,
  refused,
  type Scene,
  useScenes,
} from "./scene";

const newScene = useScenes();

const newest = async ({ agent }: Scene, channel: string): Promise<any> =>
  (await agent.conversations.history({ channel, limit: 1 })).messages?.[0];

describe("conversations.create", () => {
  test("gives a channel no time in the future", async () => {
    const { agent } = await newScene();
    await agent.auth.test();
    // In the second half of a second, where rounding would go up.
    await Bun.sleep((1550 - (Date.now() % 1000)) % 1000);

    const { channel } = await agent.conversations.create({ name: "on-time" });

    expect(channel?.created).toBeLessThanOrEqual(Math.floor(Date.now() / 1000));
  });

  test("creates a channel with its creator as the only member", async () => {
    const { agent } = await newScene();

    const { channel }: any = await agent.conversations.create({ name: "#launch-2026_ü" });
    const { members } = await agent.conversations.members({ channel: channel.id });

    expect(channel).toMatchObject({
      id: expect.stringMatching(/^C[0-9A-Z]{8,10}$/),
      name: "launch-2026_ü",
      name_normalized: "launch-2026_ü",
      creator: AGENT,
      is_channel: true,
      is_private: false,
      is_member: true,
      is_archived: false,
      is_general: false,
      topic: { value: "", creator: "", last_set: 0 },
      previous_names: [],
    });
    expect(members).toEqual([AGENT]);
  });

  test("creates private channels that nobody else can see", async () => {
    const { agent, robin } = await newScene();
    const { channel: { id = "" } = {} } = await agent.conversations.create({
      name: "secret",
      is_private: true,
    });
    const types = "public_channel,private_channel";

    const mine = await agent.conversations.list({ types });
    const theirs = await robin.conversations.list({ types });
    const gone = await refused(robin.conversations.info({ channel: id }));
    const posted = await refused(robin.chat.postMessage({ channel: "secret", text: "hi" }));

    expect(mine.channels?.find((each) => each.id === id)).toMatchObject({ is_private: true });
    expect(theirs.channels?.map((each) => each.id)).toEqual([GENERAL, RANDOM]);
    expect(gone.error).toBe("channel_not_found");
    expect(posted.error).toBe("channel_not_found");
  });
});

describe("conversations.list", () => {
  test("lists by type, with and without archived channels, page by page", async () => {
    const { agent, john } = await newScene();
    await agent.conversations.open({ users: JOHN });
    await agent.conversations.open({ users: `${JOHN},${ROBIN}` });
    await john.conversations.archive({ channel: RANDOM });
    const ids = async (args: object) =>
      (await agent.conversations.list(args)).channels?.map((channel) => channel.id ?? "");

    expect(await ids({})).toEqual([GENERAL, RANDOM]);
    expect(await ids({ exclude_archived: true })).toEqual([GENERAL]);
    expect(await ids({ types: "im" })).toEqual([expect.stringMatching(/^D/)] as never);
    expect(await ids({ types: "mpim" })).toHaveLength(1);
    const seen: string[] = [];
    for await (const page of agent.paginate("conversations.list", {
      limit: 1,
      types: "public_channel,im,mpim",
    }))
      seen.push(...(page as any).channels.map(({ id }: { id: string }) => id));
    expect(seen).toHaveLength(4);
    expect(new Set(seen).size).toBe(4);
  });

  test("shows the number of members, and whether the caller is one", async () => {
    const { agent } = await newScene();

    const { channels } = await agent.conversations.list();

    expect(channels).toMatchObject([
      { id: GENERAL, is_general: true, is_member: true, num_members: 5 },
      { id: RANDOM, is_member: true },
    ]);
  });
});

describe("conversations.info", () => {
  test("counts members and shows the locale on request", async () => {
    const { agent } = await newScene();

    const plain: any = await agent.conversations.info({ channel: GENERAL });
    const full: any = await agent.conversations.info({
      channel: GENERAL,
      include_num_members: true,
      include_locale: true,
    });

    expect(plain.channel).not.toHaveProperty("num_members");
    expect(full.channel).toMatchObject({
      num_members: 5,
      locale: "en-US",
      last_read: expect.any(String),
    });
  });
});

describe("conversations.rename", () => {
  test("renames, remembers the old name and posts a notice", async () => {
    const scene = await newScene();
    const { channel: { id = "" } = {} } = await scene.agent.conversations.create({
      name: "old-name",
    });

    const { channel } = await scene.agent.conversations.rename({ channel: id, name: "new-name" });

    expect(channel).toMatchObject({ id, name: "new-name", previous_names: ["old-name"] });
    expect(await newest(scene, id)).toMatchObject({
      subtype: "channel_name",
      user: AGENT,
      old_name: "old-name",
      name: "new-name",
    });
  });

  test("is allowed to an administrator", async () => {
    const { john } = await newScene();

    expect(
      (await john.conversations.rename({ channel: RANDOM, name: "offtopic" })).channel,
    ).toMatchObject({
      name: "offtopic",
    });
  });
});

test("of concurrent calls for one name, one gets it", async () => {
  const { agent } = await newScene();
  const ids = await Promise.all(
    [1, 2, 3].map(
      async (n) => (await agent.conversations.create({ name: `n${n}` })).channel?.id ?? "",
    ),
  );

  const answers = await Promise.allSettled([
    ...ids.map((channel) => agent.conversations.rename({ channel, name: "wanted" })),
    agent.conversations.create({ name: "wanted" }),
  ]);

  expect(answers.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  for (const answer of answers)
    if (answer.status === "rejected") expect(answer.reason.data?.error).toBe("name_taken");
});

describe("conversations.archive and conversations.unarchive", () => {
  test("close and reopen a channel, each with a notice", async () => {
    const scene = await newScene();
    const { agent } = scene;
    const post = { channel: RANDOM, text: "hi" };

    await agent.conversations.archive({ channel: RANDOM });
    expect((await newest(scene, RANDOM)).subtype).toBe("channel_archive");
    expect((await refused(agent.chat.postMessage(post))).error).toBe("is_archived");
    expect((await refused(agent.conversations.create({ name: "random" }))).error).toBe(
      "name_taken",
    );

    await agent.conversations.unarchive({ channel: RANDOM });
    expect((await newest(scene, RANDOM)).subtype).toBe("channel_unarchive");
    expect((await agent.chat.postMessage(post)).ok).toBe(true);
  });
});

describe("conversations.setTopic and conversations.setPurpose", () => {
  test("change a channel's description, with a notice", async () => {
    const scene = await newScene();
    const { agent } = scene;

    const topic: any = await agent.conversations.setTopic({
      channel: RANDOM,
      topic: "Lunch & more",
    });
    expect(topic.channel.topic).toEqual({
      value: "Lunch &amp; more",
      creator: AGENT,
      last_set: expect.any(Number),
    });
    expect(topic.topic).toBe("Lunch &amp; more");
    expect(await newest(scene, RANDOM)).toMatchObject({
      subtype: "channel_topic",
      topic: "Lunch &amp; more",
    });

    const purpose: any = await agent.conversations.setPurpose({ channel: RANDOM, purpose: "" });
    expect(purpose.channel.purpose.value).toBe("");
    expect((await newest(scene, RANDOM)).subtype).toBe("channel_purpose");
  });

  test("write nothing when nothing changes", async () => {
    const { agent, state } = await newScene();
    await agent.conversations.setTopic({ channel: RANDOM, topic: "Same" });
    const before = await state();

    await agent.conversations.setTopic({ channel: RANDOM, topic: "Same" });

    expect(await state()).toEqual(before);
  });
});

describe("members", () => {
  test("join, and are warned when they are already members", async () => {
    const scene = await newScene();
    await scene.robin.conversations.leave({ channel: RANDOM });

    const { channel } = await scene.robin.conversations.join({ channel: RANDOM });
    const again: any = await scene.robin.conversations.join({ channel: RANDOM });

    expect(channel).toMatchObject({ id: RANDOM, is_member: true });
    expect(await newest(scene, RANDOM)).toMatchObject({ subtype: "channel_join", user: ROBIN });
    expect(again).toMatchObject({
      warning: "already_in_channel",
      response_metadata: { warnings: ["already_in_channel"] },
    });
  });

  test("leave, and get an answer when they are not members", async () => {
    const scene = await newScene();

    await scene.robin.conversations.leave({ channel: RANDOM });
    const again: any = await scene.robin.conversations.leave({ channel: RANDOM });

    expect(await newest(scene, RANDOM)).toMatchObject({ subtype: "channel_leave", user: ROBIN });
    expect(again).toMatchObject({ ok: true, not_in_channel: true });
    expect(
      (await refused(scene.robin.chat.postMessage({ channel: RANDOM, text: "hi" }))).error,
    ).toBe("not_in_channel");
  });

  test("are invited all or none, or with force as many as possible", async () => {
    const scene = await newScene();
    const { agent } = scene;
    const { channel: { id = "" } = {} } = await agent.conversations.create({
      name: "team",
      is_private: true,
    });
    const users = `${ROBIN},U99NOBODY,${JOHN}`;

    const none = await refused(agent.conversations.invite({ channel: id, users }));
    expect(none).toMatchObject({
      error: "user_not_found",
      errors: [{ ok: false, error: "user_not_found", user: "U99NOBODY" }],
    });
    expect((await agent.conversations.members({ channel: id })).members).toEqual([AGENT]);

    await agent.conversations.invite({ channel: id, users, force: true });
    expect((await agent.conversations.members({ channel: id })).members).toEqual([
      AGENT,
      ROBIN,
      JOHN,
    ]);
    expect(await newest(scene, id)).toMatchObject({
      subtype: "group_join",
      user: JOHN,
      inviter: AGENT,
      text: `<@${JOHN}> has joined the group`,
    });
  });

  test("are removed by other members", async () => {
    const scene = await newScene();

    await scene.agent.conversations.kick({ channel: RANDOM, user: ROBIN });

    const { members } = await scene.agent.conversations.members({ channel: RANDOM });
    expect(members).not.toContain(ROBIN);
    expect(await newest(scene, RANDOM)).toMatchObject({ subtype: "channel_leave", user: ROBIN });
  });

  test("are listed in the order in which they joined, page by page", async () => {
    const { agent } = await newScene();
    await agent.conversations.invite({ channel: RANDOM, users: GUEST });
    const { members: all = [] } = await agent.conversations.members({ channel: RANDOM });

    const seen: string[] = [];
    for await (const page of agent.paginate("conversations.members", { channel: RANDOM, limit: 2 }))
      seen.push(...(page as any).members);

    expect(seen).toEqual(all);
    expect(all.at(-1)).toBe(GUEST);
  });
});

describe("direct messages", () => {
  test("are the same for the same people, in any order and opened by any of them", async () => {
    const { agent, john } = await newScene();

    const made: any = await agent.conversations.open({
      users: `${JOHN},${ROBIN}`,
      return_im: true,
    });
    const found: any = await john.conversations.open({ users: `${ROBIN},${AGENT},${JOHN}` });

    expect(made.channel).toMatchObject({
      name: "mpdm-agent--john--robin-1",
      is_mpim: true,
      is_private: true,
    });
    const { members } = await agent.conversations.members({ channel: made.channel.id });
    expect(members).toEqual([AGENT, JOHN, ROBIN]);
    expect(found).toMatchObject({
      no_op: true,
      already_open: true,
      channel: { id: made.channel.id },
    });
    expect(Object.keys(found.channel)).toEqual(["id"]);
  });

  test("can be closed and reopened with their history", async () => {
    const { agent } = await newScene();
    const { channel = "" } = await agent.chat.postMessage({ channel: JOHN, text: "psst" });

    const closed: any = await agent.conversations.close({ channel });
    const again: any = await agent.conversations.close({ channel });
    const opened: any = await agent.conversations.open({ channel });

    expect(closed.no_op).toBeUndefined();
    expect(again).toMatchObject({ no_op: true, already_closed: true });
    expect(opened.channel.id).toBe(channel);
    expect(opened.no_op).toBeUndefined();
    expect((await agent.conversations.history({ channel })).messages).toHaveLength(1);
  });

  test("exist with oneself, and are only looked up when they must not be created", async () => {
    const { agent } = await newScene();

    const { channel }: any = await agent.conversations.open({ users: AGENT, return_im: true });
    const found: any = await agent.conversations.open({ users: AGENT, prevent_creation: true });

    expect(channel).toMatchObject({ is_im: true, user: AGENT });
    expect(found.channel.id).toBe(channel.id);
  });

  test("are opened once by concurrent calls", async () => {
    const { agent, john } = await newScene();

    const opened = await Promise.all(
      [agent, john, agent, john].map((client) =>
        client.conversations.open({ users: client === agent ? JOHN : AGENT }),
      ),
    );

    expect(new Set(opened.map(({ channel }) => channel?.id)).size).toBe(1);
  });
});

describe("users.conversations", () => {
  test("lists a user's channels, and of the private ones those that the caller shares", async () => {
    const { agent, robin } = await newScene();
    await robin.conversations.create({ name: "robins", is_private: true });
    const shared = await agent.conversations.open({ users: ROBIN });
    const types = "public_channel,private_channel,im";

    const { channels = [] }: any = await agent.users.conversations({ user: ROBIN, types });

    expect(channels.map(({ id }: any) => id)).toEqual([GENERAL, RANDOM, shared.channel?.id]);
    expect(channels[0]).not.toHaveProperty("is_member");
    expect(channels[0]).not.toHaveProperty("num_members");
    expect((await robin.users.conversations({ types: "private_channel" })).channels).toHaveLength(
      1,
    );
  });
});
