/** Texts of moments. */
import { expect, test } from "bun:test";
import fc from "fast-check";
import { wallClock } from "~/replicas/calendar/times";

const ZONES = [
  ...["UTC", "Europe/Berlin", "America/New_York", "America/St_Johns", "Asia/Kathmandu"],
  ...["Australia/Lord_Howe", "Pacific/Apia", "Africa/Casablanca"],
];
/** Of 1900 to 2200: older offsets have seconds. */
const [FIRST_MS, LAST_MS] = [Date.UTC(1900, 0), Date.UTC(2200, 0)];

test("a wall clock is that of Temporal", () => {
  const moment = fc.integer({ min: FIRST_MS, max: LAST_MS });
  fc.assert(
    fc.property(moment, fc.constantFrom(...ZONES), (at, zone) => {
      const text = Temporal.Instant.fromEpochMilliseconds(at)
        .toZonedDateTimeISO(zone)
        .toString({ timeZoneName: "never", smallestUnit: "second" });

      expect(wallClock(at, zone)).toBe(text.replace(/\+00:00$/, "Z"));
    }),
    { numRuns: 5_000 },
  );
});
