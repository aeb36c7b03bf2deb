/** Events of users, user groups and emoji, which the whole workspace learns. */
import { expect, test } from "bun:test";
import { AGENT, JOHN, ROBIN, useScenes } from "../scene";
import { MEMBER, OUTSIDER, observe, onlyOf, typesOf } from "./observe";

const newScene = useScenes();
const PEOPLE = "only apps with a user's token receive it";

test("a user changes a profile or a status", async () => {
  const scene = await newScene();
  const { john } = scene;
  const seen = await observe(scene);
  const set = (profile: object) => () => john.users.profile.set({ profile: profile as never });

  const title = await seen(set({ title: "Baker" }));
  const status = await seen(set({ status_text: "away", status_emoji: ":tea:" }));
  // Before the presence, which can come in another second.
  const { user }: any = await john.users.info({ user: JOHN, include_locale: true });
  const presence = await seen(() => john.users.setPresence({ presence: "away" }));

  expect(typesOf(title)).toEqual(["user_change", "user_profile_changed"]);
  expect(typesOf(status)).toEqual(["user_change", "user_status_changed"]);
  expect(presence).toEqual([]);
  const { event, missed } = onlyOf(status, "user_status_changed");
  expect(event.user).toEqual(user);
  expect(event.cache_ts).toBeInteger();
  expect(missed).toEqual({});
});

test("a profile needs one of two scopes", async () => {
  const scene = await newScene();
  const seen = await observe(scene);
  const apps = [
    { ...MEMBER, id: "A1", scopes: ["users.profile:read"] },
    { ...MEMBER, id: "A2", scopes: ["users:read"] },
    { ...MEMBER, id: "A3", scopes: [] },
  ];

  const found = await seen(
    () => scene.john.users.profile.set({ profile: { title: "Baker" } as never }),
    apps,
  );

  expect(onlyOf(found, "user_profile_changed").missed).toEqual({
    A3: "needs the scope users.profile:read or users:read",
  });
  expect(Object.keys(onlyOf(found, "user_change").missed)).toEqual(["A1", "A3"]);
});

test("do not disturb is for apps with a user's token", async () => {
  const scene = await newScene();
  const seen = await observe(scene);

  const found = await seen(() => scene.john.dnd.setSnooze({ num_minutes: 10 }));

  expect(typesOf(found)).toEqual(["dnd_updated", "dnd_updated_user"]);
  expect(found[0]?.event).toMatchObject({ user: JOHN, dnd_status: { snooze_enabled: true } });
  expect(found[1]?.event.dnd_status).not.toHaveProperty("snooze_enabled");
  for (const { missed } of found)
    expect(missed).toEqual({ [MEMBER.id]: PEOPLE, [OUTSIDER.id]: PEOPLE });
});

test("a user group is created, changed, filled and disabled", async () => {
  const scene = await newScene();
  const { john } = scene;
  const seen = await observe(scene);
  let usergroup = "";

  const created = await seen(async () => {
    const made = await john.usergroups.create({ name: "Bakers" });
    usergroup = made.usergroup?.id ?? "";
  });
  const renamed = await seen(() => john.usergroups.update({ usergroup, name: "Cooks" }));
  const filled = await seen(() => john.usergroups.users.update({ usergroup, users: JOHN }));
  const other = await seen(() => john.usergroups.users.update({ usergroup, users: ROBIN }));
  const disabled = await seen(() => john.usergroups.disable({ usergroup }));

  expect([created, renamed, disabled].map(typesOf)).toEqual([
    ["subteam_created"],
    ["subteam_updated"],
    ["subteam_updated"],
  ]);
  expect(created[0]?.event.subteam).toMatchObject({
    id: usergroup,
    name: "Bakers",
    users: [],
    user_count: 0,
    created_by: JOHN,
  });
  expect(disabled[0]?.event.subteam.date_delete).toBePositive();
  expect(typesOf(filled)).toEqual([
    "subteam_updated",
    "subteam_members_changed",
    "subteam_self_added",
  ]);
  expect(onlyOf(other, "subteam_members_changed").event).toMatchObject({
    subteam_id: usergroup,
    team_id: "T01ACMECORP",
    date_previous_update: expect.any(Number),
    date_update: expect.any(Number),
    added_users: [ROBIN],
    added_users_count: 1,
    removed_users: [JOHN],
    removed_users_count: 1,
  });
  expect(onlyOf(other, "subteam_members_changed").missed).toEqual({});
  expect(onlyOf(other, "subteam_self_removed").missed[MEMBER.id]).toBe(PEOPLE);
});

test("emoji come, go and are renamed", async () => {
  const scene = await newScene();
  const { sql, schema } = scene;
  const seen = await observe(scene);
  const write = (statement: string) => () => sql.unsafe(statement);

  const added = await seen(
    write(`insert into "${schema}".emoji values ('parrot', 'https://acme.test/p.png')`),
  );
  const renamed = await seen(
    write(`update "${schema}".emoji set name = 'bird' where name = 'parrot'`),
  );
  const removed = await seen(write(`delete from "${schema}".emoji where name = 'bird'`));

  expect(onlyOf(added, "emoji_changed").event).toMatchObject({
    subtype: "add",
    name: "parrot",
    value: "https://acme.test/p.png",
  });
  expect(onlyOf(renamed, "emoji_changed").event).toMatchObject({
    subtype: "rename",
    old_name: "parrot",
    new_name: "bird",
  });
  expect(onlyOf(removed, "emoji_changed").event).toMatchObject({
    subtype: "remove",
    names: ["bird"],
  });
  expect(removed[0]?.missed).toEqual({});
});

test("the app of a person is found by its id, and no other", async () => {
  const { events } = await import("~/replicas/chat/events/index");
  expect(events.isAppId("A06BOT")).toBe(true);
  for (const text of ["U06BOT", "A06-BOT", "a06bot", "A", AGENT])
    expect(events.isAppId(text)).toBe(false);
});
