/** Messages that calls carry as media. */
import { expect, test } from "bun:test";
import { type Environment, useScene } from "./scene";

const scene = useScene();
const MESSAGE = "To: john@acme.test\r\nSubject: Uploaded\r\n\r\nAs it is.\r\n";

const upload = (
  { environmentUrl }: Environment,
  path: string,
  { type, body }: { type: string; body: string },
) =>
  fetch(`${scene.program.url}${environmentUrl}/upload/gmail/v1/users/me/${path}`, {
    method: "POST",
    headers: { "content-type": type },
    body,
  });

const related = (metadata: object) => ({
  type: "multipart/related; boundary=cut",
  body: [
    "--cut\r\nContent-Type: application/json; charset=UTF-8\r\n\r\n",
    `${JSON.stringify(metadata)}\r\n`,
    `--cut\r\nContent-Type: message/rfc822\r\n\r\n${MESSAGE}\r\n--cut--\r\n`,
  ].join(""),
});

test("a message is sent as media", async () => {
  const environment = await scene.environment();

  const answer = await upload(environment, "messages/send?uploadType=media", {
    ...{ type: "message/rfc822", body: MESSAGE },
  });

  expect([answer.status, await answer.clone().text()]).toEqual([200, expect.any(String)]);
  const { id } = (await answer.json()) as { id: string };
  const { payload } = await scene.get(environment, `messages/${id}`);
  expect(Buffer.from(payload.body.data, "base64url").toString()).toBe("As it is.\r\n");
});

test("a message with its fields is inserted as parts", async () => {
  const environment = await scene.environment();

  const answer = await upload(
    environment,
    "messages?uploadType=multipart",
    related({ labelIds: ["STARRED"] }),
  );

  expect([answer.status, await answer.clone().text()]).toEqual([200, expect.any(String)]);
  const { id } = (await answer.json()) as { id: string };
  expect((await scene.get(environment, `messages/${id}`)).labelIds).toEqual(["STARRED"]);
});

test("a message of 3 MB is one call, and a larger body than any message is rejected", async () => {
  const environment = await scene.environment();
  const line = `${"x".repeat(74)}\r\n`;
  const large = { type: "message/rfc822", body: MESSAGE + line.repeat(40_000) };
  const answer = await upload(environment, "messages?uploadType=media", large);
  expect(answer.status).toBe(200);

  const body = "x".repeat(5 * 2 ** 20);
  const tooLarge = await upload(environment, "messages?uploadType=media", { ...large, body });
  expect(tooLarge.status).toBe(413);
  const json = await scene.call(environment, "POST", "messages", { raw: body });
  expect(json.status).toBe(413);
  expect((await scene.get(environment, "profile")).messagesTotal).toBe(12);
});
