/** Which days a rule takes. */
import type { CivilDate } from "./civil";
import { civilDate, dayNumber, daysInMonth, daysInYear, weekdayOf, weekNumber } from "./civil";
import type { Rule } from "./rule";

/** A rule in which the start has filled in what the rule leaves open. */
export type DayRule = Pick<
  Rule,
  "frequency" | "months" | "weekNumbers" | "yearDays" | "monthDays" | "weekdays" | "weekStart"
>;

/** A yearly rule without days occurs on the start's day of its month, a weekly one on its weekday, and so on. */
export function withDaysOf(rule: Rule, startDay: number): DayRule {
  const { frequency, weekNumbers, yearDays, monthDays, weekdays } = rule;
  if (yearDays || monthDays || weekdays) return rule;
  if (weekNumbers || frequency === "WEEKLY")
    return { ...rule, weekdays: [{ ordinal: 0, weekday: weekdayOf(startDay) }] };
  const { month, day } = civilDate(startDay);
  if (frequency === "MONTHLY") return { ...rule, monthDays: [day] };
  if (frequency === "YEARLY") return { ...rule, months: rule.months ?? [month], monthDays: [day] };
  return rule;
}

/** Whether a value, or the same one counted from the end, is in the list. */
const isListed = (list: readonly number[] | undefined, value: number, length: number): boolean =>
  !list || list.includes(value) || list.includes(value - length - 1);

function hasWeekday(rule: DayRule, day: number, { year, month, day: monthDay }: CivilDate) {
  if (!rule.weekdays) return true;
  const weekday = weekdayOf(day);
  // An ordinal counts in the month, or in the year of a yearly rule that has no months.
  const inYear = rule.frequency === "YEARLY" && !rule.months;
  return rule.weekdays.some((wanted) => {
    if (wanted.weekday !== weekday) return false;
    if (wanted.ordinal === 0) return true;
    const before = inYear ? day - dayNumber(year, 1, 1) : monthDay - 1;
    const after = (inYear ? daysInYear(year) : daysInMonth(year, month)) - 1 - before;
    return wanted.ordinal > 0
      ? Math.floor(before / 7) + 1 === wanted.ordinal
      : Math.floor(after / 7) + 1 === -wanted.ordinal;
  });
}

/** Each part of a rule that a day has to fulfil; the frequency says among which days. */
export function hasDay(rule: DayRule, day: number, date: CivilDate = civilDate(day)): boolean {
  const { year, month } = date;
  if (rule.months && !rule.months.includes(month)) return false;
  if (rule.monthDays && !isListed(rule.monthDays, date.day, daysInMonth(year, month))) return false;
  if (!hasWeekday(rule, day, date)) return false;
  if (rule.yearDays) {
    const first = dayNumber(year, 1, 1);
    if (!isListed(rule.yearDays, day - first + 1, daysInYear(year))) return false;
  }
  if (!rule.weekNumbers) return true;
  const { number, weeks } = weekNumber(day, rule.weekStart);
  return isListed(rule.weekNumbers, number, weeks);
}
