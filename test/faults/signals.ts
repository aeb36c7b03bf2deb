/**
 * Loaded before a server: SIGUSR1 blocks its event loop for two seconds, SIGUSR2 is an unhandled rejection.
 * Simulates bugs of the program, which has no switch for them.
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
