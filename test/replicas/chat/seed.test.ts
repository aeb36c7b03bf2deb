import { describe, expect, test } from "bun:test";
import { Value } from "@sinclair/typebox/value";
import { resolveSeed, type Seed } from "~/platform/templates/seeds";
import { seedChat } from "~/replicas/chat/seed";
import { seedRows } from "~/replicas/chat/seed-rows";
import { ChatSeed } from "~/replicas/chat/seed-shape";
import { SEEDS } from "../../../seeds/index";

const seeds = SEEDS as readonly Seed[];
const seedOf = (name: string): any => {
  const seed = seeds.find(({ template }) => template === name);
  if (!seed) throw new Error(`there is no seed ${name}`);
  return structuredClone(resolveSeed(seed, seeds));
};
const counts = (name: string) => {
  const rows = seedRows(seedOf(name));
  return (table: string) => rows[table]?.length ?? 0;
};

describe("seeds", () => {
  test.each(seeds.filter(({ service }) => service === "chat").map(({ template }) => template))(
    "%s has the shape of a seed, and the same rows each time",
    (name) => {
      expect(Value.Errors(ChatSeed, seedOf(name)).First()).toBeUndefined();
      expect(seedRows(seedOf(name))).toEqual(seedRows(seedOf(name)));
    },
  );

  test.each<[field: string, value: unknown, where: "row" | "profile"]>([
    ...[
      ...["is_admin", "is_owner", "is_primary_owner", "is_restricted", "is_ultra_restricted"],
      ...["deleted", "home_tab_enabled"],
    ].map((flag): [string, boolean, "row"] => [flag, true, "row"]),
    ["presence", "away", "row"],
    ["tz", "Europe/Berlin", "row"],
    ["locale", "de-DE", "row"],
    ["app_id", "A0APP", "row"],
    ["bot_id", "B0BOT", "row"],
    ["email", "pat@acme.test", "profile"],
    ["display_name", "patty", "profile"],
    ["title", "Chief of Chairs", "profile"],
    ["phone", "+49 30 123", "profile"],
    ["pronouns", "they", "profile"],
    ["status_text", "lunch", "profile"],
    ["status_emoji", ":bento:", "profile"],
    ["fields", { Xf01: { value: "x", alt: "" } }, "profile"],
  ])("may give a user's %s", (field, value, where) => {
    const seed = seedOf("chat_base");
    seed.users.push({ id: "U99PAT", name: "pat", real_name: "Pat Doe", [field]: value });

    expect(Value.Errors(ChatSeed, seed).First()).toBeUndefined();
    const row: any = seedRows(seed)["users"]?.find(({ id }) => id === "U99PAT");
    expect((where === "row" ? row : row.profile)[field]).toEqual(value);
  });

  test("chat_base has people and channels, chat_default three messages as well", () => {
    const base = counts("chat_base");
    const small = counts("chat_default");

    expect([base("users"), base("channels"), base("messages")]).toEqual([3, 2, 0]);
    expect([small("users"), small("channels"), small("messages")]).toEqual([3, 2, 3]);
  });

  test("chat_bench_default is a company with every kind of content", () => {
    const rows = seedRows(seedOf("chat_bench_default"));
    const count = (table: string, where: (row: Record<string, unknown>) => unknown = () => true) =>
      (rows[table] ?? []).filter(where).length;
    const longest = Map.groupBy(
      rows["messages"] ?? [],
      (row) => `${row["channel_id"]} ${row["thread_ts"]}`,
    );
    for (const key of longest.keys()) if (key.endsWith(" null")) longest.delete(key);

    expect(count("users")).toBeGreaterThanOrEqual(20);
    expect(count("users", (row) => row["is_bot"])).toBeGreaterThanOrEqual(3);
    expect(count("users", (row) => row["deleted"])).toBeGreaterThanOrEqual(1);
    expect(count("channels", (row) => row["is_channel"])).toBeGreaterThanOrEqual(14);
    for (const kind of ["is_private", "is_archived", "is_im", "is_mpim"])
      expect(count("channels", (row) => row[kind])).toBeGreaterThanOrEqual(2);
    expect(count("messages")).toBeGreaterThanOrEqual(250);
    expect(count("messages", (row) => row["edited"])).toBeGreaterThanOrEqual(3);
    expect(Math.max(...[...longest.values()].map(({ length }) => length))).toBeGreaterThan(20);
    for (const table of [
      "pins",
      "bookmarks",
      "stars",
      "files",
      "file_shares",
      "canvases",
      "usergroups",
      "reminders",
    ])
      expect(count(table)).toBeGreaterThan(1);
  });

  test("authors of messages, reactions and pins in chat_bench_default are members", () => {
    const rows = seedRows(seedOf("chat_bench_default"));
    const members = new Set(
      rows["channel_members"]?.map((row) => `${row["channel_id"]} ${row["user_id"]}`),
    );
    const open = new Set(
      rows["channels"]?.filter((row) => !row["is_private"]).map((row) => row["id"]),
    );
    const gone = new Set(rows["users"]?.filter((row) => row["deleted"]).map((row) => row["id"]));
    const bots = new Set(rows["users"]?.filter((row) => row["is_bot"]).map((row) => row["id"]));
    const isStranger = (channel: unknown, user: unknown) =>
      !members.has(`${channel} ${user}`) &&
      !gone.has(user) &&
      !(bots.has(user) && open.has(channel));

    expect(
      rows["messages"]?.filter((row) => isStranger(row["channel_id"], row["user_id"])),
    ).toEqual([]);
    expect(
      rows["reactions"]?.filter(
        (row) => !open.has(row["channel_id"]) && isStranger(row["channel_id"], row["user_id"]),
      ),
    ).toEqual([]);
    expect(rows["pins"]?.filter((row) => isStranger(row["channel_id"], row["created_by"]))).toEqual(
      [],
    );
  });
});

