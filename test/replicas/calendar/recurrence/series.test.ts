import { describe, expect, test } from "bun:test";
import {
  endOfSeries,
  occurrenceAt,
  occurrences,
  type Series,
  seriesOf,
} from "~/replicas/calendar/recurrence/series";
import { RFC_EXAMPLES } from "./rfc-examples";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const NOW = Date.parse("2026-01-05T12:00:00Z");

function series(
  start: string,
  zone: string,
  recurrence: string | readonly string[],
  durationMs = HOUR,
): Series {
  const read = seriesOf({ recurrence: [recurrence].flat(), start, zone, durationMs });
  if (!read) throw new Error(`a line is not valid: ${recurrence}`);
  return read;
}

const first = (of: Series, count: number) =>
  [...occurrences(of, { nowMs: NOW }).take(count)].map(({ start }) => start);

const instants = (of: Series, count: number) =>
  [...occurrences(of, { nowMs: NOW }).take(count)].map(({ startMs }) =>
    new Date(startMs).toISOString().replace(".000", ""),
  );

const startsIn = (of: Series, from: string, to: string) =>
  [...occurrences(of, { fromMs: Date.parse(from), toMs: Date.parse(to), nowMs: NOW })].map(
    ({ start }) => start,
  );

const NEW_YORK = "America/New_York";
const BERLIN = "Europe/Berlin";

describe("the examples of RFC 5545", () => {
  test.each(RFC_EXAMPLES)("$rule from $start", ({ rule, start, first: listed, isComplete }) => {
    const found = first(series(start, NEW_YORK, `RRULE:${rule}`), listed.length + 1);

    const wanted = listed.map((day) => (day.length === 10 ? `${day}${start.slice(10)}` : day));
    expect(found.slice(0, listed.length)).toEqual(wanted);
    if (isComplete) expect(found).toHaveLength(listed.length);
  });
});

describe("a change of the clocks", () => {
  test.each([
    [NEW_YORK, "2026-03-07T02:30:00", ["03-07T07:30", "03-08T07:30", "03-09T06:30"]],
    [BERLIN, "2026-03-28T02:30:00", ["03-28T01:30", "03-29T01:30", "03-30T00:30"]],
    ["Australia/Lord_Howe", "2026-10-03T02:15:00", ["10-02T15:45", "10-03T15:45", "10-04T15:15"]],
  ])("in %s moves an hour that is skipped forward: from %s", (zone, start, wanted) => {
    const found = instants(series(start, zone, "RRULE:FREQ=DAILY"), 3);

    expect(found).toEqual(wanted.map((time) => `2026-${time}:00Z`));
  });

  test("shows the time that an occurrence has in fact", () => {
    const found = first(series("2026-03-07T02:30:00", NEW_YORK, "RRULE:FREQ=DAILY"), 3);

    expect(found).toEqual(["2026-03-07T02:30:00", "2026-03-08T03:30:00", "2026-03-09T02:30:00"]);
  });

  test.each([
    [NEW_YORK, "2026-10-31T01:30:00", ["10-31T05:30", "11-01T05:30", "11-02T06:30"]],
    [BERLIN, "2026-10-24T02:30:00", ["10-24T00:30", "10-25T00:30", "10-26T01:30"]],
  ])("in %s takes the first of an hour that is repeated: from %s", (zone, start, wanted) => {
    const found = instants(series(start, zone, "RRULE:FREQ=DAILY"), 3);

    expect(found).toEqual(wanted.map((time) => `2026-${time}:00Z`));
  });

  test("leaves the start where its offset puts it", () => {
    const found = instants(series("2026-11-01T01:30:00-05:00", NEW_YORK, "RRULE:FREQ=DAILY"), 2);

    expect(found).toEqual(["2026-11-01T06:30:00Z", "2026-11-02T06:30:00Z"]);
  });

  test("keeps the order of occurrences and joins those that fall together", () => {
    const rule = "RRULE:FREQ=DAILY;BYHOUR=2,3;BYMINUTE=15,45";
    const found = startsIn(
      series("2026-03-08T01:00:00", NEW_YORK, rule),
      "2026-03-08T07:00:00Z",
      "2026-03-08T12:00:00Z",
    );

    expect(found).toEqual(["2026-03-08T03:15:00", "2026-03-08T03:45:00"]);

    const half = series("2026-03-08T02:30:00", NEW_YORK, "RRULE:FREQ=MINUTELY;INTERVAL=45;COUNT=3");
    expect(instants(half, 3)).toEqual([
      "2026-03-08T07:15:00Z",
      "2026-03-08T07:30:00Z",
      "2026-03-08T08:00:00Z",
    ]);
  });

  test("gives an all-day event its day, and a longer or shorter one its end", () => {
    const days = series("2026-03-28", BERLIN, "RRULE:FREQ=DAILY;COUNT=3", DAY);

    const found = [...occurrences(days, { nowMs: NOW })];
    expect(found.map(({ start }) => start)).toEqual(["2026-03-28", "2026-03-29", "2026-03-30"]);
    expect(found.map(({ startMs, endMs }) => (endMs - startMs) / HOUR)).toEqual([24, 23, 24]);
  });
});

