/** The credential of a call, found in the beginning of a body before anyone is authenticated. */
import { describe, expect, test } from "bun:test";
import { tokenArgument } from "~/replicas/chat/request";
import type { HttpRequest } from "~/wire/message";

const find = (body: string) =>
  tokenArgument({
    request: {
      hasQuery: false,
      headers: new Headers({ "Content-Type": "multipart/form-data; boundary=x" }),
    } as unknown as HttpRequest,
    beginning: async () => Buffer.from(body),
  });

describe("the token of a multipart body", () => {
  const part = (...lines: readonly string[]) => ["--x", ...lines].join("\r\n");
  const named = 'Content-Disposition: form-data; name="token"';

  test.each([
    [part(named, "", "xoxp-1", "--x--"), "xoxp-1"],
    [part(named, "", "xoxp-1"), "xoxp-1"],
    [part(named, "", ""), ""],
    [part(named.toUpperCase(), "Content-Type: text/plain", "", "xoxp-1"), "xoxp-1"],
    [part("Content-Disposition: form-data; name=token", "", "xoxp-1"), "xoxp-1"],
    [part('form-data; name="a"', "", "1", part(named, "", "xoxp-1")), "xoxp-1"],
    [part(`${named}\n`, "", "wrong", part(named, "", "xoxp-1")), "xoxp-1"],
    [part('form-data; name="tokens"', "", "1"), "1"],
    [part(named, "xoxp-1"), undefined],
    [part(named, "\r", "", "xoxp-1"), undefined],
    [part('form-data; name="a"', "", "1"), undefined],
  ])("of %j is %p", async (body, token) => {
    expect(await find(body)).toBe(token);
  });

  test.each(["name=token", "name=token\r\n", "name=token\n", "\r\n"])(
    "is searched in time in proportion to a body of %j",
    async (piece) => {
      const before = process.cpuUsage();

      expect(await find(piece.repeat(40_000))).toBeUndefined();
      // A search from each name to the end takes half a minute.
      expect(process.cpuUsage(before).user / 1000).toBeLessThan(2_000);
    },
  );
});
