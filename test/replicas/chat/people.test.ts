/** Users, bots, groups and the workspace. */
import { describe, expect, test } from "bun:test";
import { AGENT, BOT, GONE, GUEST, JOHN, ROBIN, refused, type Scene, useScenes } from "./scene";

const newScene = useScenes();

describe("users.list", () => {
  test("lists all users, including bots, deactivated users and Slackbot", async () => {
    const { agent } = await newScene();

    const { members = [], cache_ts } = await agent.users.list({ include_locale: true });

    expect(members.map(({ id }) => id)).toEqual([
      AGENT,
      JOHN,
      ROBIN,
      GUEST,
      GONE,
      BOT,
      "U07STRAY",
      "USLACKBOT",
    ]);
    expect(members[0]).toMatchObject({
      name: "agent",
      real_name: "Agent Smith",
      deleted: false,
      is_admin: false,
      is_bot: false,
      locale: "en-US",
      tz_offset: expect.any(Number),
      profile: { email: "agent@acme.test", display_name: "agent", team: "T01ACMECORP" },
    });
    expect(members[4]).not.toHaveProperty("is_admin");
    expect(members[5]).toMatchObject({ is_bot: true, profile: { bot_id: "B06BOT" } });
    expect(cache_ts).toBeNumber();
  });

  test("pages through all users", async () => {
    const { agent } = await newScene();

    const seen: string[] = [];
    for await (const page of agent.paginate("users.list", { limit: 3 }))
      seen.push(...(page as any).members.map(({ id }: any) => id));

    expect(new Set(seen).size).toBe(8);
    expect(seen).toHaveLength(8);
  });
});

describe("users.info", () => {
  test("shows any user, with the current offset of their time zone", async () => {
    const { agent } = await newScene();

    const { user } = await agent.users.info({ user: ROBIN, include_locale: true });
    const bot = await agent.users.info({ user: "USLACKBOT" });

    expect(user).toMatchObject({ id: ROBIN, tz: "Europe/Berlin", locale: "en-US" });
    expect([3600, 7200]).toContain(user?.tz_offset as number);
    expect(bot.user).toMatchObject({ name: "slackbot", is_bot: false });
  });

  test("shows several users in the given order, from a comma list", async () => {
    const { agent } = await newScene();
    const info = (args: object): any => agent.users.info(args as never);

    const { users, user } = await info({ users: `${ROBIN}, USLACKBOT,${JOHN}` });

    expect(user).toBeUndefined();
    expect(users.map(({ id }: any) => id)).toEqual([ROBIN, "USLACKBOT", JOHN]);
    expect(users[0]).toEqual((await info({ user: ROBIN })).user);
    expect((await refused(info({ users: `${JOHN},U99NOBODY` }))).error).toBe("user_not_found");
    const many = Array.from({ length: 31 }, () => JOHN).join();
    expect((await refused(info({ users: many }))).error).toBe("too_many_users");
    expect((await refused(info({}))).error).toBe("invalid_arguments");
  });

  test("shows guests the users with whom they share a conversation", async () => {
    const { guest } = await newScene();

    expect((await guest.users.info({ user: JOHN })).user?.id).toBe(JOHN);
  });
});

test("users.lookupByEmail ignores case", async () => {
  const { agent } = await newScene();

  expect((await agent.users.lookupByEmail({ email: "Robin@ACME.test" })).user?.id).toBe(ROBIN);
});

describe("presence", () => {
  test("is set by the user, who sees more of it", async () => {
    const { agent, robin } = await newScene();
    expect(await agent.users.getPresence({ user: ROBIN })).toMatchObject({ presence: "active" });

    await robin.users.setPresence({ presence: "away" });

    const others = await agent.users.getPresence({ user: ROBIN });
    expect(others.presence).toBe("away");
    expect(others).not.toHaveProperty("online");
    expect(await robin.users.getPresence({} as never)).toMatchObject({
      presence: "away",
      online: true,
      manual_away: true,
      auto_away: false,
      connection_count: 1,
      last_activity: expect.any(Number),
    });
  });
});

