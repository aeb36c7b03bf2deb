/** The results of a suite as a JUnit report, which CI servers show. */

import { isGraded, type Labels, type Outcome, type Suite } from "~/commands/suite";
import { reasons, titleOf } from "~/commands/suite-report";

/** A test case for each attempt; those without a verdict are errors. */
export function junit(
  suite: Suite,
  outcomes: readonly Outcome[],
  { labels, repeat, page }: { labels: Labels; repeat: number; page: string },
): string {
  const errors = outcomes.filter((outcome) => !isGraded(outcome)).length;
  const passed = outcomes.filter(({ verdict }) => verdict === "passed").length;
  const counts = attributes({
    name: suite.name,
    tests: outcomes.length,
    failures: outcomes.length - passed - errors,
    errors,
    time: seconds(outcomes.reduce((sum, outcome) => sum + (outcome.seconds ?? 0), 0)),
  });
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    "<testsuites>",
    `  <testsuite${counts}>`,
    ...properties("    ", { ...labels, consoleUrl: page }),
    ...outcomes.flatMap((outcome) => testCase(suite, outcome, repeat)),
    "  </testsuite>",
    "</testsuites>",
    "",
  ].join("\n");
}

function testCase(suite: Suite, outcome: Outcome, repeat: number): string[] {
  const { verdict, runId, consoleUrl, reward, success, unsafe } = outcome;
  const head = attributes({
    classname: suite.name,
    name: titleOf(outcome, repeat),
    time: seconds(outcome.seconds ?? 0),
  });
  return [
    `    <testcase${head}>`,
    ...properties("      ", { runId, consoleUrl, reward, success, unsafe: unsafe?.count }),
    ...(verdict === "passed" ? [] : [problem(outcome)]),
    "    </testcase>",
  ];
}

function problem(outcome: Outcome): string {
  const { verdict, consoleUrl } = outcome;
  const [first = verdict, ...rest] = [...reasons(outcome), ...(consoleUrl ? [consoleUrl] : [])];
  const element = isGraded(outcome) ? "failure" : "error";
  return `      <${element}${attributes({ type: verdict, message: first })}>${escaped([first, ...rest].join("\n"))}</${element}>`;
}

type Values = { readonly [name: string]: string | number | boolean | undefined };

/** Those that are known. */
function properties(indent: string, values: Values): string[] {
  const known = Object.entries(values).flatMap(([name, value]) =>
    value === undefined ? [] : [`${indent}  <property${attributes({ name, value: `${value}` })}/>`],
  );
  return known.length === 0 ? [] : [`${indent}<properties>`, ...known, `${indent}</properties>`];
}

const seconds = (value: number) => value.toFixed(3);

export const attributes = (values: { readonly [name: string]: string | number }) =>
  Object.entries(values)
    .map(([name, value]) => ` ${name}="${escaped(`${value}`).replaceAll("\n", "&#10;")}"`)
    .join("");

/** Characters that XML cannot have, not even escaped. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these must not get into the file
const FORBIDDEN = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;

export const escaped = (text: string) =>
  text
    .toWellFormed()
    .replace(FORBIDDEN, "\ufffd")
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
