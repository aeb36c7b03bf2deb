/** Reads the columns of a replica's tables from its DDL. */

export type Column = { readonly type: string; readonly required: boolean };
/** By table and column, in the order of the DDL. */
type TableColumns = ReadonlyMap<string, ReadonlyMap<string, Column>>;

const TABLE = /^create table (\w+) \(\n([\s\S]*?)^\);/gm;
const CONSTRAINT = /^(primary key|unique|check|constraint|exclude)\b/;
const COLUMN = /^"?(\w+)"? ([a-z0-9]+(?:\(\d+\))?(?:\[\])?)(.*)$/;

/** Expects one column or constraint a line. Throws on a line that it cannot read. */
export function parseTables(ddl: string): TableColumns {
  return new Map(
    [...ddl.matchAll(TABLE)].map(([, name = "", body = ""]) => [name, parseColumns(name, body)]),
  );
}

/** The tables that have no index: nothing in Postgres keeps the ids of their rows unique. */
export const tablesWithoutKey = (ddl: string): ReadonlySet<string> =>
  new Set(
    [...ddl.matchAll(TABLE)].flatMap(([, name = "", body = ""]) =>
      /\bprimary key\b/.test(body.replace(/--.*/g, "")) ? [] : [name],
    ),
  );

function parseColumns(table: string, body: string): ReadonlyMap<string, Column> {
  const lines = body.split("\n").map((line) => line.replace(/--.*/, "").trim());
  return new Map(
    lines
      .filter((line) => line !== "" && !CONSTRAINT.test(line))
      .map((line) => {
        const [, column, type, rest = ""] = COLUMN.exec(line) ?? [];
        if (!column || !type) throw new Error(`${table} has a line that is not a column: ${line}`);
        return [column, { type, required: /\b(not null|primary key)\b/.test(rest) }];
      }),
  );
}