describe("a mistake in a seed is reported with its path", () => {
  const tx = (() => {
    throw new Error("a seed with a mistake was written");
  }) as never;

  test.each<[string, (seed: any) => void]>([
    ["users[1].name", (seed) => (seed.users[1].name = "Not A Handle")],
    ["users[2].shoe_size", (seed) => (seed.users[2].shoe_size = 43)],
    ["users[2]", (seed) => (seed.users[2].name = "john")],
    ["channels[0].creator", (seed) => (seed.channels[0].creator = "nobody")],
    ["channels[1].members[1]", (seed) => (seed.channels[1].members[1] = "nobody")],
    [
      "channels[1].last_read",
      (seed) => (seed.channels[1].last_read = { nobody: "2026-01-05T09:00:00Z" }),
    ],
    ["messages[0].ts", (seed) => (seed.messages[0].ts = 1767603600.0001)],
    ["messages[1].ts", (seed) => (seed.messages[1].ts = seed.messages[0].ts)],
    ["messages[2].channel", (seed) => (seed.messages[2].channel = "nowhere")],
    [
      "messages[0].reactions[0].name",
      (seed) => (seed.messages[0].reactions[0].name = "no_such_emoji"),
    ],
    [
      "messages[0].reactions[0].users[0]",
      (seed) => (seed.messages[0].reactions[0].users = ["nobody"]),
    ],
    [
      "messages[0].replies[0].ts",
      (seed) => (seed.messages[0].replies = [{ ts: "1700000000.000100", user: "john", text: "" }]),
    ],
    ["messages[0].files[0]", (seed) => (seed.messages[0].files = ["F01NONE"])],
    [
      "messages[0].pinned.by",
      (seed) => (seed.messages[0].pinned = { by: "nobody", at: "2026-01-05T09:00:00Z" }),
    ],
    [
      "bookmarks[0].channel",
      (seed) =>
        (seed.bookmarks = [
          {
            id: "Bk01",
            channel: "nowhere",
            title: "x",
            link: "https://x.test",
            user: "john",
            created: "2026-01-05T09:00:00Z",
          },
        ]),
    ],
    [
      "usergroups[0].users[0]",
      (seed) =>
        (seed.usergroups = [
          {
            id: "S01AB",
            name: "x",
            handle: "x",
            users: ["nobody"],
            created_by: "john",
            created: "2026-01-05T09:00:00Z",
          },
        ]),
    ],
    [
      "reminders[0].user",
      (seed) =>
        (seed.reminders = [
          { id: "Rm01", user: "nobody", text: "x", time: "2026-01-05T09:00:00Z" },
        ]),
    ],
  ])("%s", async (path, spoil) => {
    const seed = seedOf("chat_default");
    spoil(seed);
    await expect(seedChat(tx, {}, seed)).rejects.toMatchObject({ mistakes: [{ path }] });
  });
});
