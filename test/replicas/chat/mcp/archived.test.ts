/** The tools of the archived reference server: the Web API's own answers. */
import { beforeAll, describe, expect, test } from "bun:test";
import { useSharedDatabase } from "../../../support/database";
import { callTool, endpointOf } from "../../../support/mcp";
import { useProgram } from "../../../support/program";

const database = useSharedDatabase();
const program = useProgram(database);

type Environment = { readonly environmentUrl: string; readonly token: string };

/** As the server calls the Web API: JSON without a character set, or a query. */
async function webApi(environment: Environment, method: string, args: object, isPost: boolean) {
  const url = `${program.url}${environment.environmentUrl}/${method}`;
  const headers = { Authorization: `Bearer ${environment.token}` };
  const response = await (isPost
    ? fetch(url, {
        method: "POST",
        headers: { ...headers, "Content-Type": "application/json" },
        body: JSON.stringify(args),
      })
    : fetch(`${url}?${new URLSearchParams(args as Record<string, string>)}`, { headers }));
  return await response.text();
}

const toolOf = (environment: Environment) => {
  const at = endpointOf(program, environment, "/archived");
  return (name: string, args?: object) => callTool(at, name, args);
};

/** Some answers name the second in which they are given. */
const FROZEN = { clock: { now: "2026-03-11T09:00:00Z", mode: "frozen" } };
const general = { channel_id: "C01GENERAL" };
const ROOT = "1767603600.731938";

const READS: [string, object, string, Record<string, string>][] = [
  [
    "slack_list_channels",
    { limit: 1 },
    "conversations.list",
    { types: "public_channel", exclude_archived: "true", limit: "1" },
  ],
  [
    "slack_list_channels",
    { limit: 1, cursor: "Y2hhbm5lbDpDMDFHRU5FUkFM" },
    "conversations.list",
    {
      types: "public_channel",
      exclude_archived: "true",
      limit: "1",
      cursor: "Y2hhbm5lbDpDMDFHRU5FUkFM",
    },
  ],
  [
    "slack_get_channel_history",
    { ...general, limit: 1 },
    "conversations.history",
    { channel: "C01GENERAL", limit: "1" },
  ],
  [
    "slack_get_channel_history",
    { channel_id: "C0NOWHERE" },
    "conversations.history",
    { channel: "C0NOWHERE" },
  ],
  [
    "slack_get_thread_replies",
    { ...general, thread_ts: ROOT },
    "conversations.replies",
    { channel: "C01GENERAL", ts: ROOT },
  ],
  ["slack_get_users", { limit: 2, cursor: "" }, "users.list", { limit: "2" }],
  [
    "slack_get_user_profile",
    { user_id: "U02JOHNADOE" },
    "users.profile.get",
    { user: "U02JOHNADOE", include_labels: "true" },
  ],
];

test.each(READS)("%s %j answers as the Web API does", async (name, args, method, asked) => {
  const environment = await program.environment(FROZEN);
  const { text, isError } = await toolOf(environment)(name, args);

  expect(text).toBe(await webApi(environment, method, asked, false));
  expect(isError).toBe(false);
});

test("what it writes is what the Web API writes", async () => {
  const environment = await program.environment();
  const tool = toolOf(environment);
  const posted = JSON.parse((await tool("slack_post_message", { ...general, text: "hi" })).text);
  const reply = { ...general, thread_ts: posted.ts, text: "and?" };
  const replied = JSON.parse((await tool("slack_reply_to_thread", reply)).text);
  const reaction = { ...general, timestamp: posted.ts, reaction: "eyes" };
  const reacted = await tool("slack_add_reaction", reaction);
  const again = await tool("slack_add_reaction", reaction);
  const asked = { channel: "C01GENERAL", timestamp: posted.ts, name: "eyes" };

  expect(posted).toMatchObject({ ok: true, message: { text: "hi" }, warning: "missing_charset" });
  expect(replied.message).toMatchObject({ text: "and?", thread_ts: posted.ts });
  expect(JSON.parse(reacted.text)).toMatchObject({ ok: true });
  expect(again).toEqual({
    text: await webApi(environment, "reactions.add", asked, true),
    isError: false,
  });
  expect(JSON.parse(again.text).error).toBe("already_reacted");
});

test.each([
  ["slack_list_channels", undefined, "No arguments provided"],
  [
    "slack_post_message",
    { ...general, text: "" },
    "Missing required arguments: channel_id and text",
  ],
  ["slack_reply_to_thread", general, "Missing required arguments: channel_id, thread_ts, and text"],
  [
    "slack_add_reaction",
    general,
    "Missing required arguments: channel_id, timestamp, and reaction",
  ],
  ["slack_get_channel_history", {}, "Missing required argument: channel_id"],
  ["slack_get_thread_replies", general, "Missing required arguments: channel_id and thread_ts"],
  ["slack_get_user_profile", {}, "Missing required argument: user_id"],
  ["slack_send_message", {}, "Unknown tool: slack_send_message"],
])("%s with %j: its own sentence", async (name, args, error) => {
  const answer = await toolOf(await program.environment())(name, args);

  expect(answer).toEqual({ text: JSON.stringify({ error }), isError: false });
});

describe("pages", () => {
  let environment: Awaited<ReturnType<typeof program.environment>>;
  beforeAll(async () => {
    environment = await program.environment(FROZEN);
    const { schemaName: schema } = environment;
    const copies = (table: string, prefix: string, id: string) => `
      insert into "${schema}".${table}
      select (jsonb_populate_record(x, jsonb_build_object('id', '${prefix}' || n, 'name', 'copy' || n))).*
      from "${schema}".${table} x, generate_series(1001, 1250) n where id = '${id}'`;
    await database.sql.unsafe(copies("users", "U8", "U02JOHNADOE"));
    await database.sql.unsafe(copies("channels", "C8", "C02RANDOM"));
    for (let n = 0; n < 12; n++)
      await toolOf(environment)("slack_post_message", { ...general, text: `${n}` });
  });
  const listing = { types: "public_channel", exclude_archived: "true" };
  const channel = { channel: "C01GENERAL" };

  test.each([
    ["slack_get_users", {}, "users.list", { limit: "100" }],
    ["slack_get_users", { limit: 1_000 }, "users.list", { limit: "200" }],
    ["slack_list_channels", {}, "conversations.list", { ...listing, limit: "100" }],
    ["slack_list_channels", { limit: 201 }, "conversations.list", { ...listing, limit: "200" }],
    ["slack_get_channel_history", general, "conversations.history", { ...channel, limit: "10" }],
  ])("of %s with %j have the limit of the server", async (name, args, method, asked) => {
    const { text } = await toolOf(environment)(name, args);

    expect(text).toBe(await webApi(environment, method, asked, false));
    const [items] = Object.values<any>(JSON.parse(text)).filter(Array.isArray);
    expect(items).toHaveLength(Number(asked.limit));
  });
});
