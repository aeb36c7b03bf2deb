/** Bookmarks, stars, groups and pictures. */
import { describe, expect, test } from "bun:test";
import { AGENT, GENERAL, JOHN, LUNCH, RANDOM, ROBIN, refused, useScenes, WELCOME } from "./scene";

const newScene = useScenes();
const AT = { channel: GENERAL, timestamp: WELCOME };

describe("bookmarks", () => {
  test("are listed in the order in which they were added, to every member of the channel", async () => {
    const { agent, robin } = await newScene();
    const add = (title: string, more: object = {}) =>
      agent.bookmarks.add({
        channel_id: GENERAL,
        title,
        type: "link",
        link: `https://acme.test/${title}`,
        ...more,
      } as never);

    const first = await add("Handbook", {
      emoji: ":books:",
      entity_id: "F0ABC",
      access_level: "read",
    });
    const second = await add("Status", { parent_id: first.bookmark?.id });

    expect(first.bookmark).toMatchObject({
      id: expect.stringMatching(/^Bk/),
      channel_id: GENERAL,
      title: "Handbook",
      link: "https://acme.test/Handbook",
      emoji: ":books:",
      type: "link",
      entity_id: "F0ABC",
      date_updated: 0,
      last_updated_by_user_id: AGENT,
      last_updated_by_team_id: "T01ACMECORP",
      icon_url: null,
    });
    const { bookmarks } = await robin.bookmarks.list({ channel_id: GENERAL });
    expect(bookmarks).toEqual([first.bookmark, second.bookmark] as never);
    expect(bookmarks?.[1]).toMatchObject({ parent_id: first.bookmark?.id });
  });

  test("can be changed and removed by other members", async () => {
    const { agent, robin } = await newScene();
    const { bookmark } = await agent.bookmarks.add({
      channel_id: GENERAL,
      title: "Docs",
      type: "link",
      link: "https://docs.test",
      emoji: "books",
    });
    const id = bookmark?.id ?? "";

    const edited = await robin.bookmarks.edit({
      channel_id: GENERAL,
      bookmark_id: id,
      title: "Manual",
    });
    const bare = await robin.bookmarks.edit({
      channel_id: GENERAL,
      bookmark_id: id,
      emoji: "",
      link: "https://manual.test",
    });
    await robin.bookmarks.remove({ channel_id: GENERAL, bookmark_id: id });

    expect(edited.bookmark).toMatchObject({
      title: "Manual",
      link: "https://docs.test",
      emoji: ":books:",
      last_updated_by_user_id: ROBIN,
    });
    expect(bare.bookmark).toMatchObject({
      title: "Manual",
      link: "https://manual.test",
      emoji: "",
    });
    expect((await agent.bookmarks.list({ channel_id: GENERAL })).bookmarks).toEqual([]);
  });
});

describe("stars", () => {
  test("belong to a user, mark messages, files and channels, and are listed newest first", async () => {
    const { agent, robin } = await newScene();
    const { files }: any = await robin.files.uploadV2({
      channel_id: GENERAL,
      filename: "a.txt",
      content: "x",
    } as never);
    const file = files[0].files[0].id;
    await agent.stars.add(AT);
    await agent.stars.add({ channel: RANDOM });
    await agent.stars.add({ file });

    const { items, paging }: any = await agent.stars.list({});

    expect(items).toMatchObject([
      { type: "file", file: { id: file, is_starred: true }, date_create: expect.any(Number) },
      { type: "channel", channel: RANDOM },
      {
        type: "message",
        channel: GENERAL,
        message: { ts: WELCOME, is_starred: true, permalink: expect.any(String) },
      },
    ]);
    expect(paging).toEqual({ count: 100, total: 3, page: 1, pages: 1 });
    expect((await robin.stars.list({})).items).toEqual([]);
    const { messages }: any = await robin.conversations.history({
      channel: GENERAL,
      latest: WELCOME,
      inclusive: true,
      limit: 1,
    });
    expect(messages[0].is_starred).toBeUndefined();
  });

  test("are listed in pages by number and by cursor, without invisible items", async () => {
    const { agent, robin } = await newScene();
    const { channel } = await robin.conversations.create({ name: "secret", is_private: true });
    const id = channel?.id ?? "";
    await robin.conversations.invite({ channel: id, users: AGENT });
    await agent.stars.add({ channel: id });
    for (const channel of [GENERAL, RANDOM]) await agent.stars.add({ channel });
    await agent.stars.add({ channel: RANDOM, timestamp: LUNCH });
    await robin.conversations.kick({ channel: id, user: AGENT });

    const second: any = await agent.stars.list({ count: 2, page: 2 });
    const types: string[] = [];
    for await (const page of agent.paginate("stars.list", { limit: 1 }))
      types.push(...(page as any).items.map(({ type }: any) => type));

    expect(second.items).toMatchObject([{ type: "channel", channel: GENERAL }]);
    expect(second.paging).toEqual({ count: 2, total: 3, page: 2, pages: 2 });
    expect(types).toEqual(["message", "channel", "channel"]);
  });

  test("can be removed", async () => {
    const { agent } = await newScene();
    await agent.stars.add(AT);

    await agent.stars.remove(AT);

    expect((await agent.stars.list({})).items).toEqual([]);
  });
});

