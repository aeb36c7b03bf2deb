/** The processor time that a query takes, whatever its words and the text of a message. */
import { expect, test } from "bun:test";
import { type Candidate, matches } from "~/replicas/mail/search/match";
import { parseQuery } from "~/replicas/mail/search/query";

const message = (body: string): Candidate => ({
  ...{ mailbox: "agent@acme.test", from: "john@acme.test", to: "agent@acme.test", cc: null },
  ...{ bcc: null, subject: "Numbers", body, labelIds: [], internalDate: "0", sizeEstimate: 0 },
  ...{ messageId: null, attachments: [], headers: [] },
});
const isFound = (q: string, body: string) =>
  matches(parseQuery(q, { now: 0, labels: new Map() }).root, message(body));

function timed<Result>(work: () => Result): Result {
  const before = process.cpuUsage();
  const result = work();
  expect(process.cpuUsage(before).user / 1000).toBeLessThan(2_000);
  return result;
}

test.each([
  ["one AROUND 1 three", "one two three", true],
  ["three AROUND 1 one", "one two three", true],
  ["one AROUND 0 three", "one two three", false],
  ["one AROUND 3 one", "one two three", false],
  ["one AROUND 3 one", "one two one", true],
  ["one AROUND 0 two", "one x x one two", true],
])("%j in %j: %j", (q, body, found) => {
  expect(isFound(q, body)).toBe(found);
});

test("words that are far apart in a long text are found to be so in a short time", () => {
  const body = `${"one ".repeat(30_000)}${"x ".repeat(1_000)}${"two ".repeat(30_000)}`;

  expect(timed(() => isFound("one AROUND 5 two", body))).toBe(false);
  expect(timed(() => isFound("one AROUND 999 two", body))).toBe(false);
  expect(isFound("one AROUND 999 two", body.replace("x ", ""))).toBe(true);
});

test("the words of a long text are read once for all terms of a query", () => {
  const body = "one two three ".repeat(18_000);
  const words = Array.from({ length: 900 }, (_, number) => `w${number}`);

  expect(timed(() => isFound(`{${words.join(" ")}}`, body))).toBe(false);
  expect(timed(() => isFound(words.map((word) => `-${word}`).join(" "), body))).toBe(true);
});
