/**
 * Writes the types of the rows of each replica's tables, from its tables.sql: `bun run rows`. A test compares the files
 * with what this script would write.
 */
import { join } from "node:path";
import { parseTables } from "~/replicas/ddl";
import { REPLICAS } from "~/replicas/index";

const FOLDER = join(import.meta.dir, "../src/replicas");

/** As the driver reads them. */
const TYPES: Record<string, string> = {
  bigint: "string",
  boolean: "boolean",
  bytea: "Uint8Array",
  date: "string",
  float8: "number",
  int: "number",
  jsonb: "unknown",
  text: "string",
  timestamptz: "Date",
  uuid: "string",
  varchar: "string",
};

function typeOf(column: string, type: string): string {
  const [, base = "", list] = /^([a-z0-9]+)(?:\(\d+\))?(\[\])?$/.exec(type) ?? [];
  const found = TYPES[base];
  if (!found) throw new Error(`${column} is of the type ${type}, which this script does not know`);
  return list ? `readonly ${found}[]` : found;
}

export function rowTypes(ddl: string): string {
  const tables = [...parseTables(ddl)].map(([table, columns]) => {
    const lines = [...columns].map(([column, { type, required }]) => {
      const value = typeOf(column, type);
      return `    readonly ${column}: ${required || value === "unknown" ? value : `${value} | null`};`;
    });
    return [`  readonly ${table}: {`, ...lines, "  };"].join("\n");
  });
  return `/** The rows of each table of tables.sql. Written by \`bun run rows\`. */\nexport type Rows = {\n${tables.join("\n")}\n};\n`;
}

/** The texts by file. */
export const ROW_FILES: ReadonlyMap<string, string> = new Map(
  [...REPLICAS.values()].map(({ service, tables }) => [
    join(FOLDER, service, "store/rows.ts"),
    rowTypes(tables),
  ]),
);

if (import.meta.main) for (const [file, text] of ROW_FILES) await Bun.write(file, text);
