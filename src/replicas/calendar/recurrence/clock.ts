/** Between wall clocks, as seconds without a zone, and instants, as milliseconds. */
import { civilDate, SECONDS_OF_DAY } from "./civil";

type Instant = {
  readonly ms: number;
  /** The clocks skip the time: the instant is as much later as they skip. */
  readonly isMoved: boolean;
};

/** Of a time that occurs twice, the first. */
export function instantOf(wall: number, zone: string): Instant {
  const day = Math.floor(wall / SECONDS_OF_DAY);
  const { year, month, day: monthDay } = civilDate(day);
  const second = wall - day * SECONDS_OF_DAY;
  const time = new Temporal.PlainDateTime(
    ...([year, month, monthDay] as const),
    ...([Math.floor(second / 3_600), Math.floor(second / 60) % 60, second % 60] as const),
  ).toZonedDateTime(zone); // "compatible"
  const ms = time.epochMilliseconds;
  return { ms, isMoved: ms + time.offsetNanoseconds / 1e6 !== wall * 1_000 };
}

/** The wall clock of an instant. */
export function wallOf(ms: number, zone: string): number {
  const time = Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(zone);
  return Math.floor((ms + time.offsetNanoseconds / 1e6) / 1_000);
}

const DAY_MS = SECONDS_OF_DAY * 1_000;

/**
 * The wall clocks whose instants can lie between two instants. Near a change of the offset these are more than the two
 * instants' own: a gap moves by its length, and the first of a repeated hour is before the second. No gap is longer than a day.
 */
export function wallsBetween(fromMs: number, toMs: number, zone: string): [number, number] {
  const around = (ms: number) => [wallOf(ms, zone), wallOf(ms - DAY_MS, zone) + SECONDS_OF_DAY];
  return [
    Number.isFinite(fromMs) ? Math.min(...around(fromMs)) : fromMs,
    Number.isFinite(toMs) ? Math.max(...around(toMs)) : toMs,
  ];
}

export function isZone(zone: string): boolean {
  try {
    wallOf(0, zone);
    return true;
  } catch {
    return false;
  }
}

/** The wall clock in a text: `2026-03-09T09:00:00`, or the midnight of `2026-03-09`. */
export const wallIn = (text: string): number =>
  Math.floor(Date.parse(text.length === 10 ? text : `${text.slice(0, 19)}Z`) / 1_000);

/** `2026-03-09T09:00:00` */
export const wallText = (wall: number): string => new Date(wall * 1_000).toISOString().slice(0, 19);
