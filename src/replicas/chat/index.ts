/** The chat service, wire-compatible with the Slack Web API. */
import { ApiError } from "~/errors";
import { about } from "~/replicas/chat/about";
import { acting } from "~/replicas/chat/acting";
import { acts } from "~/replicas/chat/acts/index";
import { answerText } from "~/replicas/chat/answer";
import { METHODS } from "~/replicas/chat/api/index";
import { DERIVED } from "~/replicas/chat/derived";
import { ChatError } from "~/replicas/chat/errors";
import { events } from "~/replicas/chat/events/index";
import { faults } from "~/replicas/chat/faults";
import { actingUser, callingApp, isToken, requireUserToken } from "~/replicas/chat/identity";
import { archived } from "~/replicas/chat/mcp/archived";
import { vendor } from "~/replicas/chat/mcp/vendor";
import type { Answer, TableName } from "~/replicas/chat/method";
import { methodOperations } from "~/replicas/chat/operations";
import { isMethodVerb, methodName, readCall, tokenArgument } from "~/replicas/chat/request";
import { isResponseAddress, readResponseAddress } from "~/replicas/chat/responses/address";
import { respond } from "~/replicas/chat/responses/respond";
import {
  answerWebhook,
  issueWebhook,
  isWebhook,
  readWebhook,
} from "~/replicas/chat/responses/webhook";
import { rowWords } from "~/replicas/chat/row-words";
import { schedule } from "~/replicas/chat/schedule";
import { seedChat } from "~/replicas/chat/seed";
import { findUserId, listAliases } from "~/replicas/chat/store/aliases";
import { findBusySign } from "~/replicas/chat/store/busy-sign";
import { listDirectory, listPeople } from "~/replicas/chat/store/users";
import tables from "~/replicas/chat/tables.sql" with { type: "text" };
import { carriesSecret, transfer, uploads } from "~/replicas/chat/transfers";
import { issueTrigger } from "~/replicas/chat/triggers";
import { refusalOf } from "~/replicas/chat/unsupported-methods";
import { createReplica, type ReplicaCall } from "~/replicas/replica";
import { type HttpAnswer, httpAnswer, JSON_HEADERS } from "~/wire/message";

export const chat = createReplica<TableName>({
  service: about.service,
  about,
  tables,
  derived: DERIVED,
  seed: seedChat,
  aliases: listAliases,
  findUser: findUserId,
  listPeople,
  listDirectory,
  credential: tokenArgument,
  isToken,
  carriesSecret: (path) => carriesSecret(path) || isResponseAddress(path) || isWebhook(path),
  awaits: async (session, path, secret) =>
    readResponseAddress(secret, path) !== undefined ||
    readWebhook(secret, path) !== undefined ||
    (await uploads.awaits(session, path)),
  issueTrigger,
  issueWebhook,
  schedule,
  events,
  acts,
  busySign: findBusySign,
  handle: answer,
  acting,
  words: rowWords,
  faults,
  operations: methodOperations,
  toolProfiles: { vendor, archived },
});

/** Everything but a bug is HTTP 200: the official client retries any other status for half an hour. */
async function answer(call: ReplicaCall<TableName>): Promise<HttpAnswer> {
  const warnings: string[] = [];
  let bytes: HttpAnswer | undefined;
  const { account } = call;
  if (isResponseAddress(call.path)) return await respond(call);
  if (isWebhook(call.path)) return await answerWebhook(call);
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
  const app = await callingApp(call, given.token);
  const actor = app ? call.actor : await actingUser(call, call.userToken ?? given.token);
  const method = METHODS.get(name);
  if (!method) throw refusalOf(name);
  if (method.appOnly !== (app !== undefined)) throw new ChatError("not_allowed_token_type");
  if (method.userOnly) await requireUserToken(call, actor, given.token);
  return await method.run(raw, {
    session: call.session,
    actor,
    app,
    raw,
    baseUrl: call.baseUrl,
    secret: call.secret,
    aliases: call.aliases,
    warn: (warning) => warnings.push(warning),
  });
}
