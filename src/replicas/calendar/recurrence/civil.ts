/** Days of the Gregorian calendar as numbers: day 0 is 1970-01-01, a Thursday. */

export const SECONDS_OF_DAY = 86_400;

export type CivilDate = { readonly year: number; readonly month: number; readonly day: number };

/** From Howard Hinnant's "chrono-compatible low-level date algorithms": years begin in March, so that a leap day is last. */
export function dayNumber(year: number, month: number, day: number): number {
  const shifted = month <= 2 ? year - 1 : year;
  const era = Math.floor(shifted / 400);
  const yearOfEra = shifted - era * 400;
  const dayOfYear = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + day - 1;
  const dayOfEra =
    yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
  return era * 146_097 + dayOfEra - 719_468;
}

/** The inverse of `dayNumber`. */
export function civilDate(number: number): CivilDate {
  const shifted = number + 719_468;
  const era = Math.floor(shifted / 146_097);
  const dayOfEra = shifted - era * 146_097;
  const yearOfEra = Math.floor(
    (dayOfEra -
      Math.floor(dayOfEra / 1_460) +
      Math.floor(dayOfEra / 36_524) -
      Math.floor(dayOfEra / 146_096)) /
      365,
  );
  const dayOfYear =
    dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const shiftedMonth = Math.floor((5 * dayOfYear + 2) / 153);
  const month = shiftedMonth + (shiftedMonth < 10 ? 3 : -9);
  return {
    year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0),
    month,
    day: dayOfYear - Math.floor((153 * shiftedMonth + 2) / 5) + 1,
  };
}

export const daysInMonth = (year: number, month: number): number =>
  month === 12 ? 31 : dayNumber(year, month + 1, 1) - dayNumber(year, month, 1);

export const daysInYear = (year: number): number =>
  dayNumber(year + 1, 1, 1) - dayNumber(year, 1, 1);

const modulo = (value: number, divisor: number): number => ((value % divisor) + divisor) % divisor;

/** 0 is Monday. */
export const weekdayOf = (day: number): number => modulo(day + 3, 7);

/** The first day of the week that contains a day, when weeks begin with this weekday. */
export const weekStartOf = (day: number, weekStart: number): number =>
  day - modulo(weekdayOf(day) - weekStart, 7);

/** The number of a day's week as in ISO 8601, and how many weeks its year has: week 1 is the first with four days. */
export function weekNumber(day: number, weekStart: number): { number: number; weeks: number } {
  const monday = weekStartOf(day, weekStart);
  const { year } = civilDate(monday + 3);
  const first = weekStartOf(dayNumber(year, 1, 4), weekStart);
  const next = weekStartOf(dayNumber(year + 1, 1, 4), weekStart);
  return { number: (monday - first) / 7 + 1, weeks: (next - first) / 7 };
}
