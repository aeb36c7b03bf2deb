/**
 * Converts a dump of a workspace to a seed. Dumps have null for missing fields, moments without a time zone, ids in
 * another format, and fields that the service computes.
 */
import { isObjectType } from "graphql";
import { isUuid } from "~/graphql/scalars";
import { isObject } from "~/json";
import { derivedId } from "~/replicas/tracker/ids";
import { trackerSchema } from "~/replicas/tracker/schema";
import { columnsIn, modelOf, relationsOf, SECTIONS, TOP } from "~/replicas/tracker/seed-sections";
import type { Entry, Section } from "~/replicas/tracker/seed-types";
import { TABLES } from "~/replicas/tracker/store/tables";

const NOTES_MAX = 1_000;
const MOMENT = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d)(:\d\d)?(?:\.(\d{1,3})\d*)?(Z|[+-]\d\d:?\d\d)?$/;

export type ReadDump = {
  readonly seed: Entry;
  /** One note for each mapped id and each ignored field, in the order of the dump. */
  readonly notes: readonly string[];
};

/** Returns a seed unchanged. Validation rejects anything that is neither a seed nor a dump. */
export function readDump(dump: Entry): ReadDump {
  const notes: string[] = [];
  let left = 0;
  const note = (text: string) => (notes.length < NOTES_MAX ? void notes.push(text) : left++);
  /** By type: ids of the dump that are not UUIDs → the new ids. */
  const ids = new Map<string, Map<string, string>>();

  /** A value of a column, by its Postgres type. */
  const leaf = (type: string | undefined, value: unknown) =>
    type?.startsWith("timestamptz") && typeof value === "string" ? momentOf(value) : value;

  function mapId(type: string, id: string, path: string): string {
    if (isUuid(id)) return id.toLowerCase();
    const mapped = derivedId("Dump", type, id);
    ids.set(type, (ids.get(type) ?? new Map()).set(id, mapped));
    note(`${path}: ${JSON.stringify(id)} became ${mapped}`);
    return mapped;
  }

  function readEntry(section: Section, entry: Entry, path: string): Entry {
    const columns = columnsIn(section);
    const known = fieldsOf(section);
    const read: Record<string, unknown> = {};
    for (const [field, value] of Object.entries(entry)) {
      const place = `${path}.${field}`;
      const nested = section.nested?.[field];
      if (value === null || (field === "states" && isEmpty(value))) continue;
      if (nested) read[field] = readList(nested.section, value, place);
      else if (field === "members" && section.type === "Team")
        Object.assign(read, readMembers(value, place));
      else if (field === "id" && typeof value === "string")
        read[field] = mapId(section.type, value, place);
      else if (!known.has(field) && isComputed(section, field))
        note(`${place}: ignored, because the service computes it`);
      else read[field] = leaf(columns.get(field), value);
    }
    return read;
  }

  function readList(name: string, list: unknown, path: string): unknown {
    const section = SECTIONS[name];
    if (!section || !Array.isArray(list)) return list;
    return list.map((entry, index) =>
      isObject(entry) ? readEntry(section, entry as Entry, `${path}[${index}]`) : entry,
    );
  }

  /** Members are names, or objects with the id of the membership. */
  function readMembers(list: unknown, path: string): Entry {
    if (!Array.isArray(list) || !list.some(isObject)) return { members: list };
    const members = list.map((member) => (isObject(member) ? member : { user: member })) as Entry[];
    const withId = members.flatMap(({ user, id }, index) =>
      typeof id === "string"
        ? [[String(user), mapId("TeamMembership", id, `${path}[${index}].id`)]]
        : [],
    );
    const owners = members.filter(({ owner }) => owner === true).map(({ user }) => user);
    return {
      members: members.map(({ user }) => user),
      ...(withId.length > 0 && { membershipIds: Object.fromEntries(withId) }),
      ...(owners.length > 0 && { owners }),
    };
  }

  function readOrganization(organization: Entry): Entry {
    const columns = TABLES.get("organizations");
    const fields = Object.entries(organization).filter(([, value]) => value !== null);
    return Object.fromEntries(
      fields.map(([field, value]) => [
        field,
        field === "id" && typeof value === "string"
          ? mapId("Organization", value, "organization.id")
          : leaf(columns?.get(field)?.type, value),
      ]),
    );
  }

  const read: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(dump)) {
    if (value === null) continue;
    if (name === "organization" && isObject(value)) read[name] = readOrganization(value as Entry);
    else read[name] = TOP.includes(name) ? readList(name, value, name) : value;
  }
  const seed = ids.size > 0 ? referring(read, ids) : read;
  if (left > 0) notes.push(`and ${left} more`);
  return { seed, notes };
}

const isEmpty = (value: unknown) => Array.isArray(value) && value.length === 0;

const SEED_MOMENT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{3})?Z$/;

/** A moment in the format of a seed: UTC with milliseconds. Without a time zone, it is in UTC. */
function momentOf(text: string): string {
  if (SEED_MOMENT.test(text)) return text;
  const [, day, minutes, seconds = ":00", fraction = "", zone = "Z"] = MOMENT.exec(text) ?? [];
  if (day === undefined || minutes === undefined) return text;
  const moment = new Date(`${day}T${minutes}${seconds}.${fraction.padEnd(3, "0")}${zone}`);
  return Number.isNaN(moment.getTime()) ? text : moment.toISOString();
}

/** Every field that an entry may have. */
function fieldsOf(section: Section): ReadonlySet<string> {
  const model = modelOf(section);
  return new Set([
    ...columnsIn(section).keys(),
    ...relationsOf(model).map(([relation]) => relation),
    ...Object.keys({ ...section.ids, ...section.nested, ...section.pairs }),
    "owners",
    "membershipIds",
  ]);
}

/** Whether the service has such a field for which no column exists. */
function isComputed({ type }: Section, field: string): boolean {
  const shown = trackerSchema().getType(type);
  return isObjectType(shown) && field in shown.getFields();
}

/** The entries, with references to mapped ids replaced. */
function referring(seed: Entry, ids: ReadonlyMap<string, ReadonlyMap<string, string>>): Entry {
  const refer = (type: string, value: unknown): unknown =>
    Array.isArray(value)
      ? value.map((item) => refer(type, item))
      : (ids.get(type)?.get(value as string) ?? value);

  function referList(name: string, list: unknown): unknown {
    const section = SECTIONS[name];
    if (!section || !Array.isArray(list)) return list;
    const targets = new Map([
      ...relationsOf(modelOf(section)).map(([relation, { to }]) => [relation, to] as const),
      ...Object.entries(section.ids ?? {}).map(([field, [to]]) => [field, to] as const),
      ...Object.entries(section.pairs ?? {}).map(([field, { to }]) => [field, to] as const),
      ["owners", "User"] as const,
    ]);
    return list.map((entry) => {
      if (!isObject(entry)) return entry;
      return Object.fromEntries(
        Object.entries(entry).map(([field, value]) => {
          const nested = section.nested?.[field];
          const target = targets.get(field);
          if (nested) return [field, referList(nested.section, value)];
          if (field === "membershipIds" && isObject(value))
            return [
              field,
              Object.fromEntries(
                Object.entries(value).map(([user, id]) => [String(refer("User", user)), id]),
              ),
            ];
          return [field, target ? refer(target, value) : value];
        }),
      );
    });
  }
  return Object.fromEntries(
    Object.entries(seed).map(([name, value]) => [
      name,
      TOP.includes(name) ? referList(name, value) : value,
    ]),
  );
}
