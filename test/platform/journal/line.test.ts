import { expect, test } from "bun:test";
import { ARGUMENTS_MAX, argumentsText, withoutCredentials } from "~/platform/journal/line";

test.each([
  ["a member", { token: "abc", nested: { client_secret: 'a"b\\', apiKey: "k" } }],
  ["a member within a string", { blocks: JSON.stringify({ secret: "abc", password: "a b" }) }],
  ["a member within a string within a string", { a: JSON.stringify({ b: '{"token":"abc"}' }) }],
  [
    "an argument of a GraphQL document",
    {
      query: 'mutation { webhookCreate(input: { url: "https://a.b", secret: "abc" }) { success } }',
    },
  ],
  ["a key of ours", { text: `my key is diorama_k_${"abc".repeat(16)}` }],
  ["a token of the service", { text: "xoxb-abc-abc and lin_api_abc" }],
  ["the address of an upload", { url: `http://h/upload/F01/${"abc1".repeat(8)}` }],
])("%s that is a credential is left out", (_, given) => {
  const text = argumentsText(given);

  expect(text).not.toMatch(/abc|a b|a\\+"b|"k"/);
  expect(text).toContain("[redacted]");
  expect(Object.keys(JSON.parse(text))).toEqual(Object.keys(given));
});

test("other texts stay as they are", () => {
  const given = { text: 'the token of my "secret" appreciation: none', cursor: "abc", limit: 3 };

  expect(JSON.parse(withoutCredentials(JSON.stringify(given)))).toEqual(given);
});

test("long arguments are cut and marked as cut, and a file is only its size", () => {
  const text = "😀".repeat(20_000);

  const cut = JSON.parse(argumentsText({ text }));
  const file = JSON.parse(argumentsText(new Map([["file", new Uint8Array(5)]])));

  expect(cut).toEqual({
    truncated: true,
    characters: JSON.stringify({ text }).length,
    beginning: expect.stringMatching(/^\{"text":"😀/),
  });
  expect(cut.beginning.length).toBeLessThanOrEqual(ARGUMENTS_MAX);
  expect(file).toEqual({ file: { bytes: 5 } });
});
