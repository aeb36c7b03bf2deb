import { beforeAll, describe, expect, test } from "bun:test";
import { type Environment, rawOf, useScene } from "./scene";

const scene = useScene();
let environment: Environment;
beforeAll(async () => {
  environment = await scene.environment();
});

describe("rejections", () => {
  test.each([
    ["GET", "messages/xyz", undefined, 400, "Invalid id value"],
    ["GET", "messages/19b8d5a9c00003ff", undefined, 404, "Requested entity was not found."],
    ["GET", "threads/xyz", undefined, 400, "Invalid id value"],
    ["GET", "threads/19b8d5a9c00003ff", undefined, 404, "Requested entity was not found."],
    ["GET", "messages?pageToken=x", undefined, 400, "Invalid pageToken"],
    ["GET", "messages?pageToken=99999999999999999999", undefined, 400, "Invalid pageToken"],
    ["GET", "messages?labelIds=inbox", undefined, 400, "Invalid label: inbox"],
    [
      "POST",
      "messages/batchModify",
      { ids: ["x"], addLabelIds: ["STARRED"] },
      400,
      "Invalid ids value",
    ],
    [
      "POST",
      "messages/batchDelete",
      { ids: Array(1001).fill("1") },
      400,
      "Too many ids: at most 1000",
    ],
    [
      "POST",
      "messages/send",
      {},
      400,
      "'raw' RFC822 payload message string or uploading message via /upload/* URL required",
    ],
    [
      "POST",
      "messages/send",
      { raw: "!!!" },
      400,
      "Invalid value at 'raw' (TYPE_BYTES), Base64 decoding failed",
    ],
    ["POST", "messages/send", { raw: rawOf({ subject: "x" }) }, 400, "Recipient address required"],
    ["POST", "messages/send", { raw: rawOf({ to: "nobody" }) }, 400, "Invalid To header"],
    [
      "POST",
      "messages/send",
      { raw: rawOf({ to: "john@acme.test", cc: "x y" }) },
      400,
      "Invalid Cc header",
    ],
    [
      "POST",
      "messages/send",
      { raw: rawOf({ to: Array(501).fill("nobody@acme.test").join(", ") }) },
      400,
      "Too many recipients",
    ],
    [
      "POST",
      "messages/send",
      { raw: rawOf({ to: "john@acme.test" }), threadId: "x" },
      400,
      "Invalid thread_id value",
    ],
    [
      "POST",
      "messages/send",
      { raw: rawOf({ to: "john@acme.test" }), threadId: "19b8d5a9c00003ff" },
      404,
      "Requested entity was not found.",
    ],
    [
      "POST",
      "messages/import",
      { raw: rawOf({}), threadId: "19b8d5a9c00003ff" },
      400,
      "threadId not allowed",
    ],
    [
      "POST",
      "messages/send",
      { row: "x" },
      400,
      'Invalid JSON payload received. Unknown name "row": Cannot find field.',
    ],
    [
      "GET",
      "messages?query=x",
      undefined,
      400,
      `Invalid JSON payload received. Unknown name "query": Cannot bind query parameter. Field 'query' could not be found in request message.`,
    ],
    [
      "POST",
      "messages/send",
      "{",
      400,
      "Invalid JSON payload received. The body is not valid JSON in UTF-8.",
    ],
  ])("%s %s with %j", async (verb, path, body, status, message) => {
    const own = environment;
    const changes = await scene.changesOf(own, async () => {
      expect(await scene.call(own, verb, path, body)).toMatchObject({
        status,
        body: { error: { code: status, message, errors: [{ message, domain: "global" }] } },
      });
    });

    expect(changes).toEqual({ inserts: [], updates: [], deletes: [] });
  });

  test("an unknown path has the page of the front end", async () => {
    const { status, body } = await scene.call(environment, "GET", "nothing");

    expect([status, body.startsWith("<!DOCTYPE html>")]).toEqual([404, true]);
  });
});