describe("the lines of a recurrence", () => {
  const weekly = "RRULE:FREQ=WEEKLY;COUNT=4";
  const start = "2026-01-05T09:00:00";

  test.each([
    ["EXDATE in UTC", [weekly, "EXDATE:20260112T080000Z"]],
    ["EXDATE in the zone of the series", [weekly, "EXDATE:20260112T090000"]],
    ["EXDATE in another zone", [weekly, `EXDATE;TZID=${NEW_YORK}:20260112T030000`]],
    [
      "EXRULE",
      [weekly, "EXRULE:FREQ=WEEKLY;INTERVAL=3;BYMONTHDAY=12".replace("WEEKLY;INTERVAL=3", "DAILY")],
    ],
  ])("take an occurrence away: %s", (_case, lines) => {
    expect(first(series(start, BERLIN, lines), 9)).toEqual([
      "2026-01-05T09:00:00",
      "2026-01-19T09:00:00",
      "2026-01-26T09:00:00",
    ]);
  });

  test("do not take occurrences with times away by a date", () => {
    const lines = [weekly, "EXDATE;VALUE=DATE:20260112"];

    expect(first(series(start, BERLIN, lines), 9)).toHaveLength(4);
  });

  test("of an all-day event take a day away", () => {
    const lines = ["RRULE:FREQ=DAILY;COUNT=3;BYHOUR=9", "EXDATE;VALUE=DATE:20260106"];

    expect(first(series("2026-01-05", BERLIN, lines, DAY), 9)).toEqual([
      "2026-01-05",
      "2026-01-07",
    ]);
  });

  test("add dates, also without a rule", () => {
    const lines = [
      `RDATE;TZID=${BERLIN}:20260107T100000,20260105T090000`,
      "RDATE:20260106T080000Z",
    ];

    expect(first(series(start, BERLIN, lines), 9)).toEqual([
      "2026-01-05T09:00:00",
      "2026-01-06T09:00:00",
      "2026-01-07T10:00:00",
    ]);
  });

  test("have the occurrences of each rule", () => {
    const lines = ["RRULE:FREQ=DAILY;COUNT=2", "RRULE:FREQ=WEEKLY;COUNT=2"];

    expect(first(series(start, BERLIN, lines), 9)).toEqual([
      "2026-01-05T09:00:00",
      "2026-01-06T09:00:00",
      "2026-01-12T09:00:00",
    ]);
  });

  test("count a start that does not match as the first occurrence", () => {
    const found = first(series(start, BERLIN, "RRULE:FREQ=WEEKLY;COUNT=3;BYDAY=TH"), 9);

    expect(found).toEqual(["2026-01-05T09:00:00", "2026-01-08T09:00:00", "2026-01-15T09:00:00"]);
  });

  test.each([
    ["a date, to the end of that day in the zone", "20260107", 3],
    ["an instant that is the last start", "20260107T080000Z", 3],
    ["an instant just before it", "20260107T075959Z", 2],
    ["an instant before the start, which remains", "20250101T000000Z", 1],
  ])("end with UNTIL: %s", (_case, until, count) => {
    expect(first(series(start, BERLIN, `RRULE:FREQ=DAILY;UNTIL=${until}`), 9)).toHaveLength(count);
  });

  test("end an all-day event with the date of UNTIL, also of an instant", () => {
    for (const until of ["20260107", "20260107T070000Z"])
      expect(first(series("2026-01-05", NEW_YORK, `RRULE:FREQ=DAILY;UNTIL=${until}`), 9)).toEqual([
        "2026-01-05",
        "2026-01-06",
        "2026-01-07",
      ]);
  });

  test.each([
    ["an unknown line", "EXTRA:1"],
    ["no line name", "FREQ=DAILY"],
    ["a start", "DTSTART:20260105T090000Z"],
    ["no frequency", "RRULE:COUNT=3"],
    ["an unknown frequency", "RRULE:FREQ=FORTNIGHTLY"],
    ["an unknown part", "RRULE:FREQ=DAILY;BYEASTER=1"],
    ["a part twice", "RRULE:FREQ=DAILY;COUNT=1;COUNT=2"],
    ["a part without a value", "RRULE:FREQ=DAILY;COUNT"],
    ["COUNT and UNTIL", "RRULE:FREQ=DAILY;COUNT=1;UNTIL=20260110"],
    ["COUNT 0", "RRULE:FREQ=DAILY;COUNT=0"],
    ["a COUNT that would take too long", "RRULE:FREQ=DAILY;COUNT=100000"],
    ["INTERVAL 0", "RRULE:FREQ=DAILY;INTERVAL=0"],
    ["month 13", "RRULE:FREQ=YEARLY;BYMONTH=13"],
    ["day 0 of the month", "RRULE:FREQ=MONTHLY;BYMONTHDAY=0"],
    ["day 32 of the month", "RRULE:FREQ=MONTHLY;BYMONTHDAY=32"],
    ["an unknown weekday", "RRULE:FREQ=WEEKLY;BYDAY=XX"],
    ["weekday 0", "RRULE:FREQ=MONTHLY;BYDAY=0MO"],
    ["an ordinal in a week", "RRULE:FREQ=WEEKLY;BYDAY=2MO"],
    ["days of the month in a week", "RRULE:FREQ=WEEKLY;BYMONTHDAY=1"],
    ["weeks in a month", "RRULE:FREQ=MONTHLY;BYWEEKNO=1"],
    ["days of the year in a month", "RRULE:FREQ=MONTHLY;BYYEARDAY=1"],
    ["an ordinal beside weeks", "RRULE:FREQ=YEARLY;BYWEEKNO=1;BYDAY=2MO"],
    ["positions of nothing", "RRULE:FREQ=DAILY;BYSETPOS=1"],
    ["UNTIL without Z", "RRULE:FREQ=DAILY;UNTIL=20260110T090000"],
    ["UNTIL on a day that does not exist", "RRULE:FREQ=DAILY;UNTIL=20260230"],
    ["UNTIL with hyphens", "RRULE:FREQ=DAILY;UNTIL=2026-01-10"],
    ["an unknown zone", "EXDATE;TZID=Mars/Base:20260105T090000"],
    ["an unknown parameter", "EXDATE;X=1:20260105T090000"],
    ["no date", "EXDATE:"],
    ["a date that does not exist", "EXDATE:20260230T090000Z"],
    ["a time that is said to be a date", "EXDATE;VALUE=DATE:20260105T090000"],
    ["a period", "RDATE;VALUE=PERIOD:20260105T090000Z/PT1H"],
    ["a date for an event with times", "RDATE;VALUE=DATE:20260106"],
    ["more than 2,000 characters", `RRULE:FREQ=DAILY;BYMONTHDAY=${"1,".repeat(1_000)}1`],
  ])("are rejected with %s", (_case, line) => {
    const source = { recurrence: [line], start, zone: BERLIN, durationMs: HOUR };

    expect(seriesOf(source)).toBeUndefined();
  });

  test("are rejected if they are too many, or occur within the days of an all-day event", () => {
    const zoned = { zone: BERLIN, durationMs: HOUR };
    const rules = (count: number) => Array.from({ length: count }, () => "RRULE:FREQ=DAILY");
    const dates = Array.from({ length: 2_001 }, () => "EXDATE:20260105T090000Z");

    expect(seriesOf({ recurrence: rules(10), start, ...zoned })).toBeDefined();
    expect(seriesOf({ recurrence: rules(11), start, ...zoned })).toBeUndefined();
    expect(seriesOf({ recurrence: dates, start, ...zoned })).toBeUndefined();
    expect(
      seriesOf({ recurrence: ["RRULE:FREQ=HOURLY"], start: "2026-01-05", ...zoned }),
    ).toBeUndefined();
  });

  test("may be in lower case, end with a semicolon, and repeat a weekday", () => {
    const found = first(series(start, BERLIN, "rrule:freq=weekly;byday=mo,mo;"), 2);

    expect(found).toEqual(["2026-01-05T09:00:00", "2026-01-12T09:00:00"]);
  });
});

