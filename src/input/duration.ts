/** ISO 8601 durations, and moments that are given as durations. */

const FORM =
  /^(-)?P(?=.)(?:(\d+)Y)?(?:(\d+)M)?(?:(\d+)W)?(?:(\d+)D)?(?:T(?=.)(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?)?$/;

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** Length of a month without a calendar: a twelfth of a year of 365.25 days. */
const MONTH = 30.4375 * DAY;

export class Duration {
  readonly text: string;
  readonly months: number;
  readonly milliseconds: number;

  constructor(text: string, months: number, milliseconds: number) {
    this.text = text;
    this.months = months;
    this.milliseconds = milliseconds;
  }

  /**
   * The moment this long after `start`. Months and years follow the calendar; a day that the month does not have
   * becomes its last day.
   */
  after(start: Date): Date {
    const moved = new Date(start);
    moved.setUTCDate(1);
    moved.setUTCMonth(moved.getUTCMonth() + this.months);
    const lastDay = new Date(Date.UTC(moved.getUTCFullYear(), moved.getUTCMonth() + 1, 0));
    moved.setUTCDate(Math.min(start.getUTCDate(), lastDay.getUTCDate()));
    return new Date(moved.getTime() + this.milliseconds);
  }

  /** In milliseconds. */
  get seconds(): number {
    return (this.months * MONTH + this.milliseconds) / SECOND;
  }

  /** As it was given, so that a stored duration can be read again. */
  toJSON(): string {
    return this.text;
  }
}

/** Undefined when the text is not a duration. */
export function parseDuration(text: string): Duration | undefined {
  const found = FORM.exec(text);
  if (!found) return undefined;
  const sign = found[1] ? -1 : 1;
  const [years, months, weeks, days, hours, minutes, seconds] = found
    .slice(2)
    .map((part) => Number(part ?? 0)) as [number, number, number, number, number, number, number];
  const milliseconds =
    (weeks * 7 + days) * DAY + hours * HOUR + minutes * MINUTE + seconds * SECOND;
  return new Duration(text, sign * (years * 12 + months), sign * milliseconds);
}

/** The moment that a `DateTimeOrDuration` stands for. */
export const momentAt = (value: Date | Duration, now: Date) =>
  value instanceof Duration ? value.after(now) : value;

/** The day that a `TimelessDateOrDuration` stands for. */
export const dayAt = (value: string | Duration, now: Date) =>
  value instanceof Duration ? dayOf(value.after(now)) : value;

/** `2026-03-31` of a moment, in UTC. */
export const dayOf = (moment: Date) => moment.toISOString().slice(0, 10);
