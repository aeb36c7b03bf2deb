import { expect, test } from "bun:test";
import { OPERATORS } from "~/evaluation/operators";
import { assertionReference } from "~/evaluation/reference";
import { Assertion, DIFF_TYPES, Spec } from "~/evaluation/spec";

test("the reference has a line for every field, kind and operator, each with its meaning", () => {
  const reference = assertionReference();
  for (const name of [
    ...Object.keys(Spec.properties),
    ...Object.keys(Assertion.properties),
    ...Object.keys(DIFF_TYPES),
    ...Object.keys(OPERATORS),
  ])
    expect(reference).toContain(`\`${name}\``);
  expect(reference).not.toMatch(/\|\s*\|$/m);
});
