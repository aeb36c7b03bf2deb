/** The cost of a pattern is known before it is compiled. */
import { expect, test } from "bun:test";
import fc from "fast-check";
import { RE2JS } from "re2js";
import { stepsOf } from "~/evaluation/pattern";

const atom = fc.constantFrom(
  ..."abz. ",
  "\\.",
  "\\d",
  "\\pL",
  "\\p{Greek}",
  "\\x{41}",
  "\\Qa{9}(\\E",
  "[a-z{3}(]",
  "[^]x]",
  "[[:alpha:]\\]]",
);
const { pattern } = fc.letrec<{ pattern: string; part: string }>((tie) => ({
  pattern: fc.array(tie("part"), { minLength: 1, maxLength: 6 }).map((parts) => parts.join("")),
  part: fc.oneof(
    { maxDepth: 3 },
    atom,
    fc.tuple(tie("pattern"), tie("pattern")).map((sides) => `(?:${sides.join("|")})`),
    fc
      .tuple(tie("pattern"), fc.constantFrom("*", "+", "?", "{3}", "{0,9}", "{2,}", "{40}"))
      .map(([inner, repetition]) => `(${inner})${repetition}`),
  ),
}));

test("the estimate is close to the steps of the compiled pattern", () => {
  fc.assert(
    fc.property(pattern, (text) => {
      const compiled = compiledSteps(text);
      if (compiled === undefined) return;
      expect(stepsOf(text) * 6 + 10).toBeGreaterThan(compiled);
      expect(stepsOf(text)).toBeLessThan(compiled * 6 + text.length);
    }),
    { numRuns: 2_000 },
  );
});

test.each(["", ")", "((", "{3}", "a{", "\\", "[", "a{99999}", "\\Q", "(?"])(
  "%p has a number of steps",
  (text) => {
    expect(stepsOf(text)).toBeGreaterThanOrEqual(0);
  },
);

function compiledSteps(text: string): number | undefined {
  try {
    return RE2JS.compile(text).programSize();
  } catch {
    return undefined; // repetitions of repetitions beyond a thousand
  }
}
