/** The audit of a suite as a JUnit report. */
import type { TestAudit, TestSuiteAudit } from "~/clients/typescript/schema";
import { attributes, escaped } from "~/commands/junit";
import { isOpen, isWrong, problems, solutionOf } from "~/commands/suite-audit-report";

/** A test case for each test; survivors of S2 alone are no failure. */
export function junitOf({ name, tests, seconds }: TestSuiteAudit): string {
  const failures = tests.filter(isWrong).length;
  const errors = tests.filter((test) => !isWrong(test) && isOpen(test)).length;
  const counts = { name, tests: tests.length, failures, errors, time: seconds.toFixed(3) };
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    "<testsuites>",
    `  <testsuite${attributes(counts)}>`,
    ...tests.flatMap((test) => testCase(name, test)),
    "  </testsuite>",
    "</testsuites>",
    "",
  ].join("\n");
}

function testCase(classname: string, test: TestAudit): string[] {
  const head = attributes({ classname, name: test.name });
  const found = problems(test);
  if (!isWrong(test) && !isOpen(test) && found.length === 0) return [`    <testcase${head}/>`];
  return [`    <testcase${head}>`, `      ${content(test, found)}`, "    </testcase>"];
}

function content(test: TestAudit, found: readonly string[]): string {
  const text = escaped(found.join("\n"));
  const [message = test.state] = found;
  if (isWrong(test)) return `<failure${attributes({ type: "audit", message })}>${text}</failure>`;
  return isOpen(test)
    ? `<error${attributes({ type: test.state, message: solutionOf(test) })}/>`
    : `<system-out>${text}</system-out>`;
}
