import { beforeAll, describe, expect, test } from "bun:test";
import { type Environment, useScene } from "./scene";

const scene = useScene();
let environment: Environment;
beforeAll(async () => {
  environment = await scene.environment();
});
const get = (path: string) => scene.get(environment, path);

describe("answers", () => {
  test("are indented unless prettyPrint is false", async () => {
    const read = async (query: string) =>
      await (
        await fetch(
          `${scene.program.url}${environment.environmentUrl}/gmail/v1/users/me/profile${query}`,
        )
      ).text();

    expect(await read("")).toContain('{\n  "emailAddress"');
    expect(await read("?prettyPrint=false")).toStartWith('{"emailAddress"');
  });

  test.each([
    ["emailAddress", { emailAddress: "agent@acme.test" }],
    [
      "emailAddress,messagesTotal",
      { emailAddress: "agent@acme.test", messagesTotal: expect.any(Number) },
    ],
  ])("have the fields %s", async (fields, expected) => {
    expect(await get(`profile?fields=${encodeURIComponent(fields)}`)).toEqual(expected);
  });

  test("have the fields of a nested mask", async () => {
    const fields = encodeURIComponent("messages(id),resultSizeEstimate");
    const { messages, ...rest } = await get(`messages?maxResults=1&fields=${fields}`);

    expect(Object.keys(messages[0])).toEqual(["id"]);
    expect(rest).toEqual({ resultSizeEstimate: expect.any(Number) });
  });

  test("to a POST with the query of a long GET are those of the GET", async () => {
    const response = await fetch(
      `${scene.program.url}${environment.environmentUrl}/gmail/v1/users/me/messages`,
      {
        method: "POST",
        headers: {
          "x-http-method-override": "GET",
          "content-type": "application/x-www-form-urlencoded",
        },
        body: "q=from%3Atess%40northwind.test",
      },
    );

    expect(((await response.json()) as { messages: object[] }).messages).toHaveLength(1);
  });
});

test("the own address stands for me; that of somebody else is denied", async () => {
  const profileOf = async (user: string) => {
    const path = `/gmail/v1/users/${encodeURIComponent(user)}/profile`;
    const response = await fetch(`${scene.program.url}${environment.environmentUrl}${path}`);
    return { status: response.status, body: (await response.json()) as object };
  };

  expect(await profileOf("agent@acme.test")).toMatchObject({ status: 200 });
  expect(await profileOf("john@acme.test")).toMatchObject({
    status: 403,
    body: {
      error: { message: "Delegation denied for john@acme.test", status: "PERMISSION_DENIED" },
    },
  });
});