describe("a window", () => {
  const daily = series("2026-01-05T09:00:00", "UTC", "RRULE:FREQ=DAILY");

  test("has those that end after its start and start before its end", () => {
    expect(startsIn(daily, "2026-02-01T10:00:00Z", "2026-02-03T09:00:00Z")).toEqual([
      "2026-02-02T09:00:00",
    ]);
    expect(startsIn(daily, "2026-02-01T09:59:59Z", "2026-02-03T09:00:01Z")).toEqual([
      "2026-02-01T09:00:00",
      "2026-02-02T09:00:00",
      "2026-02-03T09:00:00",
    ]);
  });

  test("has one that began long before it", () => {
    const long = series("2026-01-05T09:00:00", "UTC", "RRULE:FREQ=MONTHLY", 20 * DAY);

    expect(startsIn(long, "2026-03-20T00:00:00Z", "2026-03-21T00:00:00Z")).toEqual([
      "2026-03-05T09:00:00",
    ]);
  });

  test("ends two years after the clock or after 730, if neither it nor the series has an end", () => {
    const weekly = series("2026-01-05T09:00:00", "UTC", "RRULE:FREQ=WEEKLY");

    expect(startsIn(weekly, "2026-01-01T00:00:00Z", "2029-01-01T00:00:00Z").length).toBeGreaterThan(
      150,
    );
    expect(first(weekly, 1_000)).toHaveLength(105);
    expect(first(daily, 1_000)).toHaveLength(730);
    expect(first(series("2026-01-05", "UTC", "RRULE:FREQ=DAILY;COUNT=1000"), 2_000)).toHaveLength(
      1_000,
    );
  });

  test("agrees with the occurrences from the start, wherever it lies", () => {
    const rules = RFC_EXAMPLES.map(({ rule, start }) => series(start, NEW_YORK, `RRULE:${rule}`));
    for (const one of rules) {
      const toMs = Date.parse("1999-03-01T00:00:00Z");
      const all = [...occurrences(one, { toMs, nowMs: NOW })];
      for (let fromMs = Date.parse("1997-08-01T00:00:00Z"); fromMs < toMs; fromMs += 20 * DAY) {
        const window = { fromMs, toMs: Math.min(toMs, fromMs + 20 * DAY), nowMs: NOW };
        expect([...occurrences(one, window)]).toEqual(
          all.filter(({ startMs, endMs }) => endMs > fromMs && startMs < window.toMs),
        );
      }
    }
  });
});

