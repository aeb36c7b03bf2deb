/** Paths of a service on the server's own root, where the credential chooses the environment. */
import { describe, expect, test } from "bun:test";
import { postBatch } from "../support/batches";
import { useDatabase } from "../support/database";
import { useProgram } from "../support/program";
import { useUsers } from "../support/users";

const database = useDatabase();
const program = useProgram(database, { ENVIRONMENT: "development" });
const production = useProgram(database, { ENVIRONMENT: "production" });
const users = useUsers(database, "owner");

const PROFILE = "/gmail/v1/users/me/profile";
const environment = (user = "agent@acme.test", templateName = "mail_default") =>
  production.environment(
    { templateService: "mail", templateName, impersonateUserId: user },
    users.owner,
  );

async function read(url: string, headers: Record<string, string> = {}) {
  const response = await fetch(url, { headers });
  return { status: response.status, body: (await response.json()) as any };
}
const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });

describe("on the root", () => {
  test("a token leads to its own environment", async () => {
    const [agent, john] = [await environment(), await environment("john@acme.test")];

    for (const server of [production, program])
      for (const [{ token }, emailAddress] of [
        [agent, "agent@acme.test"],
        [john, "john@acme.test"],
      ]) {
        const expected = { status: 200, body: { emailAddress } };
        expect(await read(server.url + PROFILE, bearer(token))).toMatchObject(expected);
        expect(await read(`${server.url}${PROFILE}?access_token=${token}`)).toMatchObject(expected);
        expect(await read(server.url + PROFILE, { "X-API-Key": token })).toMatchObject(expected);
      }
  });

  test("a batch leads to the environment of its token", async () => {
    const { token } = await environment("john@acme.test");

    for (const path of ["/batch", "/batch/gmail/v1"]) {
      const batch = await postBatch(production.url + path, [{ path: PROFILE }], bearer(token));
      expect(batch.answers).toMatchObject([
        { status: 200, body: { emailAddress: "john@acme.test" } },
      ]);
    }
  });

  test.each([
    ["no credential", {}, "Request is missing required authentication credential."],
    ["an invalid token", bearer("ya29.made-up"), "Request had invalid authentication credentials."],
  ])("a call with %s is rejected in the words of the service", async (_case, headers, message) => {
    const answer = await read(production.url + PROFILE, headers);

    expect(answer).toMatchObject({
      status: 401,
      body: {
        error: {
          ...{ code: 401, status: "UNAUTHENTICATED", message: expect.stringContaining(message) },
          errors: [{ domain: "global", location: "Authorization", locationType: "header" }],
        },
      },
    });
    expect((await postBatch(`${production.url}/batch`, [], headers)).status).toBe(401);
  });

  test("a key, which opens many environments, chooses none", async () => {
    expect(await read(production.url + PROFILE, users.owner)).toMatchObject({ status: 401 });
  });

  test("the token of an environment of another service is rejected", async () => {
    const { token } = await production.environment({}, users.owner);

    expect(await read(production.url + PROFILE, bearer(token))).toMatchObject({
      status: 400,
      body: { error: "invalid_service" },
    });
  });

  test("the token of an environment that has ended opens nothing", async () => {
    const { token, environmentId } = await environment();
    expect(await read(production.url + PROFILE, bearer(token))).toMatchObject({ status: 200 });
    await production.call("DELETE", `/env/${environmentId}`, undefined, users.owner);

    expect(await read(production.url + PROFILE, bearer(token))).toMatchObject({ status: 404 });
  });

  test("in development any other credential leads to the default environment", async () => {
    const { body } = await read(program.url + PROFILE, bearer("ya29.made-up"));
    const batch = await postBatch(`${program.url}/batch`, [{ path: PROFILE }]);

    expect(body).toMatchObject({ emailAddress: "agent@acme.test" });
    expect(batch.answers).toMatchObject([{ status: 200, body }]);
  });
});

test("the discovery document needs no credential, and has the address that it is read from", async () => {
  const { environmentUrl } = await environment();

  for (const at of [environmentUrl, "", "/api/env/00000000000000000000000000000000/services/gmail"])
    expect(await read(`${production.url}${at}/$discovery/rest?version=v1`)).toMatchObject({
      status: 200,
      body: { id: "gmail:v1", rootUrl: `${production.url}${at}/` },
    });
  expect(await read(`${production.url}/discovery/v1/apis/gmail/v1/rest`)).toMatchObject({
    body: { rootUrl: `${production.url}/` },
  });
  expect((await read(`${production.url}/$discovery/rest?version=v2`)).status).toBe(401);
});

test("below an environment's address, a call without a credential has the service's answer too", async () => {
  const { environmentUrl } = await environment();

  const { status, body } = await read(`${production.url}${environmentUrl}${PROFILE}`);

  expect([status, body.error.status]).toEqual([401, "UNAUTHENTICATED"]);
});
