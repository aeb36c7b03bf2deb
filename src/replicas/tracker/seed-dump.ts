/**
 * Converts a dump of a workspace to a seed. Dumps have null for missing fields, moments without a time zone, ids in
 * another format, and fields that the service computes.
 */
import { isObjectType } from "graphql";
import { isUuid } from "~/graphql/uuid";
import { isObject } from "~/input/json";
import { derivedId } from "~/replicas/tracker/ids";
import { trackerSchema } from "~/replicas/tracker/schema";
import { columnsIn, modelOf, relationsOf, SECTIONS, TOP } from "~/replicas/tracker/seed-sections";
import type { Entry, Section } from "~/replicas/tracker/seed-types";
import { TABLES } from "~/replicas/tracker/store/tables";

const NOTES_MAX = 1_000;
const MOMENT = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d)(:\d\d)?(?:\.(\d{1,3})\d*)?(Z|[+-]\d\d:?\d\d)?$/;

type ReadDump = {
  readonly seed: Entry;
  /** One note for each mapped id and each ignored field, in the order of the dump. */
  readonly notes: readonly string[];
};

/** By type: ids of the dump that are not UUIDs → the new ids. */
type Ids = ReadonlyMap<string, ReadonlyMap<string, string>>;

/** Returns a seed unchanged. Validation rejects anything that is neither a seed nor a dump. */
export function readDump(dump: Entry): ReadDump {
  const notes: string[] = [];
  let left = 0;
  const note = (text: string) => (notes.length < NOTES_MAX ? void notes.push(text) : left++);
  const ids = idsIn(dump);

  /** A value of a column, by its Postgres type. */
  const leaf = (type: string | undefined, value: unknown) =>
    type?.startsWith("timestamptz") && typeof value === "string" ? momentOf(value) : value;

  const refer = (type: string, value: unknown): unknown =>
    Array.isArray(value)
      ? value.map((item) => refer(type, item))
      : (ids.get(type)?.get(value as string) ?? value);

  function mapId(type: string, id: string, path: string): string {
    if (isUuid(id)) return id.toLowerCase();
    const mapped = derivedId("Dump", type, id);
    note(`${path}: ${JSON.stringify(id)} became ${mapped}`);
    return mapped;
  }

  function readEntry(section: Section, fields: Fields, entry: Entry, path: string): Entry {
    const { columns, targets, known } = fields;
    const read: Record<string, unknown> = {};
    for (const [field, value] of Object.entries(entry)) {
      const place = `${path}.${field}`;
      const nested = section.nested?.[field];
      const target = targets.get(field);
      if (value === null || (field === "states" && isEmpty(value))) continue;
      if (nested) read[field] = readList(nested.section, value, place);
      else if (field === "members" && section.type === "Team")
        Object.assign(read, readMembers(value, place));
      else if (field === "membershipIds" && isObject(value))
        read[field] = Object.fromEntries(
          Object.entries(value).map(([user, id]) => [String(refer("User", user)), id]),
        );
      else if (field === "id" && typeof value === "string")
        read[field] = mapId(section.type, value, place);
      else if (target) read[field] = refer(target, value);
      else if (!known.has(field) && isComputed(section, field))
        note(`${place}: ignored, because the service computes it`);
      else read[field] = leaf(columns.get(field), value);
    }
    return read;
  }

  function readList(name: string, list: unknown, path: string): unknown {
    const section = SECTIONS[name];
    if (!section || !Array.isArray(list)) return list;
    const fields = fieldsOf(section);
    return list.map((entry, index) =>
      isObject(entry) ? readEntry(section, fields, entry as Entry, `${path}[${index}]`) : entry,
    );
  }

  /** Members are names, or objects with the id of the membership. */
  function readMembers(list: unknown, path: string): Entry {
    if (!Array.isArray(list) || !list.some(isObject)) return { members: refer("User", list) };
    const members = list.map((member, index) => {
      const { user, id, owner } = (isObject(member) ? member : { user: member }) as Entry;
      const name = refer("User", user);
      const place = `${path}[${index}].id`;
      return { name, id: typeof id === "string" && mapId("TeamMembership", id, place), owner };
    });
    const withId = members.flatMap(({ name, id }) => (id ? [[name, id]] : []));
    const owners = members.flatMap(({ name, owner }) => (owner === true ? [name] : []));
    return {
      members: members.map(({ name }) => name),
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

  const seed: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(dump)) {
    if (value === null) continue;
    if (name === "organization" && isObject(value)) seed[name] = readOrganization(value as Entry);
    else seed[name] = TOP.includes(name) ? readList(name, value, name) : value;
  }
  if (left > 0) notes.push(`and ${left} more`);
  return { seed, notes };
}

function idsIn(dump: Entry): Ids {
  const ids = new Map<string, Map<string, string>>();
  function collect(name: string, list: unknown): void {
    const section = SECTIONS[name];
    if (!section || !Array.isArray(list)) return;
    for (const entry of list.filter(isObject) as Entry[]) {
      const { id } = entry;
      const { type, nested = {} } = section;
      if (typeof id === "string" && !isUuid(id))
        ids.set(type, (ids.get(type) ?? new Map()).set(id, derivedId("Dump", type, id)));
      for (const [field, { section: below }] of Object.entries(nested))
        collect(below, entry[field]);
    }
  }
  for (const name of TOP) collect(name, dump[name]);
  return ids;
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

type Fields = ReturnType<typeof fieldsOf>;

/** The fields of an entry: its columns, the types of the entities whose ids it holds, and every field it may have. */
function fieldsOf(section: Section) {
  const { ids = {}, nested, pairs = {} } = section;
  const columns = columnsIn(section);
  const relations = relationsOf(modelOf(section));
  const targets = new Map<string, string>([
    ...relations.map(([relation, { to }]) => [relation, to] as const),
    ...Object.entries(ids).map(([field, [to]]) => [field, to] as const),
    ...Object.entries(pairs).map(([field, { to }]) => [field, to] as const),
    ["owners", "User"],
  ]);
  const known = new Set([
    ...columns.keys(),
    ...targets.keys(),
    ...Object.keys(nested ?? {}),
    "membershipIds",
  ]);
  return { columns, targets, known };
}

/** Whether the service has such a field for which no column exists. */
function isComputed({ type }: Section, field: string): boolean {
  const shown = trackerSchema().getType(type);
  return isObjectType(shown) && field in shown.getFields();
}