describe("a single occurrence", () => {
  test("is found by its start, an instant or a day", () => {
    const weekly = series("2026-01-05T09:00:00", BERLIN, "RRULE:FREQ=WEEKLY");
    const days = series("2026-01-05", BERLIN, "RRULE:FREQ=WEEKLY", DAY);
    const startMs = Date.parse("2026-07-06T07:00:00Z");

    expect(occurrenceAt(weekly, startMs)).toEqual({
      ...{ start: "2026-07-06T09:00:00", startMs, endMs: startMs + HOUR },
    });
    expect(occurrenceAt(weekly, startMs + 1)).toBeUndefined();
    expect(occurrenceAt(weekly, "2026-07-06")).toBeUndefined();
    expect(occurrenceAt(days, "2026-07-06")?.start).toBe("2026-07-06");
    expect(occurrenceAt(days, "2026-07-07")).toBeUndefined();
    expect(occurrenceAt(days, startMs)).toBeUndefined();
  });
});

describe("the end of a series", () => {
  const start = "2026-01-05T09:00:00";
  test.each([
    ["never", ["RRULE:FREQ=DAILY"], null],
    ["COUNT", ["RRULE:FREQ=DAILY;COUNT=300"], "2026-10-31T09:00:00Z"],
    ["UNTIL", ["RRULE:FREQ=DAILY;UNTIL=20261030T100000Z"], "2026-10-30T09:00:00Z"],
    [
      "UNTIL long after the last",
      ["RRULE:FREQ=YEARLY;INTERVAL=9;UNTIL=20431030"],
      "2035-01-05T09:00:00Z",
    ],
    [
      "a last one that is excluded",
      ["RRULE:FREQ=DAILY;COUNT=3", "EXDATE:20260107T090000Z"],
      "2026-01-06T09:00:00Z",
    ],
    [
      "a date after the rule",
      ["RRULE:FREQ=DAILY;COUNT=3", "RDATE:20300101T090000Z"],
      "2030-01-01T09:00:00Z",
    ],
    ["all are excluded", ["RRULE:FREQ=DAILY;COUNT=1", "EXDATE:20260105T090000Z"], `${start}Z`],
    [
      "an endless rule beside one that ends",
      ["RRULE:FREQ=DAILY;COUNT=3", "RRULE:FREQ=DAILY"],
      null,
    ],
  ])("is that of the last occurrence: %s", (_case, lines, last) => {
    const end = endOfSeries(series(start, "UTC", lines));

    expect(end).toBe(last === null ? null : Date.parse(last) + HOUR);
  });

  test("of an all-day event is the midnight after its last day", () => {
    const days = series("2026-10-20", BERLIN, "RRULE:FREQ=DAILY;COUNT=6", DAY);

    expect(endOfSeries(days)).toBe(Date.parse("2026-10-25T23:00:00Z"));
  });
});
