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

const STATEMENT = /^create (?:unique )?(table|sequence|index) (\w+)(?: on (\w+))?/;
/** Names inside a statement: of a constraint, of the table of a foreign key, of a sequence as text. */
const INNER = [/(\bconstraint )(\w+)/g, /(\breferences )(\w+)/g, /(\bnextval\(')(\w+)/g];

/** The same DDL with a prefix on the names of everything that it creates. Throws on a statement that it cannot read. */
export const prefixDdl = (ddl: string, prefix: string): string =>
  ddl
    .split("\n")
    .map((line) => {
      if (line === "" || line.startsWith("--") || line === ");") return line;
      if (line.startsWith("  "))
        return line.trimStart().startsWith("--") ? line : prefixInside(line, prefix);
      const [head, kind, name, on] = STATEMENT.exec(line) ?? [];
      if (head === undefined || (kind === "index") !== (on !== undefined))
        throw new Error(`the DDL has a statement that it cannot have: ${line}`);
      const end = on === undefined ? "" : ` on ${prefix}${on}`;
      return `${head.slice(0, head.indexOf(` ${name}`))} ${prefix}${name}${end}${line.slice(head.length)}`;
    })
    .join("\n");

const prefixInside = (line: string, prefix: string) =>
  INNER.reduce((text, form) => text.replace(form, `$1${prefix}$2`), line);
