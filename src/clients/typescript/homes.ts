/** Servers that share work: a piece is done on the one with the fewest pieces, another time on another one. */

/** How long a server that takes no work gets none, unless that is true of all. */
const REST_MS = 10_000;

type State = { busy: number; restsUntil: number };

const rests = ({ restsUntil }: State) => restsUntil > performance.now();

export function createHomes<Home>(homes: readonly Home[]) {
  const states = homes.map((home) => ({ home, busy: 0, restsUntil: 0 }));
  const stateOf = (home: Home | undefined) => states.find((one) => one.home === home);
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
      const state = stateOf(home);
      if (state) state.restsUntil = performance.now() + REST_MS;
    },

    /** Whether a server takes no work, but another one may. */
    canMove(home: Home | undefined): boolean {
      const state = stateOf(home);
      return state !== undefined && rests(state) && !states.every(rests);
    },
  };
}
