/** Servers that share work: a piece is done on the one with the fewest pieces, another time on another one. */

/** How long a server that takes no work gets none, unless that is true of all. */
const AVOIDED_MS = 10_000;

type State = { busy: number; avoidedUntil: number };

const isAvoided = ({ avoidedUntil }: State) => avoidedUntil > performance.now();

export function createHomes<Home>(homes: readonly Home[]) {
  const states = homes.map((home) => ({ home, busy: 0, avoidedUntil: 0 }));
  const stateOf = (home: Home | undefined) => states.find((one) => one.home === home);
  return {
    all: homes,
    hasOthers: homes.length > 1,

    /** Does work on one of them; on `last` only if there is no other. */
    async use<Result>(last: Home | undefined, work: (home: Home) => Promise<Result>) {
      const [chosen] = states.toSorted(
        (a, b) =>
          Number(isAvoided(a)) - Number(isAvoided(b)) ||
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
    avoid(home: Home): void {
      const state = stateOf(home);
      if (state) state.avoidedUntil = performance.now() + AVOIDED_MS;
    },

    /** Whether a server takes no work, but another one may. */
    canMove(home: Home | undefined): boolean {
      const state = stateOf(home);
      return state !== undefined && isAvoided(state) && !states.every(isAvoided);
    },
  };
}
