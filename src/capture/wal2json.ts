/** Decodes the lines of wal2json, format version 2: one JSON object for each begin, change, message and commit. */
import { type Decode, type Image, MARK_PREFIX, placeOf, type TableShape } from "~/capture/change";

export const WAL2JSON_OPTIONS = {
  "format-version": "2",
  "add-msg-prefixes": MARK_PREFIX,
} as const;

type Cell = { name: string; type: string; value: string | boolean | null };
type Line = {
  table: string;
  schema: string;
  content?: string;
  columns?: Cell[];
  identity?: Cell[];
};

// `{"action":"I","schema":"env_…","table":…`: its kind is known without parsing it.
const ACTION_AT = '{"action":"'.length;
const SCHEMA_AT = '{"action":"I","schema":"'.length;
const QUOTE = 0x22;

// A bigint or numeric is a bare JSON number and would lose digits: quoted, it stays text. In a string value
// the same characters are escaped (`\"value\":`), so only structure matches.
const BARE_NUMBER = /"value":(-?\d[^,}]*)/g;

export const decodeWal2json: Decode = (data, lookup) => {
  switch (String.fromCharCode(data[ACTION_AT] ?? 0)) {
    case "B":
      return { kind: "begin" };
    case "C":
      return { kind: "commit" };
    case "M":
      return { kind: "mark", content: (JSON.parse(data.toString()) as Line).content ?? "" };
    case "T":
      return { kind: "truncate", schemas: [(JSON.parse(data.toString()) as Line).schema] };
    case "I":
    case "U":
    case "D":
      break;
    default:
      throw new Error("wal2json: unknown action");
  }
  const schemaEnd = data.indexOf(QUOTE, SCHEMA_AT);
  const schema = data.toString("latin1", SCHEMA_AT, schemaEnd);
  const tableAt = schemaEnd + '","table":"'.length;
  const name = data.toString("utf8", tableAt, data.indexOf(QUOTE, tableAt));
  const table = lookup(schema, name, data.length);
  if (!table) return undefined;

  const line = JSON.parse(data.toString().replace(BARE_NUMBER, '"value":"$1"')) as Line;
  const before = line.identity && toImage(line.identity, table);
  const after = line.columns && toImage(line.columns, table);
  if (before && after)
    return { kind: "change", schema, change: { op: "update", table, before, after } };
  if (after) return { kind: "change", schema, change: { op: "insert", table, after } };
  if (before) return { kind: "change", schema, change: { op: "delete", table, before } };
  throw new Error("wal2json: change without a row");
};

function toImage(cells: readonly Cell[], table: TableShape): Image {
  const image: Image = new Array(table.columns.length).fill(undefined);
  for (const [index, { name, type, value }] of cells.entries())
    image[placeOf(table, name, type, index)] = toText(value, type);
  return image;
}

/** Postgres' own text of the value. */
function toText(value: Cell["value"], type: string): string | null {
  if (typeof value === "boolean") return value ? "t" : "f";
  if (value !== null && type === "bytea") return `\\x${value}`;
  return value;
}
