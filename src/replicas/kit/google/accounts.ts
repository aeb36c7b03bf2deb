/**
 * The parts of Google's accounts that clients call before an API: tokens, which open nothing here, and the person whom
 * one belongs to.
 */
import { createHash } from "node:crypto";
import type { Documents } from "~/replicas/replica";
import { httpAnswer, JSON_HEADERS } from "~/wire/message";

/** A person with an account. */
export type Person = { readonly address: string; readonly name: string };

/** Of tokens, in seconds. */
const LIFETIME = 3_599;
const TOKEN = /^(?:token|oauth2\/v4\/token)$/;
const REVOKE = /^revoke$/;
const TOKEN_INFO = /^(?:oauth2\/v(\d)\/)?tokeninfo$/;
const USER_INFO = /^(?:oauth2\/v([123])|v1)\/userinfo$/;

/**
 * Gives everyone a token, and revokes any. It is a dummy: the calls that it is sent with have another credential, which
 * `diorama intercept` adds.
 */
export const tokensOf =
  (scopes: readonly string[]): Documents =>
  ({ request, path }) => {
    if (request.method !== "POST") return undefined;
    if (REVOKE.test(path)) return httpAnswer(200, JSON_HEADERS, "{}");
    if (!TOKEN.test(path)) return undefined;
    const token = {
      access_token: "ya29.dummy",
      expires_in: LIFETIME,
      scope: scopes.join(" "),
      token_type: "Bearer",
    };
    return httpAnswer(200, JSON_HEADERS, JSON.stringify(token, null, 2));
  };

/** A question about the caller. */
type AccountQuestion = {
  readonly name: "userinfo" | "tokeninfo";
  readonly answer: (person: Person, scopes: readonly string[]) => object;
};

/** Undefined for any other path. */
export function readAccountPath(path: string): AccountQuestion | undefined {
  const user = USER_INFO.exec(path);
  if (user) return { name: "userinfo", answer: (person) => userInfo(person, user[1]) };
  const token = TOKEN_INFO.exec(path);
  return token
    ? { name: "tokeninfo", answer: (person, scopes) => tokenInfo(person, scopes, token[1]) }
    : undefined;
}

/** 21 digits that depend on the address alone. */
const idOf = (address: string) =>
  `1${BigInt(`0x${createHash("sha256").update(address).digest("hex")}`) % 10n ** 20n}`.padEnd(
    21,
    "0",
  );

const isOld = (version: string | undefined) => version === "1" || version === "2";

function userInfo({ address, name }: Person, version: string | undefined) {
  const [given = "", ...family] = name.split(" ");
  const names = {
    name,
    given_name: given,
    ...(family.length > 0 && { family_name: family.join(" ") }),
  };
  const id = idOf(address);
  return isOld(version)
    ? { id, email: address, verified_email: true, ...names }
    : { sub: id, ...names, email: address, email_verified: true };
}

function tokenInfo({ address }: Person, scopes: readonly string[], version: string | undefined) {
  const [id, scope] = [idOf(address), scopes.join(" ")];
  const client = "replica.apps.googleusercontent.com";
  return isOld(version)
    ? {
        ...{ issued_to: client, audience: client, user_id: id, scope },
        ...{ expires_in: LIFETIME, email: address, verified_email: true, access_type: "offline" },
      }
    : {
        ...{ azp: client, aud: client, sub: id, scope, expires_in: `${LIFETIME}` },
        ...{ email: address, email_verified: "true", access_type: "offline" },
      };
}
