/**
 * Loaded before a server: SIGUSR1 keeps its loop busy for two seconds, SIGUSR2 is a rejection that nobody waits for.
 * What a bug in the program would do, which has no switch for it.
 */
const BUSY_MS = 2_000;

process.on("SIGUSR1", () => {
  const end = performance.now() + BUSY_MS;
  while (performance.now() < end);
});
process.on("SIGUSR2", () => {
  // biome-ignore lint/nursery/noFloatingPromises: it is what is to be survived
  Promise.reject(new Error("a floating rejection"));
});
