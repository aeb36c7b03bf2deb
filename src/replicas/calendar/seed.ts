/** Seeds of the calendar service. Their events are created and changed as calls create and change them. */
import type { Tx } from "~/db/connect";
import { sessionWithin, type Tables } from "~/db/session";
import { ROLES } from "~/replicas/calendar/access";
import { colorAfter } from "~/replicas/calendar/colors";
import { COMPATIBILITY } from "~/replicas/calendar/compatibility";
import type { CalendarSession, TableName } from "~/replicas/calendar/operation";
import { createEvents } from "~/replicas/calendar/seed-events";
import { CalendarSeed } from "~/replicas/calendar/seed-shape";
import type { CalendarRow } from "~/replicas/calendar/store/calendars";
import { insert } from "~/replicas/calendar/store/write";
import { isZone } from "~/replicas/calendar/times";
import { requireShape, SeedError, SeedMistakes } from "~/replicas/kit/seed-mistakes";
import { MICROS, type Source, seededBytes } from "~/source";

/** The number of rows that no event belongs to. */
const FIRST = 1_000;
const ZONE = "UTC";
const CONFERENCES = { allowedConferenceSolutionTypes: ["hangoutsMeet"] };

export async function seedCalendar(
  tx: Tx,
  t: Tables<TableName>,
  seed: unknown,
): Promise<readonly string[]> {
  requireShape(CalendarSeed, seed);
  const { users, calendars = [], events = [], now, compatibility } = seed as CalendarSeed;
  const names = namesOf(users);
  const addressOf = (name: string, path: string): string => {
    const found = names.get(name) ?? (name.includes("@") ? name.toLowerCase() : undefined);
    if (found === undefined) throw new SeedError(path, `no user ${name}`);
    return found;
  };
  const mistakes = new SeedMistakes();
  const owned = users.map(({ name, email, zone }) => calendarRow(email, name, zone));
  const rules: object[] = [];
  const entries: object[] = [];
  const idOf = new Map(users.map(({ id, email }) => [email, id ?? email]));
  const share = (calendarId: string, roles: Readonly<Record<string, string>>, path: string) => {
    for (const [who, role] of Object.entries(roles)) {
      if (!(ROLES as readonly string[]).includes(role))
        throw new SeedError(`${path}.${who}`, `no role ${role}`);
      rules.push(
        who === "default"
          ? ruleOf(calendarId, undefined, role)
          : ruleOf(calendarId, addressOf(who, path), role),
      );
    }
  };
  const list = (email: string, calendarId: string, { isPrimary }: { isPrimary: boolean }) => {
    const count = entries.filter((each) => (each as { userId: string }).userId === idOf.get(email));
    entries.push({
      ...{ userId: idOf.get(email) ?? email, calendarId, colorId: colorAfter(count.length + 13) },
      ...{ hidden: false, selected: true, primary: isPrimary, deleted: false, version: FIRST },
      defaultReminders: isPrimary ? [{ method: "popup", minutes: 10 }] : [],
    });
  };
  mistakes.each(users, ({ email, zone, share: roles = {} }, place) => {
    requireZone(zone, `users[${place}].zone`);
    rules.push(ruleOf(email, email, "owner"));
    list(email, email, { isPrimary: true });
    share(email, roles, `users[${place}].share`);
  });
  mistakes.each(calendars, (given, place) => {
    const path = `calendars[${place}]`;
    const owner = addressOf(given.owner, `${path}.owner`);
    requireZone(given.zone, `${path}.zone`);
    owned.push({
      ...calendarRow(given.id, given.summary, given.zone, owner),
      ...{ description: given.description ?? null, location: given.location ?? null },
      autoAcceptInvitations: given.resource ?? false,
    });
    names.set(given.key, given.id);
    rules.push(ruleOf(given.id, owner, "owner"));
    share(given.id, given.share ?? {}, `${path}.share`);
    const listed = (given.listed ?? []).map((name) => addressOf(name, `${path}.listed`));
    for (const email of [owner, ...listed]) list(email, given.id, { isPrimary: false });
  });
  mistakes.end();
  const session = (number: number, micros = 0): CalendarSession => {
    const source: Source = { micros, bytes: seededBytes("calendar", number) };
    // Nothing in a seed takes a number from the sequence of the schema, whose name is not known here.
    return sessionWithin(tx, "", t, source) as CalendarSession;
  };
  const rows = users.map(({ id, name, email, zone, settings }) => ({
    ...{ id: id ?? email, email, displayName: name, settingsVersion: FIRST },
    settings: {
      ...(zone && { timezone: zone }),
      ...(compatibility && { [COMPATIBILITY]: compatibility }),
      ...settings,
    },
  }));
  const plain = session(0);
  await insert(plain, "users", rows);
  await insert(plain, "calendars", owned);
  await insert(plain, "acl", rules);
  await insert(plain, "list_entries", entries);
  const start = now === undefined ? 0 : Date.parse(now) * MICROS;
  await createEvents(events, {
    addressOf,
    users: rows.map((row) => ({ ...row, settingsVersion: `${row.settingsVersion}` })),
    calendars: owned,
    begin: (place, at) => session(place + 1, at === undefined ? start : Date.parse(at) * MICROS),
    first: FIRST + 1,
  });
  return [];
}

const calendarRow = (
  id: string,
  summary: string,
  zone: string = ZONE,
  owner: string = id,
): CalendarRow => ({
  ...{ id, summary, description: null, location: null, timeZone: zone, dataOwner: owner },
  ...{ autoAcceptInvitations: false, conferenceProperties: CONFERENCES, labelProperties: null },
  ...{ workingHours: null, deleted: false, version: `${FIRST}` },
});

/** `email`: undefined for everyone. */
const ruleOf = (calendarId: string, email: string | undefined, role: string) => ({
  ...{ calendarId, role, deleted: false, version: FIRST },
  ...(email === undefined
    ? { id: "default", scopeType: "default", scopeValue: null }
    : { id: `user:${email}`, scopeType: "user", scopeValue: email }),
});

function requireZone(zone: string | undefined, path: string): void {
  if (zone !== undefined && !isZone(zone)) throw new SeedError(path, `no time zone ${zone}`);
}

/** Addresses by the id, the full address and the part before the @. Throws for a duplicate. */
function namesOf(users: CalendarSeed["users"]): Map<string, string> {
  const names = new Map<string, string>();
  for (const [place, { id, email }] of users.entries()) {
    if (names.has(email)) throw new SeedError(`users[${place}].email`, `${email} is there twice`);
    const local = email.slice(0, email.indexOf("@"));
    for (const name of [email, id ?? email]) names.set(name, email);
    if (!names.has(local)) names.set(local, email);
  }
  return names;
}
