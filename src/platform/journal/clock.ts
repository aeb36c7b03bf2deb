/** Comparisons of the clocks that count. */
const CLOCKS_MAX = 50;

/**
 * Translates times of `performance.now()` to those of the database's clock, which all servers share. Each comparison
 * limits the difference from both sides; together they limit it to a fraction of a round trip.
 */
export function createClock() {
  let compared: { least: number; most: number }[] = [];
  let offset = Date.now() - performance.now();
  return {
    /** The database's clock showed `now` between `sent` and `received`. */
    compare(sent: number, received: number, now: number): void {
      const newest = { least: now - received, most: now - sent };
      compared = [...compared.slice(1 - CLOCKS_MAX), newest];
      const least = Math.max(...compared.map((each) => each.least));
      const most = Math.min(...compared.map((each) => each.most));
      // One of the clocks was set: only the newest comparison still holds.
      if (least > most) compared = [newest];
      offset = least > most ? (newest.least + newest.most) / 2 : (least + most) / 2;
    },
    at: (time: number) => time + offset,
  };
}