describe("user groups", () => {
  test("are created, changed, filled, disabled and enabled", async () => {
    const { agent, john, robin } = await newScene();
    const made = await agent.usergroups.create({
      name: "Launch crew",
      handle: "crew",
      description: "Everybody who launches",
      channels: `${GENERAL},${RANDOM}`,
      include_count: true,
    });
    const usergroup = made.usergroup?.id ?? "";
    expect(made.usergroup).toMatchObject({
      id: expect.stringMatching(/^S/),
      team_id: "T01ACMECORP",
      name: "Launch crew",
      handle: "crew",
      description: "Everybody who launches",
      prefs: { channels: [GENERAL, RANDOM], groups: [] },
      user_count: 0,
      created_by: AGENT,
      date_delete: 0,
    });

    const filled: any = await agent.usergroups.users.update({
      usergroup,
      users: `${AGENT},${ROBIN}`,
      include_count: true,
    });
    expect(filled.usergroup).toMatchObject({ user_count: 2, users: [AGENT, ROBIN] });
    await robin.usergroups.users.update({ usergroup, users: [JOHN, ROBIN] as never });
    expect((await john.usergroups.users.list({ usergroup })).users).toEqual([JOHN, ROBIN]);

    const changed = await john.usergroups.update({ usergroup, name: "Crew", channels: RANDOM });
    expect(changed.usergroup).toMatchObject({
      name: "Crew",
      handle: "crew",
      description: "Everybody who launches",
      prefs: { channels: [RANDOM] },
      updated_by: JOHN,
    });

    const disabled = await agent.usergroups.disable({ usergroup });
    expect(disabled.usergroup).toMatchObject({
      deleted_by: AGENT,
      date_delete: expect.any(Number),
    });
    expect((await agent.usergroups.list({})).usergroups).toEqual([]);
    expect((await agent.usergroups.list({ include_disabled: true })).usergroups).toHaveLength(1);

    const enabled = await agent.usergroups.enable({ usergroup, include_count: true });
    expect(enabled.usergroup).toMatchObject({ date_delete: 0, deleted_by: "", user_count: 2 });
  });

  test("keep what a change does not give, and show their people only when they are counted", async () => {
    const { agent, john } = await newScene();
    const { usergroup: made } = await agent.usergroups.create({ name: "Crew", channels: GENERAL });
    const usergroup = made?.id ?? "";
    await agent.usergroups.users.update({ usergroup, users: `${AGENT},${JOHN}` });

    const change = async (fields: object) =>
      (await john.usergroups.update({ usergroup, ...fields } as never)).usergroup;
    expect(await change({ description: "All hands" })).toMatchObject({
      ...{ name: "Crew", handle: "crew", description: "All hands" },
      prefs: { channels: [GENERAL], groups: [] },
      users: [AGENT, JOHN],
    });
    expect(await change({ name: "  " })).toMatchObject({ name: "Crew", description: "All hands" });
    expect(await change({ name: " Band ", description: "" })).toMatchObject({
      ...{ name: "Band", handle: "crew", description: "" },
    });
    expect(await change({ handle: "@players" })).toMatchObject({ name: "Band", handle: "players" });
    expect(await change({})).not.toHaveProperty("user_count");
    expect(await change({ include_count: true })).toMatchObject({ user_count: 2 });
    const { usergroup: disabled } = await agent.usergroups.disable({ usergroup });
    expect(disabled).not.toHaveProperty("user_count");
    expect(disabled).not.toHaveProperty("users");
  });

  test("list their private channels separately, and derive a handle from their name", async () => {
    const { agent } = await newScene();
    const { channel } = await agent.conversations.create({ name: "war-room", is_private: true });

    const { usergroup } = await agent.usergroups.create({
      name: "On Call!",
      channels: GENERAL,
      additional_channels: channel?.id,
    } as never);

    expect(usergroup).toMatchObject({
      handle: "on-call",
      prefs: { channels: [GENERAL], groups: [channel?.id] },
      channel_count: 2,
    });
  });

  test("are mentioned by their handles", async () => {
    const { agent } = await newScene();
    const { usergroup } = await agent.usergroups.create({ name: "Crew", handle: "crew" });

    const { message } = await agent.chat.postMessage({
      channel: GENERAL,
      text: "Hey @crew",
      link_names: true,
    });

    expect(message?.text).toBe(`Hey <!subteam^${usergroup?.id}|@crew>`);
  });
});