describe("profiles", () => {
  const own = async ({ agent }: Scene): Promise<any> => (await agent.users.profile.get({})).profile;

  test("have a status of text, emoji and expiry, which is cleared as a whole", async () => {
    const scene = await newScene();
    const { agent } = scene;

    const set: any = await agent.users.profile.set({
      profile: {
        status_text: "At lunch",
        status_emoji: ":pizza:",
        status_expiration: 1_900_000_000,
      },
    });
    expect(set).toMatchObject({ username: "agent", profile: { status_text: "At lunch" } });
    expect(await own(scene)).toMatchObject({
      status_text: "At lunch",
      status_emoji: ":pizza:",
      status_expiration: 1_900_000_000,
    });

    await agent.users.profile.set({ profile: { status_text: "Back", status_emoji: "" } });
    expect(await own(scene)).toMatchObject({
      status_emoji: ":speech_balloon:",
      status_expiration: 0,
    });

    await agent.users.profile.set({ profile: { status_text: "", status_emoji: "" } });
    expect(await own(scene)).toMatchObject({ status_text: "", status_emoji: "" });
  });

  test("accept one field by name, and update derived fields", async () => {
    const scene = await newScene();

    await scene.agent.users.profile.set({ name: "real_name", value: "Agatha Jones" });
    await scene.agent.users.profile.set({ name: "display_name", value: "aggie" });

    expect(await own(scene)).toMatchObject({
      real_name: "Agatha Jones",
      real_name_normalized: "Agatha Jones",
      first_name: "Agatha",
      last_name: "Jones",
      display_name: "aggie",
      display_name_normalized: "aggie",
    });
    expect((await scene.agent.users.info({ user: AGENT })).user?.real_name).toBe("Agatha Jones");
  });

  test("can be sent back as received", async () => {
    const scene = await newScene();
    const profile = await own(scene);

    await scene.agent.users.profile.set({ profile: { ...profile, title: "Chief" } });

    expect(await own(scene)).toEqual({ ...profile, title: "Chief" });
  });

  test("have custom fields, with labels on request", async () => {
    const scene = await newScene();
    await scene.write(
      "teams",
      `profile = '{"fields": [{"id": "Xf01TEAM", "label": "Team"}], "sections": []}'`,
    );

    await scene.agent.users.profile.set({
      profile: { fields: { Xf01TEAM: { value: "Core", alt: "" } } } as never,
    });
    const labelled: any = await scene.agent.users.profile.get({ include_labels: true });

    expect((await own(scene)).fields).toEqual({ Xf01TEAM: { value: "Core", alt: "" } });
    expect(labelled.profile.fields.Xf01TEAM).toEqual({ value: "Core", alt: "", label: "Team" });
  });

  test("of others can be changed by administrators", async () => {
    const { john, agent } = await newScene();

    await john.users.profile.set({ user: ROBIN, name: "title", value: "Lead" });

    const { profile } = await agent.users.profile.get({ user: ROBIN });
    expect(profile?.title).toBe("Lead");
  });

  test("have an email address that only administrators change", async () => {
    const { john, agent } = await newScene();
    const args = { name: "email", value: "smith@acme.test" };

    expect((await refused(agent.users.profile.set(args))).error).toBe("not_admin");
    await john.users.profile.set({ ...args, user: AGENT });

    expect((await agent.users.profile.get({})).profile?.email).toBe("smith@acme.test");
  });
});

describe("bots.info", () => {
  test("shows the named bot, or the caller", async () => {
    const { agent, bot } = await newScene();

    const named = await agent.bots.info({ bot: "B06BOT" });
    const own = await bot.bots.info();

    expect(named.bot).toMatchObject({
      id: "B06BOT",
      name: "Build Bot",
      user_id: BOT,
      app_id: "A06BOT",
      deleted: false,
      icons: { image_36: expect.any(String) },
    });
    expect(own.bot?.id).toBe("B06BOT");
    expect((await refused(agent.bots.info())).error).toBe("bot_not_found");
  });
});

