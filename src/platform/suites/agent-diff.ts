/** A suite in the words of the SDK agent-diff 1.0.7, which asks for `expand=tests`. */
import type { SuiteRow, TestRow } from "~/platform/suites/store";

const BUILT_IN = "diorama";
/** Its only kind of test whose verdict comes from a diff. */
const TYPE = "actionEval";

/** Fields to add to the suite. Its times are all known as one: when it was created. */
export const suiteFields = ({ userId, visibility, createdAt }: SuiteRow) => ({
  owner: userId ?? BUILT_IN,
  visibility,
  ...times(createdAt),
});

/** Fields to add to each test. */
export const testFields = (
  { templateName, createdAt }: SuiteRow,
  test: Pick<TestRow, "templateName" | "expectedOutput">,
) => ({
  type: TYPE,
  seed_template: test.templateName ?? templateName,
  expected_output: JSON.parse(test.expectedOutput) as unknown,
  ...times(createdAt),
});

const times = (createdAt: Date) => ({
  created_at: createdAt.toISOString(),
  updated_at: createdAt.toISOString(),
});
