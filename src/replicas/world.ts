/** Worlds, and single services, as the platform sees them: their tables, seeds, derived columns and effects of time. */
import type { Sql, Tx } from "~/db/connect";
import { type Session, sessionWithin, type Tables } from "~/db/session";
import { ApiError } from "~/errors";
import type { Aliases } from "~/input/aliases";
import { known, nearest, quoted } from "~/input/nearest";
import { prefixDdl } from "~/replicas/ddl";
import { namesOfCalls, REPLICAS, requireReplica, serviceOf } from "~/replicas/index";
import { SeedError } from "~/replicas/kit/seed-mistakes";
import { ANY_KIND, memberTables, servicesIn, tableInWorld, WORLD } from "~/replicas/members";
import type { DirectoryEntry, Replica, Schedule } from "~/replicas/replica";
import { wordsInWorld } from "~/replicas/row-words";
import { serviceSession } from "~/replicas/service-session";
import { REAL } from "~/source";

export type Model = Pick<
  Replica,
  "tables" | "derived" | "derivedRows" | "seed" | "aliases" | "tableAliases" | "schedule" | "words"
> & {
  /** `world`, or the service. */
  readonly kind: string;
  readonly services: readonly string[];
  /** The names of the calls of all services. */
  readonly calls: ReadonlySet<string>;
  /** The types of their events, also of those that acts of people cause. */
  readonly events: ReadonlySet<string>;
};

/** Returns `world`, or the service of this name or alias. Throws `invalid_service`. */
export function requireKind(name: string): string {
  if (name === WORLD) return WORLD;
  if (!REPLICAS.has(serviceOf(name)))
    throw new ApiError("invalid_service", `The service must be one of ${ANY_KIND}`);
  return requireReplica(name).service;
}

const models = new Map<string, Model>();

/** The model of environments of a kind with these services. */
export function modelOf(kind: string, services: readonly string[]): Model {
  const name = [kind, ...services].join();
  const found = models.get(name);
  if (found) return found;
  const members = services.map(requireReplica);
  const [only] = members;
  if (!only) throw new Error("no service has these tables");
  const model = kind === WORLD ? worldOf(members) : { ...only, ...namesOf(kind, members) };
  models.set(name, model);
  return model;
}

/** The model of environments of a kind with these tables. */
export const modelWith = (kind: string, tables: readonly { readonly name: string }[]): Model =>
  modelOf(kind, servicesIn(kind, tables));

const namesOf = (kind: string, members: readonly Replica[]) => ({
  kind,
  services: members.map(({ service }) => service),
  calls: new Set(members.flatMap((member) => [...namesOfCalls(member)])),
  events: new Set(
    members.flatMap(({ events, acts }) => [
      ...Object.keys(events?.types ?? {}),
      ...(acts?.types ?? []),
    ]),
  ),
});

function worldOf(members: readonly Replica[]): Model {
  const schedule = scheduleOf(members);
  return {
    ...namesOf(WORLD, members),
    tables: members
      .map(({ service, tables }) => prefixDdl(tables, tableInWorld(service, "")))
      .join("\n"),
    derived: byTable(members, ({ derived }) => derived),
    derivedRows: byTable(members, ({ derivedRows }) => derivedRows),
    words: Object.assign(
      {},
      ...members.map(({ service, words = {} }) =>
        wordsInWorld(words, (table) => tableInWorld(service, table)),
      ),
    ),
    seed: (tx, t, seed) => seedAll(members, tx, t, seed),
    aliases: (session) => aliasesOf(members, session),
    ...(schedule && { schedule }),
  };
}

/** The values of each member by table, by the names that the tables have in the world. */
const byTable = <Value>(
  members: readonly Replica[],
  read: (member: Replica) => { readonly [table: string]: Value } | undefined,
): { readonly [table: string]: Value } =>
  Object.fromEntries(
    members.flatMap((member) =>
      Object.entries(read(member) ?? {}).map(([table, value]) => [
        tableInWorld(member.service, table),
        value,
      ]),
    ),
  );

/** Opens the sessions of members that are open together. */
function sessionsOf(members: readonly Replica[]) {
  const place = { kind: WORLD, services: members.map(({ service }) => service) };
  return ({ service }: Replica, session: Session) => serviceSession(place, service, session);
}

async function aliasesOf(members: readonly Replica[], session: Session): Promise<Aliases> {
  const sessionOf = sessionsOf(members);
  const all = new Map<string, string>();
  for (const member of members)
    for (const [earlier, present] of (await member.aliases?.(sessionOf(member, session))) ?? [])
      all.set(earlier, present);
  return all;
}

