/** Methods that clients have and no workspace offers its members: administration, apps, sign-in and retired methods. */
import { ChatError } from "~/replicas/chat/errors";

/** Of sign-in and of apps. There are none here, so no client, secret, code or token of theirs is right. */
const SIGN_IN: readonly (readonly [string, string])[] = [
  ["apps.event.authorizations.list", "not_allowed_token_type"],
  ["apps.manifest.create", "not_allowed_token_type"],
  ["apps.manifest.delete", "not_allowed_token_type"],
  ["apps.manifest.export", "not_allowed_token_type"],
  ["apps.manifest.update", "not_allowed_token_type"],
  ["apps.manifest.validate", "not_allowed_token_type"],
  ["apps.uninstall", "invalid_client_id"],
  ["apps.user.connection.update", "app_not_found"],
  ["oauth.access", "invalid_client_id"],
  ["oauth.v2.access", "invalid_client_id"],
  ["oauth.v2.exchange", "invalid_client_id"],
  ["openid.connect.token", "invalid_client_id"],
  ["openid.connect.userInfo", "missing_scope"],
  ["tooling.tokens.rotate", "invalid_refresh_token"],
];

const RETIRED = [
  "files.upload",
  "rtm.start",
  "users.setActive",
  "workflows.stepCompleted",
  "workflows.stepFailed",
  "workflows.updateStep",
];
const RETIRED_FAMILIES = /^(channels|groups|im|mpim)\.[a-zA-Z]+$/;

/** Method names by the error that answers them; `admin.*` is a family. */
export const REFUSED: ReadonlyMap<string, string> = new Map([
  ["admin.*", "not_allowed_token_type"],
  ...SIGN_IN,
  ...RETIRED.map((name) => [name, "method_deprecated"] as const),
]);

function codeOf(name: string): string {
  if (/^admin\.[a-zA-Z.]+$/.test(name)) return "not_allowed_token_type";
  if (RETIRED_FAMILIES.test(name)) return "method_deprecated";
  return REFUSED.get(name) ?? "unknown_method";
}

/** The error for the name of a method that is not supported. */
export function refusalOf(name: string): ChatError {
  const code = codeOf(name);
  if (code === "unknown_method") return new ChatError(code, { req_method: name });
  if (code === "missing_scope") return new ChatError(code, { needed: "openid", provided: "" });
  return new ChatError(code);
}
