/**
 * The servers that a suite is run on: each has the suite under ids of its own. An attempt is made on the one with the
 * fewest attempts, another time on another one.
 */
import { isDeepStrictEqual } from "node:util";
import type { Client } from "~/commands/client";
import { CommandError } from "~/commands/failure";
import { asImport, type Suite, type Test } from "~/commands/suite";

export type Home = { readonly client: Client; readonly suite: Suite };
export type Homes = ReturnType<typeof createHomes>;

/** How long a server that takes no attempt gets none, unless that is true of all. */
const REST_MS = 10_000;

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

const rests = ({ restsUntil }: { readonly restsUntil: number }) => restsUntil > performance.now();

export function createHomes(homes: readonly Home[]) {
  const states = homes.map((home) => ({ home, busy: 0, restsUntil: 0 }));
  return {
    all: homes,
    hasOthers: homes.length > 1,

    /** Does work on one of them; on `last` only if there is no other. */
    async use<Result>(last: Home | undefined, work: (home: Home) => Promise<Result>) {
      const [chosen] = states.toSorted(
        (a, b) =>
          Number(rests(a)) - Number(rests(b)) ||
          Number(a.home === last) - Number(b.home === last) ||
          a.busy - b.busy,
      );
      if (!chosen) throw new Error("a suite is run on at least one server");
      chosen.busy++;
      try {
        return await work(chosen.home);
      } finally {
        chosen.busy--;
      }
    },

    /** Notes that a server has no room, or does not answer. */
    rest(home: Home): void {
      const state = states.find((one) => one.home === home);
      if (state) state.restsUntil = performance.now() + REST_MS;
    },

    /** Whether a server takes no attempt, but another one may. */
    canMove(home: Home | undefined): boolean {
      return states.some((one) => one.home === home && rests(one)) && !states.every(rests);
    },
  };
}
