/** Who calls, and whether the token is a person's or a bot's. */
import { ChatError } from "~/replicas/chat/errors";
import { userOfToken } from "~/replicas/chat/ids";
import type { TableName } from "~/replicas/chat/method";
import { findUser } from "~/replicas/chat/store/users";
import { NOBODY_HERE } from "~/replicas/members";
import { OWN_USER_ONLY, type ReplicaCall } from "~/replicas/replica";

/** Of a person, a bot, an app, a session or an organization. */
const TOKEN = /^x(?:ox[a-z][-.]|app-)/;
const APP_TOKEN = /^(?:bearer\s+)?xapp-\d+-(A[A-Z0-9]+)-/i;
const BOT_TOKEN = /^(?:bearer\s+)?xoxb-/i;

export const isToken = (text: string) => TOKEN.test(text);

/**
 * A token `xoxp-<userId>` or `xoxb-<userId>` calls as that user. Any other is ignored beside a credential, and wrong
 * without one.
 */
export async function actingUser(call: ReplicaCall<TableName>, token: unknown): Promise<string> {
  const { session, actor, mayImpersonate, isAnonymous, aliases } = call;
  const own = () => {
    if (actor === NOBODY_HERE) throw new ChatError("account_inactive");
    return actor;
  };
  if (typeof token !== "string") return own();
  const given = userOfToken(token);
  const named = given && (aliases.get(given) ?? given);
  if (named === undefined && isAnonymous && isToken(token)) throw new ChatError("invalid_auth");
  if (named === undefined || named === actor) return own();
  if (!mayImpersonate)
    throw new ChatError("invalid_auth", {
      response_metadata: { messages: [`[ERROR] ${OWN_USER_ONLY}`] },
    });
  const user = await findUser(session, named);
  if (!user) throw new ChatError("invalid_auth");
  if (user.deleted) throw new ChatError("account_inactive");
  return named;
}

/**
 * Throws `not_allowed_token_type` for a call as a bot, or with a token of the form of a bot's. `token`: the argument.
 */
export async function requireUserToken(
  { request: { headers }, session }: ReplicaCall<TableName>,
  actor: string,
  token: unknown,
): Promise<void> {
  const sent = [headers.get("authorization"), headers.get("x-api-key"), token];
  const isBotToken = sent.some((text) => typeof text === "string" && BOT_TOKEN.test(text));
  if (isBotToken || (await findUser(session, actor))?.is_bot)
    throw new ChatError("not_allowed_token_type");
}

/**
 * The app whose own token, `xapp-1-<appId>-…`, a call has. Throws for an app that receives no events of the environment.
 * `token`: the argument.
 */
export async function callingApp(
  { request: { headers }, hasApp, aliases }: ReplicaCall<TableName>,
  token: unknown,
): Promise<string | undefined> {
  const sent = [headers.get("authorization"), token];
  const [named] = sent.flatMap((text) =>
    typeof text === "string" ? (APP_TOKEN.exec(text)?.[1] ?? []) : [],
  );
  if (named === undefined) return undefined;
  const app = aliases.get(named) ?? named;
  if (!(await hasApp(app))) throw new ChatError("invalid_auth");
  return app;
}
