/** Specs written for another implementation of a service: its names of tables, and their columns in snake_case. */
import type { Vocabulary } from "~/evaluation/vocabulary";
import { isObject } from "~/input/json";

type Json = Readonly<Record<string, unknown>>;

const plain = (name: string) => name.replaceAll("_", "").toLowerCase();

/** Maps names of a table's columns, also in snake_case, to the columns. Other names stay. */
function namer({ columns }: Vocabulary["tables"][number]) {
  const names = new Set(columns.map(({ name }) => name));
  const byPlain = new Map(columns.map(({ name }) => [plain(name), name]));
  return (path: string): string => {
    if (names.has(path)) return path;
    const [head = "", ...rest] = path.split(".");
    const column = names.has(head) ? head : (byPlain.get(plain(head)) ?? head);
    return [column, ...rest].join(".");
  };
}

type Namer = (path: string) => string;

/** The object with other keys. A key whose new name is taken stays, for the checks to reject. */
function renamed(given: Json, nameOf: Namer, each = (_key: string, item: unknown) => item): Json {
  const taken = new Set(Object.keys(given));
  const entries = Object.entries(given).map(([key, item]) => {
    const name = nameOf(key);
    if (taken.has(name)) return [key, each(key, item)];
    taken.add(name);
    return [name, each(key, item)];
  });
  return Object.fromEntries(entries);
}

const renamedItems = (value: unknown, nameOf: Namer): unknown =>
  Array.isArray(value)
    ? value.map((item) => (typeof item === "string" ? nameOf(item) : item))
    : value;

function renamedWhere(where: unknown, nameOf: Namer): unknown {
  const inside = (item: unknown) => renamedWhere(item, nameOf);
  if (Array.isArray(where)) return where.map(inside);
  if (!isObject(where)) return where;
  return renamed(where, nameOf, (key, item) =>
    ["and", "or", "not"].includes(key) ? inside(item) : item,
  );
}

/** The spec with the names of this implementation. Malformed parts stay, for the checks to reject. */
export function withoutTableAliases(spec: Json, { tables, tableAliases = {} }: Vocabulary): Json {
  if (Object.keys(tableAliases).length === 0) return spec;
  const tableOf = (name: string) =>
    Object.hasOwn(tableAliases, name) ? (tableAliases[name] ?? name) : name;
  const namers = new Map(tables.map((table) => [table.name, namer(table)]));
  const part = (given: unknown): unknown => {
    if (!isObject(given) || typeof given["entity"] !== "string") return given;
    const entity = tableOf(given["entity"]);
    const nameOf = namers.get(entity);
    if (!nameOf) return given;
    const { where, expected_changes, ignore, columns } = given;
    return {
      ...given,
      entity,
      ...(where !== undefined && { where: renamedWhere(where, nameOf) }),
      ...(isObject(expected_changes) && { expected_changes: renamed(expected_changes, nameOf) }),
      ...(ignore !== undefined && { ignore: renamedItems(ignore, nameOf) }),
      ...(columns !== undefined && { columns: renamedItems(columns, nameOf) }),
    };
  };
  const parts = (given: unknown) => (Array.isArray(given) ? given.map(part) : given);
  const { assertions, allow, attack, ignore_fields } = spec;
  return {
    ...spec,
    ...(assertions !== undefined && { assertions: parts(assertions) }),
    ...(allow !== undefined && { allow: parts(allow) }),
    ...(isObject(attack) && { attack: { ...attack, assertions: parts(attack["assertions"]) } }),
    ...(isObject(ignore_fields) && { ignore_fields: ignoredFields(ignore_fields) }),
  };

  function ignoredFields(lists: Json): Json {
    const everywhere = [...namers.values()];
    const inAny = (name: string) =>
      everywhere.map((nameOf) => nameOf(name)).find((found) => found !== name) ?? name;
    return renamed(lists, tableOf, (name, list) =>
      renamedItems(list, namers.get(tableOf(name)) ?? inAny),
    );
  }
}
