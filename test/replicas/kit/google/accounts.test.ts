import { expect, test } from "bun:test";
import { readAccountPath, tokensOf } from "~/replicas/kit/google/accounts";
import { HeaderList, HttpRequest } from "~/wire/message";

const ROBIN = { address: "robin@acme.test", name: "Robin van Lee" };
const tokens = tokensOf(["mail", "calendar"]);
const ask = (verb: string, path: string) =>
  tokens({
    request: new HttpRequest(verb, `/${path}`, new HeaderList()),
    path,
    rootUrl: "http://h/",
  });
const answered = (path: string) => readAccountPath(path)?.answer(ROBIN, ["mail", "calendar"]);

test("everyone gets a token that opens nothing, with every scope", () => {
  for (const path of ["token", "oauth2/v4/token"]) {
    const { status, body } = ask("POST", path) ?? { status: 0, body: "" };
    expect([status, JSON.parse(body as string)]).toEqual([
      200,
      {
        ...{ access_token: "ya29.dummy", expires_in: 3599, token_type: "Bearer" },
        scope: "mail calendar",
      },
    ]);
  }
  expect(ask("POST", "revoke")?.status).toBe(200);
  for (const [verb, path] of [
    ["GET", "token"],
    ["POST", "gmail/v1/token"],
    ["POST", "token/x"],
  ] as const)
    expect(ask(verb, path)).toBeUndefined();
});

test("each version names the person in its own fields, and with the same id", () => {
  const { sub } = answered("oauth2/v3/userinfo") as { sub: string };
  const names = { name: "Robin van Lee", given_name: "Robin", family_name: "van Lee" };
  const email = "robin@acme.test";

  expect(sub).toMatch(/^1\d{20}$/);
  expect(answered("v1/userinfo")).toEqual({ sub, ...names, email, email_verified: true });
  for (const version of ["v1", "v2"])
    expect(answered(`oauth2/${version}/userinfo`)).toEqual({
      ...{ id: sub, ...names, email, verified_email: true },
    });
  expect(answered("tokeninfo")).toMatchObject({ sub, email, scope: "mail calendar" });
  expect(answered("oauth2/v2/tokeninfo")).toMatchObject({ user_id: sub, verified_email: true });
  for (const path of ["userinfo", "oauth2/v4/userinfo", "gmail/v1/users/me/profile"])
    expect(answered(path)).toBeUndefined();
});
