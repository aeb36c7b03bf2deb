import { expect, test } from "bun:test";
import {
  ARGUMENTS_MAX,
  argumentsText,
  NAMES_MAX,
  withoutCredentials,
} from "~/platform/journal/line";
import { ABOUTS } from "~/replicas/services";
import { trackerSchema } from "~/replicas/tracker/schema";

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

/** Of each service, for each of its secrets. */
const SECRETS: Readonly<Record<string, readonly string[]>> = {
  calendar: [],
  chat: [
    "xoxb-1-2",
    "xapp-1-2",
    `/upload/F01/${"0f".repeat(16)}`,
    `/link?ticket=1767603600731.${"0f".repeat(8)}.A01BOT.${"0f".repeat(16)}`,
  ],
  mail: ["ya29.a0-b_c"],
  tracker: ["lin_api_1", `/uploads/put/a-1/${"0f".repeat(16)}`],
};

test.each(ABOUTS.map((about) => [about.service, about] as const))(
  "each secret of %s is left out, wherever it is",
  (service, { secrets }) => {
    const texts = secrets.map((_, index) => SECRETS[service]?.[index] ?? "");

    for (const [index, { form }] of secrets.entries()) expect(texts[index]).toMatch(form);
    for (const text of texts)
      expect(withoutCredentials(JSON.stringify({ note: `see ${text}.` }))).toContain("[redacted]");
  },
);

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

test("a credential leaves no part of itself, wherever a long text is cut", () => {
  const secret = "7".repeat(32);
  // What is left out before makes room for the end of the text that is searched.
  const head = { token: "x".repeat(ARGUMENTS_MAX + 1_000) };
  const start = 2 * ARGUMENTS_MAX - JSON.stringify({ ...head, a: "" }).length;
  const credentials = [
    ["/upload/F01/", secret],
    ["xoxb-", secret],
    ["diorama_e_", secret],
    ["lin_api_", secret],
    ['{"password":"', secret],
  ] as const;
  for (const [prefix, rest] of credentials)
    for (let back = 0; back < prefix.length + rest.length + 12; back++) {
      const a = `${"-".repeat(start - back)}${prefix}${rest}${"-".repeat(50_000)}`;

      const text = argumentsText({ ...head, a });

      const { characters, beginning } = JSON.parse(text);
      expect(characters).toBeGreaterThan(2 * ARGUMENTS_MAX);
      expect(beginning).toStartWith('{"token":"[redacted]","a":"---');
      expect(beginning).not.toContain("7");
    }
});

test("megabytes of arguments are cut in a moment", () => {
  const given = {
    token: "x",
    texts: Array.from({ length: 40_000 }, () => `token: \\"${"y".repeat(90)}`),
  };
  const took = Array.from({ length: 10 }, () => {
    const before = performance.now();
    argumentsText(given);
    return performance.now() - before;
  });

  expect(Math.min(...took)).toBeLessThan(500);
});

test("a list of names has room for all fields that a document can select", () => {
  const schema = trackerSchema();
  const fields = Object.keys(schema.getQueryType()?.getFields() ?? {});

  expect(fields.join(", ").length).toBeLessThan(NAMES_MAX);
});
