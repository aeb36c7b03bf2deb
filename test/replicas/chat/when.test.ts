/** Times in English, from a Tuesday at noon in Berlin, and the next times of what recurs. */
import { describe, expect, test } from "bun:test";
import { nextTime, parseWhen, type Recurrence } from "~/replicas/chat/when";

const TZ = "Europe/Berlin";
const seconds = (moment: string) => Date.parse(moment) / 1000;
const NOW = seconds("2026-01-13T12:00:00+01:00");

describe("a time", () => {
  test.each([
    ["in 90 minutes", "2026-01-13T13:30:00+01:00"],
    ["in 1 hour and 5 minutes", "2026-01-13T13:05:00+01:00"],
    ["in half an hour", "2026-01-13T12:30:00+01:00"],
    ["in 45 seconds", "2026-01-13T12:00:45+01:00"],
    ["in 1 second", "2026-01-13T12:00:01+01:00"],
    ["in 5 min", "2026-01-13T12:05:00+01:00"],
    ["in 3 hours", "2026-01-13T15:00:00+01:00"],
    ["in 2 days", "2026-01-15T12:00:00+01:00"],
    ["2 weeks from now", "2026-01-27T12:00:00+01:00"],
    ["at 5pm", "2026-01-13T17:00:00+01:00"],
    ["at 11:59", "2026-01-14T11:59:00+01:00"],
    ["at 12am", "2026-01-14T00:00:00+01:00"],
    ["at 12pm", "2026-01-14T12:00:00+01:00"],
    ["at 23:59", "2026-01-13T23:59:00+01:00"],
    ["tomorrow", "2026-01-14T09:00:00+01:00"],
    ...[
      ...[
        ["midnight", "00:00"],
        ["morning", "09:00"],
        ["afternoon", "15:00"],
        ["evening", "18:00"],
      ],
    ].map(([name, clock]): [string, string] => [
      `tomorrow at ${name}`,
      `2026-01-14T${clock}:00+01:00`,
    ]),
    ["tomorrow at noon", "2026-01-14T12:00:00+01:00"],
    ["tuesday", "2026-01-20T09:00:00+01:00"],
    ["tuesday at 3pm", "2026-01-13T15:00:00+01:00"],
    ["next tuesday at 3pm", "2026-01-20T15:00:00+01:00"],
    ["next week", "2026-01-19T09:00:00+01:00"],
    ["next month", "2026-02-01T09:00:00+01:00"],
    ["on July 4th", "2026-07-04T09:00:00+02:00"],
    ["January 13", "2027-01-13T09:00:00+01:00"],
    ["2026-03-29 at 3:30", "2026-03-29T03:30:00+02:00"],
  ])("%s", (text, moment) => {
    expect(parseWhen(text, TZ, NOW)).toEqual({ time: seconds(moment) });
  });

  test.each([
    ...["", "soon", "in 0 minutes", "in half a day", "at 24:00", "at 25:00", "at 10:60", "at 13pm"],
    ...["at 0am", "today", "2026-01-13", "2026-02-30", "February 30", "2025-12-31"],
  ])("is not %j", (text) => {
    expect(parseWhen(text, TZ, NOW)).toBeUndefined();
  });
});

describe("what recurs", () => {
  test.each<[string, string, Recurrence]>([
    ["every day at 8am", "2026-01-14T08:00:00+01:00", { frequency: "daily" }],
    ["every day at 1pm", "2026-01-13T13:00:00+01:00", { frequency: "daily" }],
    [
      "every weekday",
      "2026-01-14T09:00:00+01:00",
      { frequency: "weekly", weekdays: ["monday", "tuesday", "wednesday", "thursday", "friday"] },
    ],
    [
      "every monday and thursday at 10:15",
      "2026-01-15T10:15:00+01:00",
      { frequency: "weekly", weekdays: ["monday", "thursday"] },
    ],
    [
      "every week at 1pm",
      "2026-01-13T13:00:00+01:00",
      { frequency: "weekly", weekdays: ["tuesday"] },
    ],
    ["every 31st", "2026-01-31T09:00:00+01:00", { frequency: "monthly" }],
    ["every month", "2026-02-13T09:00:00+01:00", { frequency: "monthly" }],
    ["every December 24", "2026-12-24T09:00:00+01:00", { frequency: "yearly" }],
  ])("%s", (text, moment, recurrence) => {
    expect(parseWhen(text, TZ, NOW)).toEqual({ time: seconds(moment), recurrence });
  });

  test.each<[string, Recurrence, string, string]>([
    [
      "the next day",
      { frequency: "daily" },
      "2026-01-13T09:00:00+01:00",
      "2026-01-14T09:00:00+01:00",
    ],
    [
      "the same time of day in summer",
      { frequency: "daily" },
      "2026-03-28T09:00:00+01:00",
      "2026-03-29T09:00:00+02:00",
    ],
    [
      "its weekday",
      { frequency: "weekly" },
      "2026-01-13T09:00:00+01:00",
      "2026-01-20T09:00:00+01:00",
    ],
    [
      "the next of its weekdays",
      { frequency: "weekly", weekdays: ["monday", "friday"] },
      "2026-01-12T09:00:00+01:00",
      "2026-01-16T09:00:00+01:00",
    ],
    [
      "its day of the month",
      { frequency: "monthly" },
      "2026-01-13T09:00:00+01:00",
      "2026-02-13T09:00:00+01:00",
    ],
    [
      "the next month that has its day",
      { frequency: "monthly" },
      "2026-01-31T09:00:00+01:00",
      "2026-03-31T09:00:00+02:00",
    ],
    ["its date", { frequency: "yearly" }, "2026-01-13T09:00:00+01:00", "2027-01-13T09:00:00+01:00"],
    [
      "its date in a leap year",
      { frequency: "yearly" },
      "2028-02-29T09:00:00+01:00",
      "2032-02-29T09:00:00+01:00",
    ],
  ])("comes again on %s", (_case, recurrence, time, next) => {
    expect(nextTime(recurrence, TZ, seconds(time))).toBe(seconds(next));
  });
});

test("February 29 is found over a year that has none", () => {
  const [before, next] = ["2096-02-29T09:00:00+01:00", "2104-02-29T09:00:00+01:00"].map(seconds);
  expect(parseWhen("every february 29", TZ, before ?? 0)?.time).toBe(next);
  expect(nextTime({ frequency: "yearly" }, TZ, before ?? 0)).toBe(next ?? 0);
});
