/** Specs written for another implementation of a service: its names of tables, and their columns in snake_case. */
import type { Vocabulary } from "~/evaluation/vocabulary";

type Json = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const plain = (name: string) => name.replaceAll("_", "").toLowerCase();

/** Finds the column that a name of a table means. A name that is no column stays. */
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

const renamedKeys = (value: unknown, nameOf: Namer): unknown =>
  isObject(value)
    ? Object.fromEntries(Object.entries(value).map(([key, item]) => [nameOf(key), item]))
    : value;

const renamedItems = (value: unknown, nameOf: Namer): unknown =>
  Array.isArray(value)
    ? value.map((item) => (typeof item === "string" ? nameOf(item) : item))
    : value;

function renamedWhere(where: unknown, nameOf: Namer): unknown {
  if (Array.isArray(where)) return where.map((item) => renamedWhere(item, nameOf));
  if (!isObject(where)) return where;
  const entries = Object.entries(where).map(([key, item]) =>
    ["and", "or", "not"].includes(key) ? [key, renamedWhere(item, nameOf)] : [nameOf(key), item],
  );
  return Object.fromEntries(entries);
}

/** The spec with the present names. What has another form stays, for the checks to find. */
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
      ...(expected_changes !== undefined && {
        expected_changes: renamedKeys(expected_changes, nameOf),
      }),
      ...(ignore !== undefined && { ignore: renamedItems(ignore, nameOf) }),
      ...(columns !== undefined && { columns: renamedItems(columns, nameOf) }),
    };
  };
  const parts = (given: unknown) => (Array.isArray(given) ? given.map(part) : given);
  const { assertions, allow, ignore_fields } = spec;
  return {
    ...spec,
    ...(assertions !== undefined && { assertions: parts(assertions) }),
    ...(allow !== undefined && { allow: parts(allow) }),
    ...(isObject(ignore_fields) && { ignore_fields: ignoredFields(ignore_fields) }),
  };

  function ignoredFields(lists: Json): Json {
    const everywhere = [...namers.values()];
    const inAny = (name: string) =>
      everywhere.map((nameOf) => nameOf(name)).find((found) => found !== name) ?? name;
    return Object.fromEntries(
      Object.entries(lists).map(([name, list]) => {
        const table = tableOf(name);
        return [table, renamedItems(list, namers.get(table) ?? inAny)];
      }),
    );
  }
}
