/**
 * Loaded before a server: its clocks can be set. CLOCK_SECONDS is how far its wall clock is ahead; SIGUSR1 lets eleven
 * minutes pass on the clock for intervals; SIGUSR2 sets the wall clock back by an hour.
 */
const MINUTES_11 = 660_000;
const HOUR = 3_600_000;

let ahead = Number(process.env["CLOCK_SECONDS"] ?? 0) * 1_000;
let passed = 0;
const { now } = Date;
const interval = performance.now.bind(performance);
performance.now = () => interval() + passed;
Date.now = () => now() + ahead;
globalThis.Date = new Proxy(Date, {
  construct: (target, args) => Reflect.construct(target, args.length > 0 ? args : [Date.now()]),
});

process.on("SIGUSR1", () => {
  passed += MINUTES_11;
});
process.on("SIGUSR2", () => {
  ahead -= HOUR;
});
