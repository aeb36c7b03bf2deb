import type { Fragment, Sql } from "~/db/connect";
import type { Vocabulary } from "~/evaluation/vocabulary";

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Returns those of the ids that a row of the schema has as its key. Keys of several columns are not looked at. */
export async function findIds(
  sql: Sql,
  schema: string,
  tables: Vocabulary["tables"],
  ids: readonly string[],
): Promise<Set<string>> {
  const uuids = ids.filter((id) => UUID.test(id));
  const selects = tables.flatMap(({ name, columns, key = [] }): Fragment[] => {
    const [column, second] = key;
    const type = columns.find((each) => each.name === column)?.type;
    if (column === undefined || second !== undefined) return [];
    const from = sql`select ${sql(column)}::text as id from ${sql(schema)}.${sql(name)}`;
    if (type === "uuid") return [sql`${from} where ${sql(column)} = any(${uuids}::text[]::uuid[])`];
    const isText = /^(text|character)/.test(type ?? "");
    return isText ? [sql`${from} where ${sql(column)} = any(${[...ids]}::text[])`] : [];
  });
  const [first, ...others] = selects;
  if (!first) return new Set();
  const all = others.reduce((before, each) => sql`${before} union all ${each}`, first);
  return new Set((await sql<{ id: string }[]>`${all}`).map(({ id }) => id));
}
