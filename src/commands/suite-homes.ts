/** The servers that a suite is run on: each has the suite under ids of its own. */
import { isDeepStrictEqual } from "node:util";
import type { createHomes } from "~/clients/typescript/homes";
import type { Client } from "~/commands/client";
import { CommandError } from "~/commands/failure";
import { asImport, type Suite, type Test } from "~/commands/suite";

export type Home = { readonly client: Client; readonly suite: Suite };
export type Homes = ReturnType<typeof createHomes<Home>>;

/** Throws unless the suite is the same on all servers. */
export function requireSame([first, ...others]: readonly Home[]): void {
  for (const other of others) {
    if (!first || isDeepStrictEqual(contents(first.suite), contents(other.suite))) continue;
    throw new CommandError(
      `the suite ${first.suite.name} is not the same on ${first.client.url} and ${other.client.url}; suites copy brings it there`,
    );
  }
}

function contents(suite: Suite) {
  const { templateService, templateName, impersonateUserId, tests } = asImport(suite);
  return { templateService, templateName, impersonateUserId, tests };
}

/** A test under its ids on another server: tests of the same suite are in the same order. */
export const testOn = (home: Home, suite: Suite, test: Test): Test =>
  home.suite.tests[suite.tests.indexOf(test)] ?? test;
