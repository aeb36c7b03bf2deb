/** The servers that a suite is run on. */
import type { TestSuiteDetails } from "./schema";

/** How long a server that failed an attempt gets none, unless all have. */
const REST_MS = 10_000;

/** A server that has the suite, and how many attempts are made there now. */
export type Home<Suite = unknown> = {
  readonly suite: Suite;
  readonly details: TestSuiteDetails;
  busy: number;
  /** By the clock of `performance`. */
  restsUntil: number;
};

/** Throws unless the suite is the same on all servers; returns it. */
export function sameOn(homes: readonly Home[]): TestSuiteDetails {
  const [first, ...others] = homes.map(({ details }) => details);
  if (!first) throw new Error("a suite is run on at least one server");
  for (const other of others)
    if (contents(first) !== contents(other))
      throw new Error(
        `The suite "${first.name}" is not the same on all servers; diorama suites copy brings it there`,
      );
  return first;
}

function contents({ templateService, templateName, tests = [] }: TestSuiteDetails): string {
  const asked = tests.map(({ name, prompt, expectedOutput, impersonateUserId }) => [
    ...[name, prompt, expectedOutput, impersonateUserId],
  ]);
  return JSON.stringify([templateService, templateName, asked]);
}

/** The one with the fewest attempts; `last`, and one that failed one a short time ago, only if there is no other. */
export function chosenOf<Suite>(
  homes: readonly Home<Suite>[],
  last: Home<Suite> | undefined,
): Home<Suite> | undefined {
  const now = performance.now();
  return homes.toSorted(
    (a, b) =>
      Number(a.restsUntil > now) - Number(b.restsUntil > now) ||
      Number(a === last) - Number(b === last) ||
      a.busy - b.busy,
  )[0];
}

/** It has failed an attempt. */
export function rest(home: Home): void {
  home.restsUntil = performance.now() + REST_MS;
}
