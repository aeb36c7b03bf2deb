/**
 * Incoming webhooks: addresses at which anyone who has one posts as an app to one channel. They are signed with the
 * environment's secret, not stored, and serve as long as the environment has the app.
 */
import { createHmac, timingSafeEqual } from "node:crypto";
import { ApiError } from "~/errors";
import { quoted } from "~/input/nearest";
import { requireRejection } from "~/replicas/chat/answer";
import { contentColumns, requireContent } from "~/replicas/chat/compose";
import { ChatError } from "~/replicas/chat/errors";
import type { ChatCall, ChatSession, TableName } from "~/replicas/chat/method";
import { PLAIN, post, readThreadTs } from "~/replicas/chat/posting";
import { readMessage } from "~/replicas/chat/responses/message";
import { listChannelsById } from "~/replicas/chat/store/events";
import { findTeam } from "~/replicas/chat/store/team";
import type { ReplicaCall } from "~/replicas/replica";
import { type HttpAnswer, httpAnswer } from "~/wire/message";

const MAC_LENGTH = 24;
const ADDRESS =
  /^services\/T[A-Z0-9]+\/B(A[A-Z0-9]{1,15})\.([CDG][A-Z0-9]{2,15})\/([A-Za-z0-9_-]{24})$/;

type Hook = { readonly app: string; readonly channel: string };

const sign = (secret: Uint8Array, { app, channel }: Hook) =>
  createHmac("sha256", secret)
    .update(`webhook ${app} ${channel}`)
    .digest("base64url")
    .slice(0, MAC_LENGTH);

export const isWebhook = (path: string) => ADDRESS.test(path);

/** Undefined for an address that this environment did not issue. */
export function readWebhook(secret: Uint8Array, path: string): Hook | undefined {
  const [, app, channel, mac] = ADDRESS.exec(path) ?? [];
  if (app === undefined || channel === undefined || mac === undefined) return undefined;
  const expected = sign(secret, { app, channel });
  return timingSafeEqual(Buffer.from(mac), Buffer.from(expected)) ? { app, channel } : undefined;
}

/** The path of the address with which an app posts to a channel. Throws ApiError for one that does not exist. */
export async function issueWebhook(
  session: ChatSession,
  secret: Uint8Array,
  hook: Hook,
): Promise<string> {
  const [channel] = await listChannelsById(session, [hook.channel]);
  if (!channel)
    throw new ApiError("invalid_request", `channel: there is no channel ${quoted(hook.channel)}`);
  const { id } = await findTeam(session);
  return `services/${id}/B${hook.app}.${hook.channel}/${sign(secret, hook)}`;
}

/** The service's own words and statuses, where they differ from those of methods. */
const REJECTIONS: Readonly<Record<string, readonly [number, string]>> = {
  account_inactive: [404, "no_service"],
  channel_not_found: [404, "channel_not_found"],
  invalid_auth: [404, "no_service"],
  is_archived: [410, "channel_is_archived"],
  no_service: [404, "no_service"],
  restricted_action: [403, "action_prohibited"],
};
const TEXT_HEADERS = { "Content-Type": "text/plain; charset=utf-8" };

/** Posts what a request has. The answer is a text, also that to a mistake. */
export async function answerWebhook(call: ReplicaCall<TableName>): Promise<HttpAnswer> {
  const { account, request, session, baseUrl, secret, aliases } = call;
  if (request.method !== "POST")
    throw new ApiError("method_not_allowed", "Messages are sent with POST", { Allow: "POST" });
  try {
    const hook = readWebhook(secret, call.path);
    const actor = hook && (await call.userOfApp(hook.app));
    if (!hook || actor === undefined) throw new ChatError("no_service");
    const { raw, message } = await readMessage(call);
    account.arguments = raw;
    const own = { session, actor, app: undefined, raw, baseUrl, secret, aliases };
    const as: ChatCall = { ...own, warn: () => undefined };
    const content = contentColumns(await requireContent(as, message));
    const threadTs = readThreadTs(message.thread_ts);
    const kind = { subtype: "bot_message", isAdmitted: true };
    await post(as, hook.channel, { ...PLAIN, ...content, ...kind, threadTs });
    return httpAnswer(200, TEXT_HEADERS, "ok");
  } catch (error) {
    const { code } = requireRejection(error);
    const [status, text] = REJECTIONS[code] ?? [400, code];
    account.error = text;
    return httpAnswer(status, TEXT_HEADERS, text);
  }
}
