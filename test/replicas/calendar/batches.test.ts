/** Paths on the server's own root, where the token chooses the environment, and batches. */
import { expect, test } from "bun:test";
import { restCall } from "../../support/rest";
import { type Environment, useScene } from "./scene";

const { program, environment, get } = useScene();

const atRoot = ({ token }: Environment, verb: string, path: string) =>
  restCall(`${program.url}/${path}`, verb, { Authorization: `Bearer ${token}` });

function batch({ token }: Environment, calls: readonly string[]) {
  const parts = calls.map((call) => `--b\r\nContent-Type: application/http\r\n\r\n${call}\r\n\r\n`);
  const headers = {
    Authorization: `Bearer ${token}`,
    "Content-Type": "multipart/mixed; boundary=b",
  };
  const url = `${program.url}/batch/calendar/v3`;
  return restCall(url, "POST", headers, `${parts.join("")}--b--\r\n`);
}

test("the paths of the service are on the server's root", async () => {
  const env = await environment();
  const { status, body } = await atRoot(env, "GET", "calendar/v3/calendars/primary");
  expect([status, body]).toEqual([200, await get(env, "calendars/primary")]);
});

test("each call of a batch has its own answer", async () => {
  const env = await environment();
  const { status, text } = await batch(env, [
    "GET /calendar/v3/colors",
    "DELETE /calendar/v3/calendars/primary/events/dentist",
    "GET /calendar/v3/calendars/nobody",
  ]);
  expect(status).toBe(200);
  expect(text.match(/HTTP\/1\.1 \d+/g)).toEqual(["HTTP/1.1 200", "HTTP/1.1 404", "HTTP/1.1 404"]);
});

test("a batch has at most 50 calls", async () => {
  const env = await environment();
  const calls = Array.from({ length: 51 }, () => "GET /calendar/v3/colors");
  expect((await batch(env, calls)).status).toBe(400);
});
