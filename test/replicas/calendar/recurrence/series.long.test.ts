/** Processor time of series, also of those that are made to take long. */
import { describe, expect, test } from "bun:test";
import {
  endOfSeries,
  occurrences,
  type Series,
  seriesOf,
} from "~/replicas/calendar/recurrence/series";

const HOUR = 3_600_000;
const NOW = Date.parse("2026-01-05T12:00:00Z");
const NEW_YORK = "America/New_York";

function series(start: string, zone: string, line: string): Series {
  const read = seriesOf({ recurrence: [line], start, zone, durationMs: HOUR });
  if (!read) throw new Error(`a line is not valid: ${line}`);
  return read;
}

const first = (of: Series, count: number) => [...occurrences(of, { nowMs: NOW }).take(count)];

describe("time", () => {
  const milliseconds = (work: () => unknown) => {
    work();
    const before = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1_000;
  };

  test("a week of 200 series takes little", () => {
    const rules = [
      ...[
        "FREQ=WEEKLY;BYDAY=MO,WE",
        "FREQ=DAILY",
        "FREQ=WEEKLY;COUNT=500",
        "FREQ=MONTHLY;BYDAY=2TU",
      ],
      ...["FREQ=WEEKLY;INTERVAL=2;BYDAY=TU,TH", "FREQ=MONTHLY;BYMONTHDAY=-1", "FREQ=YEARLY"],
      ...["FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1", "FREQ=DAILY;UNTIL=20300101T000000Z"],
    ];
    const week = {
      fromMs: Date.parse("2026-03-08T00:00:00Z"),
      toMs: Date.parse("2026-03-15T00:00:00Z"),
    };
    const list = () => {
      let count = 0;
      for (let index = 0; index < 200; index++) {
        const of = series("2019-04-05T09:30:00", NEW_YORK, `RRULE:${rules[index % rules.length]}`);
        count += [...occurrences(of, { ...week, nowMs: NOW })].length;
      }
      return count;
    };

    expect(list()).toBeGreaterThan(300);
    expect(milliseconds(list)).toBeLessThan(40);
  });

  test.each([
    ["never occurs", "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30"],
    ["never occurs by its positions", "FREQ=DAILY;BYHOUR=9;BYSETPOS=2"],
    ["never occurs by its interval", "FREQ=MONTHLY;INTERVAL=12;BYMONTH=2"],
    ["never occurs in any second", "FREQ=SECONDLY;INTERVAL=60;BYSECOND=30"],
    ["occurs in each second", "FREQ=SECONDLY"],
    [
      "has each second of a year as a position",
      `FREQ=YEARLY;BYDAY=MO,TU;BYHOUR=${[...Array(24).keys()]};BYMINUTE=${[...Array(60).keys()]};BYSECOND=${[...Array(60).keys()]};BYSETPOS=-1`,
    ],
    ["counts as far as it may", "FREQ=YEARLY;COUNT=99999"],
    ["counts days as far as it may", "FREQ=DAILY;COUNT=99999"],
  ])("a rule is bounded that %s", (_case, rule) => {
    const of = series("2026-01-05T09:00:00", NEW_YORK, `RRULE:${rule}`);
    const week = {
      fromMs: Date.parse("2030-03-08T00:00:00Z"),
      toMs: Date.parse("2030-03-15T00:00:00Z"),
    };

    expect(milliseconds(() => first(of, 1_000))).toBeLessThan(250);
    expect(
      milliseconds(() => [...occurrences(of, { ...week, nowMs: NOW }).take(2_500)]),
    ).toBeLessThan(250);
    expect(milliseconds(() => endOfSeries(of))).toBeLessThan(500);
  });
});
