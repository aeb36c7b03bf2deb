/** Time zones as the service describes them: name, label, offset from UTC in seconds at this moment. */
type Zone = { readonly tz: string; readonly label: string; readonly offset: number };

const KEPT_MS = 600_000;
const zones = new Map<string, { zone: Zone; until: number }>();

export function zone(tz: string): Zone {
  const known = zones.get(tz);
  if (known && known.until > Date.now()) return known.zone;
  const described = { tz, label: part(tz, "long"), offset: offsetSeconds(part(tz, "longOffset")) };
  zones.set(tz, { zone: described, until: Date.now() + KEPT_MS });
  return described;
}

function part(timeZone: string, timeZoneName: "long" | "longOffset"): string {
  const format = new Intl.DateTimeFormat("en-US", { timeZone, timeZoneName });
  return format.formatToParts().find(({ type }) => type === "timeZoneName")?.value ?? "";
}

/** Of `GMT-08:00`, or `GMT` alone. */
function offsetSeconds(text: string): number {
  const [, sign, hours = "0", minutes = "0"] = /GMT([+-])(\d\d):(\d\d)/.exec(text) ?? [];
  return (sign === "-" ? -1 : 1) * (Number(hours) * 3600 + Number(minutes) * 60);
}
