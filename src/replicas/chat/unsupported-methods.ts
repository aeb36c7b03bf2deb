/** Methods that clients have and no workspace offers its members: administration, apps, sign-in and retired methods. */

/** Methods for apps and sign-in, which do not exist here. */
const UNSUPPORTED = [
  "apps.connections.open",
  "apps.event.authorizations.list",
  "apps.manifest.create",
  "apps.manifest.delete",
  "apps.manifest.export",
  "apps.manifest.update",
  "apps.manifest.validate",
  "apps.uninstall",
  "apps.user.connection.update",
  "oauth.access",
  "oauth.v2.access",
  "oauth.v2.exchange",
  "openid.connect.token",
  "openid.connect.userInfo",
  "tooling.tokens.rotate",
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
  ...UNSUPPORTED.map((name) => [name, "method_not_supported"] as const),
  ...RETIRED.map((name) => [name, "method_deprecated"] as const),
]);

/** The error for the name of a method that is not supported. */
export function refusalOf(name: string): string {
  if (/^admin\.[a-zA-Z.]+$/.test(name)) return "not_allowed_token_type";
  if (RETIRED_FAMILIES.test(name)) return "method_deprecated";
  return REFUSED.get(name) ?? "unknown_method";
}