/** The effects of time on all members, in their order. At one moment, those of one member follow those of the other. */
function scheduleOf(members: readonly Replica[]): Schedule | undefined {
  const timed = members.flatMap((member) =>
    member.schedule ? [{ member, schedule: member.schedule }] : [],
  );
  if (timed.length === 0) return undefined;
  const sessionOf = sessionsOf(members);
  return {
    async next(session, after, until) {
      let first: number | undefined;
      for (const { member, schedule } of timed) {
        const at = await schedule.next(sessionOf(member, session), after, first ?? until);
        if (at !== undefined && (first === undefined || at < first)) first = at;
      }
      return first;
    },
    async fire(session) {
      const fired = [];
      for (const { member, schedule } of timed)
        fired.push(...(await schedule.fire(sessionOf(member, session))));
      return fired;
    },
  };
}

const FIELDS = ["template", "service", "description", "now", "members"];
const SERVICES_MIN = 2;

/** The services of a world's seed, of either form, in the order of all services. Throws SeedError. */
export function servicesOfSeed(seed: {
  readonly members?: unknown;
  readonly services?: unknown;
}): string[] {
  const { members, services } = seed;
  const given = members ?? services;
  const field = members === undefined ? "services" : "members";
  if (
    typeof given !== "object" ||
    given === null ||
    Array.isArray(given) !== (field === "services")
  )
    throw new SeedError("members", "an object of the seeds of the services is needed");
  const names = Array.isArray(given) ? given : Object.keys(given);
  for (const [at, name] of names.entries()) {
    const path = Array.isArray(given) ? `services[${at}]` : `members.${name}`;
    if (!REPLICAS.has(name))
      throw new SeedError(
        path,
        `there is no such service${known(`${name}`, [...REPLICAS.keys()])}`,
      );
    if (names.indexOf(name) !== at) throw new SeedError(path, `${name} is named twice`);
  }
  if (names.length < SERVICES_MIN) throw new SeedError(field, "a world has several services");
  return [...REPLICAS.keys()].filter((service) => names.includes(service));
}

type WorldSeed = { readonly members: { readonly [service: string]: unknown } };

async function seedAll(
  members: readonly Replica[],
  tx: Tx,
  t: Tables,
  seed: unknown,
): Promise<readonly string[]> {
  const unknown = Object.keys(seed as object).find((field) => !FIELDS.includes(field));
  if (unknown !== undefined)
    throw new SeedError(unknown, `there is no such field${nearest(unknown, FIELDS)}`);
  const contents = (seed as WorldSeed).members;
  const notes: string[] = [];
  for (const { service, seed: plant } of members)
    try {
      const made = await plant(tx, memberTables(t, service), contents[service]);
      notes.push(...made.map((note) => `members.${service}.${note}`));
    } catch (error) {
      throw error instanceof SeedError ? inside(`members.${service}`, error) : error;
    }
  return notes;
}

/** Mistakes of a part of a seed, with their places in the whole. */
export function inside(path: string, { mistakes }: SeedError): SeedError {
  const [first, ...others] = mistakes.map((mistake) => ({
    ...mistake,
    path: mistake.path === "" ? path : `${path}.${mistake.path}`,
  }));
  return new SeedError(first?.path ?? path, first?.problem ?? "a mistake", others);
}

type Found = DirectoryEntry & { readonly service: string };

/**
 * Checks that a person, who is known by mail address, is the same in every service of a world. Returns notes on people
 * who are active in one service and not in another. Throws SeedError.
 */
export async function checkDirectory(
  sql: Sql,
  schema: string,
  t: Tables,
  place: Model,
): Promise<string[]> {
  if (place.kind !== WORLD) return [];
  const session = sessionWithin(sql, schema, t, REAL);
  const people = new Map<string, Found>();
  const notes: string[] = [];
  for (const service of place.services) {
    const { listDirectory } = requireReplica(service);
    for (const entry of await listDirectory(serviceSession(place, service, session))) {
      const email = entry.email.toLowerCase();
      const other = people.get(email);
      if (!other) people.set(email, { ...entry, service });
      else if (other.service !== service) notes.push(...compare(other, { ...entry, service }));
    }
  }
  return notes;
}

/** Throws unless it is the same person. A service without a time zone of a person says nothing about it. */
function compare(one: Found, other: Found): string[] {
  const path = `members.${other.service}.users`;
  const differ = (what: string, here: string | null, there: string | null) =>
    new SeedError(
      path,
      `${other.email} has the ${what} ${quoted(here ?? "")} here, and ${quoted(there ?? "")} in ${one.service}`,
    );
  if (one.name !== other.name) throw differ("full name", other.name, one.name);
  if (one.zone !== null && other.zone !== null && one.zone !== other.zone)
    throw differ("time zone", other.zone, one.zone);
  if (one.isActive === other.isActive) return [];
  const [active, inactive] = one.isActive ? [one, other] : [other, one];
  return [
    `${path}: ${other.email} is active in ${active.service}, and deactivated in ${inactive.service}`,
  ];
}