describe("auth.test", () => {
  test("shows the caller, and the bot if it is one", async () => {
    const { agent, bot, url } = await newScene();

    expect(await agent.auth.test()).toMatchObject({
      url: `${url}/`,
      team: "Acme",
      user: "agent",
      team_id: "T01ACMECORP",
      user_id: AGENT,
      is_enterprise_install: false,
    });
    expect(await bot.auth.test()).toMatchObject({ user_id: BOT, bot_id: "B06BOT" });
  });

  test("returns an address below which methods are called with and without api/", async () => {
    const { agent } = await newScene();
    const { url } = await agent.auth.test();
    for (const prefix of ["api/", ""]) {
      const response = await fetch(`${url}${prefix}users.info?user=${JOHN}`);
      expect(await response.json()).toMatchObject({ ok: true, user: { id: JOHN } });
    }
  });
});

test("api.test echoes its arguments and the requested error", async () => {
  const { agent } = await newScene();

  expect(await agent.api.test({ foo: "bar" } as never)).toMatchObject({
    ok: true,
    args: { foo: "bar" },
  });
  expect(await refused(agent.api.test({ error: "my_error", foo: "bar" } as never))).toMatchObject({
    ok: false,
    error: "my_error",
    args: { error: "my_error", foo: "bar" },
  });
});

test("team.info shows the workspace", async () => {
  const { agent } = await newScene();

  expect((await agent.team.info({ team: "T01ACMECORP" })).team).toMatchObject({
    id: "T01ACMECORP",
    name: "Acme",
    domain: "acme",
    email_domain: "acme.test",
    icon: { image_default: true },
  });
});

test("emoji.list shows custom emoji, and the standard ones by category on request", async () => {
  const { agent, sql, schema } = await newScene();
  await sql.unsafe(`
    insert into "${schema}".emoji values ('acme', 'https://acme.test/acme.png'), ('corp', 'alias:acme')
  `);

  const plain: any = await agent.emoji.list();
  const full: any = await agent.emoji.list({ include_categories: true });

  expect(plain.emoji).toMatchObject({ acme: "https://acme.test/acme.png", corp: "alias:acme" });
  expect(plain).not.toHaveProperty("categories");
  expect(full.categories.flatMap(({ emoji_names }: any) => emoji_names)).toContain("thumbsup");
});

describe("user groups", () => {
  async function withGroups(): Promise<Scene> {
    const scene = await newScene();
    await scene.sql.unsafe(`
      insert into "${scene.schema}".usergroups values
        ('S01DEV', 'Developers', 'dev', 'Who builds', '{"channels": ["C02RANDOM"], "groups": []}', '["${AGENT}", "${ROBIN}"]', 1, 2, 0, '${JOHN}', '${JOHN}', null),
        ('S02OLD', 'Old', 'old', '', '{"channels": [], "groups": []}', '[]', 1, 2, 3, '${JOHN}', '${JOHN}', '${JOHN}');
    `);
    return scene;
  }

  test("are listed with the requested fields", async () => {
    const { agent } = await withGroups();

    const plain: any = await agent.usergroups.list();
    const full: any = await agent.usergroups.list({
      include_disabled: true,
      include_count: true,
      include_users: true,
    });

    expect(plain.usergroups).toMatchObject([
      {
        id: "S01DEV",
        handle: "dev",
        is_usergroup: true,
        prefs: { channels: ["C02RANDOM"] },
        channel_count: 1,
      },
    ]);
    expect(plain.usergroups[0]).not.toHaveProperty("users");
    expect(full.usergroups).toMatchObject([
      { id: "S01DEV", user_count: 2, users: [AGENT, ROBIN] },
      { id: "S02OLD", date_delete: 3, deleted_by: JOHN },
    ]);
  });

  test("created at the same time share no handle", async () => {
    const { agent } = await newScene();

    const made = await Promise.allSettled(
      ["One", "Two", "Three", "Four"].map((name) =>
        agent.usergroups.create({ name, handle: "same" }),
      ),
    );

    expect(made.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    for (const one of made)
      if (one.status === "rejected") expect(one.reason.data.error).toBe("handle_already_exists");
  });

  test("list their members, disabled groups on request", async () => {
    const { agent } = await withGroups();

    expect((await agent.usergroups.users.list({ usergroup: "S01DEV" })).users).toEqual([
      AGENT,
      ROBIN,
    ]);
    const old = { usergroup: "S02OLD" };
    expect((await refused(agent.usergroups.users.list(old))).error).toBe("no_such_subteam");
    expect((await agent.usergroups.users.list({ ...old, include_disabled: true })).users).toEqual(
      [],
    );
  });
});
