/** Messages that an app sends to the address that came with an act of a person: it acts as itself, wherever that was. */
import { ApiError } from "~/errors";
import { requireRejection } from "~/replicas/chat/answer";
import { ChatError } from "~/replicas/chat/errors";
import type { ChatCall, TableName } from "~/replicas/chat/method";
import { type Origin, originOf, readResponseAddress } from "~/replicas/chat/responses/address";
import { readMessage, sendResponse } from "~/replicas/chat/responses/message";
import type { ReplicaCall } from "~/replicas/replica";
import { MICROS, millisOf } from "~/source";
import { type HttpAnswer, httpAnswer, jsonAnswer } from "~/wire/message";

const USES_MAX = 5;
const MINUTE_MS = 60_000;
const LIFETIME_MS = 30 * MINUTE_MS;
const TEXT_TYPE = "text/plain; charset=utf-8";

/** Rejections of the address itself, which the service answers with 404. */
const GONE = new Set(["invalid_url", "used_url", "expired_url"]);

/** Finds who may say something, and where. Throws ChatError. */
async function requireOrigin(call: ReplicaCall<TableName>): Promise<Origin & { app: string }> {
  const number = readResponseAddress(call.secret, call.path);
  const event = number === undefined ? undefined : await call.answerEvent(number);
  const origin = event?.payload ? originOf(event.payload) : undefined;
  if (!event || !origin) throw new ChatError("invalid_url");
  if (event.uses > USES_MAX) throw new ChatError("used_url");
  if (millisOf(call.session.source) > event.micros / MICROS + LIFETIME_MS)
    throw new ChatError("expired_url");
  return { ...origin, app: event.user };
}

/** Answers a request to such an address. Every rejection counts as a use. */
export async function respond(call: ReplicaCall<TableName>): Promise<HttpAnswer> {
  const { account, request } = call;
  if (request.method !== "POST")
    throw new ApiError("method_not_allowed", "Messages are sent with POST", { Allow: "POST" });
  try {
    const origin = await requireOrigin(call);
    const given = await readMessage(call);
    account.arguments = given.raw;
    const as: ChatCall = {
      session: call.session,
      actor: origin.app,
      app: undefined,
      raw: given.raw,
      baseUrl: call.baseUrl,
      secret: call.secret,
      aliases: call.aliases,
      warn: () => undefined,
    };
    await sendResponse(as, origin, given.message);
    return httpAnswer(200, { "Content-Type": TEXT_TYPE }, "ok");
  } catch (error) {
    const { code } = requireRejection(error);
    account.error = code;
    const body = { ok: false, error: code };
    account.answer = JSON.stringify(body);
    return jsonAnswer(body, GONE.has(code) ? 404 : 400);
  }
}
