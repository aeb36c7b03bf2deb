/** Time zones in iCalendar (RFC 5545, section 3.6.5). */
import { WEEKDAYS } from "~/replicas/calendar/recurrence/rule";
import { zoneNameAt } from "~/replicas/calendar/times";

const TRANSITIONS = 24;

type Zoned = Temporal.ZonedDateTime;

/** One change of the offset. `onset`: by the clock before it. */
type Change = {
  readonly onset: Temporal.PlainDateTime;
  readonly before: string;
  readonly after: string;
  readonly name: string;
  readonly kind: "STANDARD" | "DAYLIGHT";
};

const clock = (at: Temporal.PlainDateTime) => at.toString().slice(0, 19).replace(/[-:]/g, "");
const offset = (text: string) => text.replaceAll(":", "");

const nameOf = (at: Zoned) => zoneNameAt(at.epochMilliseconds, at.timeZoneId);

function changeAt(at: Zoned): Change {
  const last = at.subtract({ nanoseconds: 1 });
  const isForward = at.offsetNanoseconds > last.offsetNanoseconds;
  return {
    onset: last.toPlainDateTime().add({ nanoseconds: 1 }),
    ...{ before: offset(last.offset), after: offset(at.offset), name: nameOf(at) },
    kind: isForward ? "DAYLIGHT" : "STANDARD",
  };
}

/** From the second change before a moment on, so that its offset is known. */
function changesOf(at: Zoned): Change[] {
  const found: Change[] = [];
  const last = at.getTimeZoneTransition("previous");
  let next = last?.getTimeZoneTransition("previous") ?? last ?? at.getTimeZoneTransition("next");
  for (; next && found.length < TRANSITIONS; next = next.getTimeZoneTransition("next"))
    found.push(changeAt(next));
  return found;
}

/** `BYMONTH=3;BYDAY=-1SU` of yearly changes. Undefined if they follow no such rule. */
function ruleOf(changes: readonly Change[]): string | undefined {
  const rules = changes.map(({ onset: { day, month, dayOfWeek, daysInMonth } }) => ({
    month,
    weekday: WEEKDAYS[dayOfWeek - 1],
    ordinals: [...(day + 7 > daysInMonth ? [-1] : []), Math.ceil(day / 7)],
  }));
  const [first] = rules;
  const areYearly = changes.every(
    ({ onset }, index) =>
      onset.year === (changes[0]?.onset.year ?? 0) + index &&
      onset.toPlainTime().equals(changes[0]?.onset.toPlainTime() ?? ""),
  );
  const ordinal = first?.ordinals.find((each) =>
    rules.every(
      ({ month, weekday, ordinals }) =>
        month === first.month && weekday === first.weekday && ordinals.includes(each),
    ),
  );
  return areYearly && first && ordinal !== undefined
    ? `BYMONTH=${first.month};BYDAY=${ordinal}${first.weekday}`
    : undefined;
}

const part = (kind: Change["kind"], lines: readonly string[]) => [
  ...[`BEGIN:${kind}`, ...lines, `END:${kind}`],
];

/** Each kind of change by its rule, or with its dates. */
function partOf(changes: readonly Change[]): string[] {
  const [first, ...others] = changes;
  if (!first) return [];
  const rule = ruleOf(changes);
  return part(first.kind, [
    ...[`TZOFFSETFROM:${first.before}`, `TZOFFSETTO:${first.after}`, `TZNAME:${first.name}`],
    `DTSTART:${clock(first.onset)}`,
    ...(rule && others.length > 0 ? [`RRULE:FREQ=YEARLY;${rule}`] : []),
    ...(rule || others.length === 0
      ? []
      : [`RDATE:${others.map(({ onset }) => clock(onset)).join(",")}`]),
  ]);
}

/** The lines of a zone, from a moment on: with its rules as they are then. */
export function zoneLines(zone: string, from: Date): string[] {
  const at = Temporal.Instant.fromEpochMilliseconds(from.getTime()).toZonedDateTimeISO(zone);
  const groups = Map.groupBy(changesOf(at), ({ before, after }) => `${before} ${after}`);
  const own = offset(at.offset);
  const fixed = [`TZOFFSETFROM:${own}`, `TZOFFSETTO:${own}`, `TZNAME:${nameOf(at)}`];
  const isFixed = !at.getTimeZoneTransition("next");
  const parts = isFixed
    ? part("STANDARD", [...fixed, "DTSTART:19700101T000000"])
    : [...groups.values()].flatMap(partOf);
  return ["BEGIN:VTIMEZONE", `TZID:${zone}`, ...parts, "END:VTIMEZONE"];
}
