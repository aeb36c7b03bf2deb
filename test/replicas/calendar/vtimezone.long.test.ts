/** The time zones of invitations have the offsets that python-dateutil reads from them. */
import { expect, test } from "bun:test";
import { join } from "node:path";
import { zoneLines } from "~/replicas/calendar/events/vtimezone";
import { lacks, pythonPackages } from "../../support/packages";

const ZONES = [
  ...[
    "Europe/London",
    "Europe/Berlin",
    "America/New_York",
    "America/Los_Angeles",
    "America/Bogota",
  ],
  ...["Asia/Tokyo", "Asia/Kolkata", "Asia/Jerusalem", "Africa/Casablanca", "Australia/Lord_Howe"],
  ...["Pacific/Auckland", "America/Santiago", "UTC"],
];
const FROM = Date.parse("2026-01-08T12:00:00Z");
const DAY_MS = 24 * 3_600_000;
/** Every nine days of six years. */
const MOMENTS = Array.from({ length: 243 }, (_, at) => FROM + at * 9 * DAY_MS);
const DATEUTIL = ["python-dateutil==2.9.0.post0", "six==1.17.0"];

test.skipIf(lacks("python3"))(
  "zones have the offsets of their clocks, year after year",
  async () => {
    const calendars = ZONES.map((zone) => [
      ...["BEGIN:VCALENDAR", ...zoneLines(zone, new Date(FROM)), "END:VCALENDAR"],
    ]);
    const python = Bun.spawn(["python3", join(import.meta.dir, "zone-offsets.py")], {
      env: { ...process.env, PYTHONPATH: await pythonPackages(...DATEUTIL) },
      stdin: Buffer.from(JSON.stringify({ calendars, moments: MOMENTS })),
      stdout: "pipe",
      stderr: "inherit",
    });
    const found = await new Response(python.stdout).json();

    const offsetAt = (zone: string, at: number) =>
      Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(zone).offsetNanoseconds / 6e10;
    expect(found).toEqual(ZONES.map((zone) => MOMENTS.map((at) => offsetAt(zone, at))));
  },
);
