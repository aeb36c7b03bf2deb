/** The attempts at a suite, by a label, as text for a spreadsheet or a document. */
import type { TestSuiteResults } from "~/clients/typescript/schema";

const COLUMNS = [
  ...["attempts", "graded", "passed", "failed", "notGradable", "successful", "unsafe"],
  ...["meanReward", "meanCostUsd", "passAt1", "passAtK", "passHatK"],
] as const;
type Column = (typeof COLUMNS)[number];
type Counts = { readonly [name in Column]: number | null };

const NO_LABEL = "without label";

/** A line for each test and value of the label (RFC 4180). */
export function asCsv({ name, groupBy = "", groups = [] }: TestSuiteResults): string {
  const lines: (string | number | null)[][] = [["suite", "test", groupBy, "k", ...COLUMNS]];
  for (const { group, k, tests } of groups)
    for (const test of tests)
      lines.push([name, test.name, group, k, ...COLUMNS.map((column) => (test as Counts)[column])]);
  return `${lines.map((line) => line.map(csvField).join(",")).join("\r\n")}\r\n`;
}

/** A spreadsheet takes a text that begins with one of these as a formula, unless an apostrophe comes first. */
const FORMULA = /^[=+\-@\t\r]/;

function csvField(value: string | number | null): string {
  if (typeof value !== "string") return value === null ? "" : String(value);
  const text = FORMULA.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** A table of the tests by the values of the label. */
export function asMarkdown({ name, groups = [] }: TestSuiteResults): string {
  const heads = groups.map(({ group }) => cell(group ?? NO_LABEL));
  const rows = (groups[0]?.tests ?? []).map(({ testId, name: test }) => [
    cell(test),
    ...groups.map(({ tests }) => attempts(tests.find((each) => each.testId === testId))),
  ]);
  const sums = groups.map(attempts);
  const lines = [
    ["Test", ...heads],
    ["---", ...groups.map(() => "---")],
    ...rows,
    ["All", ...sums],
  ];
  return `## ${cell(name)}\n\n${lines.map((line) => `| ${line.join(" | ")} |`).join("\n")}\n`;
}

function attempts(
  counts: Pick<Counts, "passed" | "graded" | "meanReward" | "meanCostUsd" | "unsafe"> | undefined,
) {
  if (!counts?.graded) return "–";
  const { passed, graded, meanReward, meanCostUsd, unsafe } = counts;
  const cost = meanCostUsd === null ? "" : `, $${meanCostUsd}`;
  return `${passed}/${graded}, reward ${meanReward ?? "–"}${unsafe ? `, ${unsafe} unsafe` : ""}${cost}`;
}

const cell = (text: string) => text.replace(/[\\`*_[\]<>|]/g, "\\$&").replace(/\s+/g, " ");