describe("one's own account", () => {
  const PNG = Buffer.from(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
    "base64",
  );

  test("gets a picture, and loses it", async () => {
    const { agent, robin } = await newScene();
    const before: any = await robin.users.profile.get({ user: AGENT });

    const set: any = await agent.users.setPhoto({ image: PNG, crop_w: 1, crop_x: 0, crop_y: 0 });
    const after: any = await robin.users.profile.get({ user: AGENT });
    await agent.users.deletePhoto({});

    expect(set.profile.avatar_hash).not.toBe(before.profile.avatar_hash);
    expect(set.profile.image_512).toContain(set.profile.avatar_hash);
    expect(after.profile).toMatchObject({ ...set.profile, is_custom_image: true });
    expect(await robin.users.profile.get({ user: AGENT })).toMatchObject({
      profile: before.profile,
    });
  });

  test("returns its identity, as a sign-in does", async () => {
    const { agent } = await newScene();

    expect(await agent.users.identity({})).toMatchObject({
      user: {
        id: AGENT,
        name: "Agent Smith",
        email: "agent@acme.test",
        image_48: expect.any(String),
      },
      team: { id: "T01ACMECORP", name: "Acme" },
    });
  });

  test("is in one workspace, and keeps its token", async () => {
    const { agent } = await newScene();

    expect(await agent.auth.teams.list({ include_icon: true })).toMatchObject({
      teams: [{ id: "T01ACMECORP", name: "Acme", icon: { image_default: true } }],
      response_metadata: { next_cursor: "" },
    });
    expect(await agent.auth.revoke({ test: true })).toMatchObject({ revoked: false });
    expect(await agent.auth.revoke({})).toMatchObject({ revoked: false });
    expect(await agent.auth.test()).toMatchObject({ user_id: AGENT });
  });
});

describe("the workspace", () => {
  test("lists its custom profile fields by visibility", async () => {
    const scene = await newScene();
    const fields = [
      { id: "Xf1", field_name: "Team", label: "Team", is_hidden: false },
      { id: "Xf2", label: "Badge", is_hidden: true },
    ];
    await scene.write(
      "teams",
      `profile = '${JSON.stringify({ fields, sections: [{ id: "Xs1" }] })}'`,
    );
    const ids = async (args: object) => {
      const { profile }: any = await scene.agent.team.profile.get(args);
      return profile.fields.map(({ id }: any) => id);
    };

    expect(await ids({})).toEqual(["Xf1", "Xf2"]);
    expect(await ids({ visibility: "visible" })).toEqual(["Xf1"]);
    expect(await ids({ visibility: "hidden" })).toEqual(["Xf2"]);
  });

  test("lists its preferences, and enforces them", async () => {
    const scene = await newScene();
    await scene.write("teams", "who_can_post_general = 'admin', msg_edit_window_mins = 5");

    const preferences: any = await scene.agent.team.preferences.list();

    expect(preferences).toMatchObject({
      allow_message_deletion: true,
      display_real_names: false,
      disable_file_uploads: "allow_all",
      msg_edit_window_mins: 5,
      who_can_post_general: "admin",
    });
    const answer = await refused(scene.agent.chat.postMessage({ channel: GENERAL, text: "hi" }));
    expect(answer.error).toBe("restricted_action");
  });
});

describe("a file", () => {
  test("is public between two calls", async () => {
    const { agent, guest } = await newScene();
    const { files }: any = await agent.files.uploadV2({
      channel_id: GENERAL,
      filename: "a.txt",
      content: "hello",
    } as never);
    const file = files[0].files[0].id;

    const shared: any = await agent.files.sharedPublicURL({ file });
    const open = await fetch(shared.file.permalink_public);
    const byGuest = await refused(guest.files.sharedPublicURL({ file }));
    const revoked: any = await agent.files.revokePublicURL({ file });
    const closed = await fetch(shared.file.permalink_public);

    expect(shared.file).toMatchObject({ public_url_shared: true });
    expect(await open.text()).toBe("hello");
    expect(byGuest.error).toBe("not_allowed");
    expect(revoked.file).toMatchObject({ public_url_shared: false });
    expect(revoked.file).not.toHaveProperty("permalink_public");
    expect(await closed.text()).not.toBe("hello");
  });

  test("has no comments that could be deleted", async () => {
    const { agent } = await newScene();
    const { files }: any = await agent.files.uploadV2({
      channel_id: GENERAL,
      filename: "a.txt",
      content: "x",
    } as never);

    const answer = await refused(
      agent.files.comments.delete({ file: files[0].files[0].id, id: "Fc1" }),
    );

    expect(answer.error).toBe("cant_delete");
  });
});

test("the workspaces of built-in templates name the fields of profiles in plain text", async () => {
  const { agent } = await newScene("chat_bench_default");
  const { profile }: any = await agent.team.profile.get();
  expect(profile.fields.map(({ field_name: name }: any) => name)).toEqual([
    "Team",
    "Started",
    "Badge number",
  ]);
});
