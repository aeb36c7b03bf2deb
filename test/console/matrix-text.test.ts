/** The attempts at a suite as a file. Without a browser. */
import { expect, test } from "bun:test";
import type { TestSuiteResults } from "~/clients/typescript/schema";
import { asCsv, asMarkdown } from "~/console/matrix-text";

const counts = {
  ...{ attempts: 10, graded: 9, passed: 6, failed: 3, notGradable: 1, successful: 7, unsafe: 2 },
  ...{ meanReward: 0.75, meanCostUsd: 0.0421, passAt1: 0.6667, passAtK: 1, passHatK: null },
};
const nothing = {
  ...{ attempts: 0, graded: 0, passed: 0, failed: 0, notGradable: 0, successful: 0, unsafe: 0 },
  ...{ meanReward: null, meanCostUsd: null, passAt1: null, passAtK: null, passHatK: null },
};
const results = (names: readonly string[], groups: readonly (string | null)[]) =>
  ({
    ...{ suiteId: "s", name: 'Chat, "the" benchmark', groupBy: "model" },
    groups: groups.map((group, place) => ({
      ...{ group, k: 4 },
      ...counts,
      tests: names.map((name, n) => ({
        ...{ testId: `t${n}`, name },
        ...(place === 0 ? counts : nothing),
      })),
    })),
  }) as unknown as TestSuiteResults;

test("CSV has a line for each test and label, with quotes where they are needed", () => {
  expect(asCsv(results(["post, then pin"], ["gpt-5", null])).split("\r\n")).toEqual([
    "suite,test,model,k,attempts,graded,passed,failed,notGradable,successful,unsafe,meanReward,meanCostUsd,passAt1,passAtK,passHatK",
    '"Chat, ""the"" benchmark","post, then pin",gpt-5,4,10,9,6,3,1,7,2,0.75,0.0421,0.6667,1,',
    '"Chat, ""the"" benchmark","post, then pin",,4,0,0,0,0,0,0,0,,,,,',
    "",
  ]);
});

test.each(["=1+1", "+1", "-1", "@now", "\tx"])("CSV has no formula: %j", (name) => {
  const [, line] = asCsv(results([name], ["a"])).split("\r\n");
  expect(line).toContain(`,'${name},`);
});

test("Markdown has a row for each test, a column for each label, and what all have", () => {
  expect(asMarkdown(results(["post", "a|b <i>\n*c*"], ["x_y", null])).split("\n")).toEqual([
    '## Chat, "the" benchmark',
    "",
    "| Test | x\\_y | without label |",
    "| --- | --- | --- |",
    "| post | 6/9, reward 0.75, 2 unsafe, $0.0421 | – |",
    "| a\\|b \\<i\\> \\*c\\* | 6/9, reward 0.75, 2 unsafe, $0.0421 | – |",
    "| All | 6/9, reward 0.75, 2 unsafe, $0.0421 | 6/9, reward 0.75, 2 unsafe, $0.0421 |",
    "",
  ]);
});
