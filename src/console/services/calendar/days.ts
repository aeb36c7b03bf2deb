/** Days and wall clocks as texts, `2026-01-06` and `2026-01-06T15:00`, whose order is that of time. */

const utc = (day: string) => Date.parse(`${day}T00:00:00Z`);
const DAY_MS = 86_400_000;

export const addDays = (day: string, count: number): string =>
  new Date(utc(day) + count * DAY_MS).toISOString().slice(0, 10);

/** Whether a text is a day that exists. */
export const isDay = (text: string) =>
  /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(utc(text)) && addDays(text, 0) === text;

/** The Monday of a day's week. */
export const weekOf = (day: string): string =>
  addDays(day, -((new Date(utc(day)).getUTCDay() + 6) % 7));

/** The wall clock of a moment in a zone. */
export function wallOf(ms: number, zone: string): string {
  const options = { dateStyle: "short", timeStyle: "short", timeZone: zone } as const;
  // The Swedish form is the ISO one.
  return new Intl.DateTimeFormat("sv-SE", options).format(ms).replace(" ", "T");
}

const format = (options: Intl.DateTimeFormatOptions) => {
  const formatter = new Intl.DateTimeFormat("en-GB", { ...options, timeZone: "UTC" });
  return (day: string) => formatter.format(utc(day));
};
export const shortDay = format({ weekday: "short", day: "numeric" });
export const longDay = format({ dateStyle: "full" });

/** Minutes from the midnight at which a day begins, within the day. */
export function minutesOn(day: string, wall: string): number {
  if (wall.slice(0, 10) !== day) return wall < day ? 0 : 24 * 60;
  return Number(wall.slice(11, 13)) * 60 + Number(wall.slice(14, 16));
}

export const timeOf = (wall: string) => wall.slice(11, 16);

type Span = { readonly from: number; readonly to: number };
type Laid<Item> = {
  readonly item: Item;
  readonly lane: number;
  readonly lanes: number;
};

/** Spans beside each other where they overlap: each with its lane, and the number of lanes of its group. `spans` by begin. */
export function lanesOf<Item extends Span>(spans: readonly Item[]): Laid<Item>[] {
  const laid: Laid<Item>[] = [];
  let group: { item: Item; lane: number }[] = [];
  let ends: number[] = [];
  const close = () => {
    laid.push(...group.map((each) => ({ ...each, lanes: ends.length })));
    group = [];
    ends = [];
  };
  for (const item of spans) {
    if (ends.every((end) => end <= item.from)) close();
    const free = ends.findIndex((end) => end <= item.from);
    const lane = free < 0 ? ends.length : free;
    ends[lane] = item.to;
    group.push({ item, lane });
  }
  close();
  return laid;
}
