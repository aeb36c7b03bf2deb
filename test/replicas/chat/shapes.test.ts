/** Compares answers with the types of the official client: they have no other fields. */
import { beforeAll, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { WebClient } from "@slack/web-api";
import { useSharedDatabase } from "../../support/database";
import { useProgram } from "../../support/program";
import { home, modal } from "./refusals/apps";
import { clientAs, triggerAt } from "./scene";

const RESPONSES = join(import.meta.dir, "../../../node_modules/@slack/web-api/dist/types/response");

type Types = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** The fields of each type in a declaration file, with their types. */
function typesOf(method: string): Types {
  const name = method.replace(/(^|\.)(\w)/g, (_match, _dot, first) => first.toUpperCase());
  const source = readFileSync(join(RESPONSES, `${name}Response.d.ts`), "utf8");
  const declared = source.matchAll(/export (?:interface|type) (\w+) (?:= .*& )?\{([\s\S]*?)\n\}/g);
  return Object.fromEntries(
    [...declared].map(([, type = "", body = ""]) => [
      type === `${name}Response` ? "" : type,
      Object.fromEntries(
        [...body.matchAll(/^ {4}(\w+)\??: (.*);$/gm)].map(([, key, of]) => [key, of]),
      ),
    ]),
  );
}

/** Fields of a value that its type does not have. Types outside the file, such as maps, are skipped. */
function unknownFields(value: unknown, type: string, types: Types, path = ""): string[] {
  const fields = types[type.replace(/\[\]$/, "")];
  if (Array.isArray(value))
    return [...new Set(value.flatMap((item) => unknownFields(item, type, types, path)))];
  if (typeof value !== "object" || value === null || !fields) return [];
  return Object.entries(value).flatMap(([key, inside]) => {
    const name = path ? `${path}.${key}` : key;
    const of = fields[key];
    return of === undefined ? [name] : unknownFields(inside, of, types, name);
  });
}

/**
 * Fields that the service documents and answers and the types leave out, because they were made from samples: maps, and
 * fields of some messages only.
 */
const UNDECLARED = [
  /(^|\.)shares\.(public|private)$/,
  /(^|\.)(auto_type|deleted_by|image_\d+|created_by)$/,
  /^snooze_/,
  /^(users|billable_info|user_id_map|emoji|categories_version)$/,
  /^(paging\.count|content_html)$/,
  /^channel\.(priority|unread_count|unread_count_display|latest|is_user_deleted)$/,
  /(^|\.)profile\.(team|fields)$/,
  /^channel\.properties\.canvas$|\.icon\.image_original$|(^|\.)(editor|last_editor)$/,
  /(^|\.)(messages?|root|latest)\./,
];

let agent: WebClient;
let admin: WebClient;
let list: string;
let call: string;
let trigger: string;
const database = useSharedDatabase();
const program = useProgram(database);
beforeAll(async () => {
  const { environmentUrl } = await program.environment({ templateName: "chat_bench_default" });
  agent = clientAs(`${program.url}${environmentUrl}`, "U01AGENTONE");
  admin = clientAs(`${program.url}${environmentUrl}`, "U12DOKAFOR");
  list = (await agent.slackLists.create({ name: "Errands" })).list_id ?? "";
  await agent.slackLists.items.create({ list_id: list });
  await agent.stars.add({ channel: INCIDENTS });
  await agent.files.remote.add({ title: "a", external_url: "https://a.test", external_id: "a" });
  await agent.conversations.inviteShared({ channel: INCIDENTS, emails: ["ann@other.test"] });
  const added: any = await agent.calls.add({
    external_unique_id: "1",
    join_url: "https://meet.test/1",
    users: [{ slack_id: "U01AGENTONE" }],
  } as never);
  call = added.call.id;
  trigger = await triggerAt(`${program.url}${environmentUrl}`);
});

const INCIDENTS = "C12INCIDENTS";
const PAGE = "1770732180.499927";

test.each<[string, () => object]>([
  ["auth.test", () => ({})],
  ["auth.teams.list", () => ({ include_icon: true })],
  ["blocks.validate", () => ({ blocks: [{ type: "x" }] })],
  ["bookmarks.list", () => ({ channel_id: INCIDENTS })],
  ["bots.info", () => ({ bot: "B25PAGERBOT" })],
  ["calls.info", () => ({ id: call })],
  [
    "canvases.sections.lookup",
    () => ({ canvas_id: "F21ONCALL", criteria: { contains_text: "a" } }),
  ],
  ["chat.getPermalink", () => ({ channel: INCIDENTS, message_ts: PAGE })],
  ["chat.postMessage", () => ({ channel: INCIDENTS, text: "hi" })],
  ["chat.postEphemeral", () => ({ channel: INCIDENTS, user: "U16TBECKER", text: "hi" })],
  ["chat.scheduledMessages.list", () => ({})],
  ["conversations.history", () => ({ channel: INCIDENTS })],
  ["conversations.info", () => ({ channel: INCIDENTS, include_num_members: true })],
  ["conversations.list", () => ({ types: "public_channel,private_channel" })],
  ["conversations.listConnectInvites", () => ({})],
  ["conversations.members", () => ({ channel: INCIDENTS })],
  ["conversations.open", () => ({ users: "U02MAYACHEN", return_im: true })],
  ["conversations.replies", () => ({ channel: INCIDENTS, ts: PAGE })],
  ["dnd.info", () => ({})],
  ["dnd.teamInfo", () => ({ users: "U01AGENTONE" })],
  ["emoji.list", () => ({})],
  ["files.info", () => ({ file: "F01RUNBOOK" })],
  ["files.list", () => ({})],
  ["files.remote.list", () => ({})],
  ["pins.list", () => ({ channel: INCIDENTS })],
  ["reactions.list", () => ({ user: "U02MAYACHEN" })],
  ["reminders.list", () => ({})],
  ["search.all", () => ({ query: "failover" })],
  ["search.files", () => ({ query: "failover" })],
  ["search.messages", () => ({ query: "failover" })],
  ["slackLists.items.list", () => ({ list_id: list })],
  ["stars.list", () => ({})],
  ["team.accessLogs", () => ({})],
  ["team.billing.info", () => ({})],
  ["team.info", () => ({})],
  ["team.integrationLogs", () => ({})],
  ["team.preferences.list", () => ({})],
  ["team.profile.get", () => ({})],
  ["usergroups.list", () => ({ include_count: true, include_users: true, include_disabled: true })],
  ["users.conversations", () => ({})],
  ["users.getPresence", () => ({})],
  ["users.identity", () => ({})],
  ["users.info", () => ({ user: "U02MAYACHEN", include_locale: true })],
  ["users.list", () => ({})],
  ["users.lookupByEmail", () => ({ email: "maya.chen@harborline.test" })],
  ["users.profile.get", () => ({})],
  ["views.open", () => ({ trigger_id: trigger, view: modal })],
  ["views.publish", () => ({ user_id: "U01AGENTONE", view: home })],
])("%s returns only fields of the client's types", async (method, args) => {
  const client = method.startsWith("team.") ? admin : agent;

  const answer = await client.apiCall(method, { ...args() });

  const types = typesOf(method);
  expect(Object.keys(types[""] ?? {})).toContain("ok");
  const { response_metadata: _, ...fields } = answer;
  const unknown = unknownFields(fields, "", types);
  expect(unknown.filter((field) => !UNDECLARED.some((known) => known.test(field)))).toEqual([]);
});
