/**
 * Decodes pgoutput, protocol version 1: the plugin that every Postgres has.
 * Message formats: https://www.postgresql.org/docs/15/protocol-logicalrep-message-formats.html
 */
import { type Decode, type Image, MARK_PREFIX, placeOf, type TableShape } from "~/capture/change";
import { Lost } from "~/capture/loss";

/** The publication that lists the tables whose changes the plugin sends. */
export const PUBLICATION = "diorama";

export const PGOUTPUT_OPTIONS = {
  proto_version: "1",
  publication_names: PUBLICATION,
  messages: "true",
} as const;

/** Built-in type ids, which never change, and the names that format_type gives them. */
const TYPES: Record<number, string> = {
  16: "boolean",
  17: "bytea",
  20: "bigint",
  21: "smallint",
  23: "integer",
  25: "text",
  114: "json",
  700: "real",
  701: "double precision",
  1042: "character",
  1043: "character varying",
  1082: "date",
  1083: "time without time zone",
  1114: "timestamp without time zone",
  1184: "timestamp with time zone",
  1700: "numeric",
  2950: "uuid",
  3802: "jsonb",
  199: "json[]",
  1000: "boolean[]",
  1005: "smallint[]",
  1007: "integer[]",
  1009: "text[]",
  1015: "character varying[]",
  1016: "bigint[]",
  1021: "real[]",
  1022: "double precision[]",
  1115: "timestamp without time zone[]",
  1182: "date[]",
  1185: "timestamp with time zone[]",
  1231: "numeric[]",
  2951: "uuid[]",
  3807: "jsonb[]",
};

type Relation = { schema: string; name: string; columns: { name: string; type: string }[] };

/** A cursor over one message. */
class Reader {
  at = 0;
  readonly data: Buffer;
  constructor(data: Buffer) {
    this.data = data;
  }
  byte() {
    return this.data[this.at++];
  }
  char() {
    return String.fromCharCode(this.byte() ?? 0);
  }
  int16() {
    this.at += 2;
    return this.data.readUInt16BE(this.at - 2);
  }
  int32() {
    this.at += 4;
    return this.data.readUInt32BE(this.at - 4);
  }
  string() {
    const end = this.data.indexOf(0, this.at);
    const text = this.data.toString("utf8", this.at, end);
    this.at = end + 1;
    return text;
  }
  bytes(length: number) {
    this.at += length;
    return this.data.toString("utf8", this.at - length, this.at);
  }
}

/** A decoder for one connection: the stream describes each relation once, before its first change. */
export function createPgoutputDecoder(): Decode {
  const relations = new Map<number, Relation>();
  return (data, lookup) => {
    const reader = new Reader(data);
    const kind = reader.char();
    switch (kind) {
      case "B":
        // The position of its commit record; starting one byte later skips it.
        return { kind: "begin", until: data.readBigUInt64BE(1) + 1n };
      case "O": // origin
      case "Y": // type
        return undefined;
      case "C":
        return { kind: "commit" };
      case "R":
        relations.set(reader.int32(), readRelation(reader));
        return undefined;
      case "M": {
        reader.at += 1 + 8; // flags, position
        if (reader.string() !== MARK_PREFIX) return undefined; // not our message
        return { kind: "mark", content: reader.bytes(reader.int32()) };
      }
      case "T": {
        const count = reader.int32();
        reader.at += 1; // options
        const schemas = Array.from(
          { length: count },
          () => relations.get(reader.int32())?.schema ?? "",
        );
        return { kind: "truncate", schemas };
      }
      case "I":
      case "U":
      case "D":
        break;
      default:
        throw new Error("pgoutput: unknown message");
    }
    const relation = relations.get(reader.int32());
    if (!relation) throw new Error("pgoutput: change of a relation that was not described");
    const table = lookup(relation.schema, relation.name, data.length);
    if (!table) return undefined;
    const { schema } = relation;

    const which = reader.char(); // O: the old row follows, K: only its key, N: the new row
    if (which === "K" || (which === "N" && kind === "U")) throw new Lost("incomplete_row");
    if (which === "N") {
      return {
        kind: "change",
        schema,
        change: { op: "insert", table, after: readRow(reader, relation, table) },
      };
    }
    const before = readRow(reader, relation, table);
    if (kind === "D") return { kind: "change", schema, change: { op: "delete", table, before } };
    reader.at += 1; // N
    const after = readRow(reader, relation, table);
    return { kind: "change", schema, change: { op: "update", table, before, after } };
  };
}

function readRelation(reader: Reader): Relation {
  const schema = reader.string();
  const name = reader.string();
  reader.at += 1; // replica identity
  const columns = Array.from({ length: reader.int16() }, () => {
    reader.at += 1; // flags
    const column = { name: reader.string(), type: TYPES[reader.int32()] ?? "text" };
    reader.at += 4; // type modifier
    return column;
  });
  return { schema, name, columns };
}

function readRow(reader: Reader, relation: Relation, table: TableShape): Image {
  const image: Image = new Array(table.columns.length).fill(undefined);
  const count = reader.int16();
  for (let index = 0; index < count; index++) {
    const column = relation.columns[index];
    if (!column) throw new Error("pgoutput: more columns than the relation has");
    const place = placeOf(table, column.name, column.type, index);
    const kind = reader.char(); // n: null, t: text, u: unchanged large value
    if (kind === "n") image[place] = null;
    else if (kind === "t") image[place] = reader.bytes(reader.int32());
    else if (kind !== "u") throw new Error("pgoutput: unknown kind of column");
  }
  return image;
}
