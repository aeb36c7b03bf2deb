/** The chat service, wire-compatible with the Slack Web API. */
import { ApiError } from "~/errors";
import { type HttpAnswer, httpAnswer, JSON_HEADERS } from "~/message";
import { answerText } from "~/replicas/chat/answer";
import { METHODS } from "~/replicas/chat/api/index";
import { faults } from "~/replicas/chat/faults";
import { actingUser, isToken, requireUserToken } from "~/replicas/chat/identity";
import { archived } from "~/replicas/chat/mcp/archived";
import { vendor } from "~/replicas/chat/mcp/vendor";
import type { Answer, ChatSession } from "~/replicas/chat/method";
import { methodOperations } from "~/replicas/chat/operations";
import { isMethodVerb, methodName, readCall, tokenArgument } from "~/replicas/chat/request";
import { schedule } from "~/replicas/chat/schedule";
import { seedChat } from "~/replicas/chat/seed";
import { findUserId, listAliases } from "~/replicas/chat/store/aliases";
import { listPeople } from "~/replicas/chat/store/users";
import tables from "~/replicas/chat/tables.sql" with { type: "text" };
import { awaitsUpload, carriesSecret, transfer } from "~/replicas/chat/transfers";
import { issueTrigger } from "~/replicas/chat/triggers";
import { refusalOf } from "~/replicas/chat/unsupported-methods";
import type { Replica, ReplicaCall } from "~/replicas/replica";

export const chat: Replica = {
  service: "chat",
  alias: "slack",
  tables,
  derived: {
    users: ["updated"],
    channels: ["updated"],
    channel_members: ["joined_at", "marked_at"],
    messages: ["edited"],
    reactions: ["created_at"],
    pins: ["created_at"],
    stars: ["created_at"],
    files: ["created_at"],
    canvases: ["updated_by", "updated_at"],
    usergroups: ["date_update", "updated_by"],
    bookmarks: ["date_updated", "last_updated_by_user_id", "rank"],
    scheduled_messages: ["date_created"],
    views: ["hash", "created_at"],
    lists: ["created_at"],
    list_items: ["created_at", "updated_timestamp", "updated_by"],
    drafts: ["created_at"],
  },
  seed: seedChat,
  aliases: (session) => listAliases(session as ChatSession),
  async findUser(session, by) {
    if ("id" in by) return await findUserId(session as ChatSession, by.id);
    const { sql, t } = session as ChatSession;
    const [user] = await sql<{ id: string }[]>`
      select id from ${t.users} where lower(profile->>'email') = lower(${by.email}) and not deleted
      order by id limit 1
    `;
    return user?.id;
  },
  listPeople: (session, limit) => listPeople(session as ChatSession, limit),
  credential: tokenArgument,
  isToken,
  carriesSecret,
  awaits: (session, path) => awaitsUpload(session as ChatSession, path),
  issueTrigger,
  schedule,
  handle: answer,
  faults,
  operations: methodOperations,
  toolProfiles: { vendor, archived },
};

/** Everything but a bug is HTTP 200: the official client retries any other status for half an hour. */
async function answer(call: ReplicaCall): Promise<HttpAnswer> {
  const warnings: string[] = [];
  let bytes: HttpAnswer | undefined;
  const { account } = call;
  const text = await answerText(
    warnings,
    async () => {
      bytes = await transfer(call, () => actingUser(call, call.userToken));
      return bytes ? {} : await callMethod(call, warnings);
    },
    account,
  );
  if (!bytes) account.answer = text;
  return bytes ?? httpAnswer(200, JSON_HEADERS, text);
}

async function callMethod(call: ReplicaCall, warnings: string[]): Promise<Answer> {
  const { method: verb } = call.request;
  if (!isMethodVerb(verb))
    throw new ApiError("method_not_allowed", "Methods are called with GET or POST", {
      Allow: "GET, POST",
    });
  const name = methodName(call.path);
  call.account.name = name;
  const given = await readCall(call);
  warnings.push(...given.warnings);
  const { raw } = given;
  call.account.arguments = raw;
  const actor = await actingUser(call, call.userToken ?? given.token);
  const method = METHODS.get(name);
  if (!method) throw refusalOf(name);
  if (method.userOnly) await requireUserToken(call, actor, given.token);
  return await method.run(raw, {
    session: call.session as ChatSession,
    actor,
    raw,
    baseUrl: call.baseUrl,
    secret: call.secret,
    aliases: call.aliases,
    warn: (warning) => warnings.push(warning),
  });
}
