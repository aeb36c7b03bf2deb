/** How services call their rows in sentences. */
import { describe, expect, test } from "bun:test";
import { REPLICAS } from "~/replicas/index";
import type { TableWords } from "~/replicas/row-words";

const TABLES = [...REPLICAS].flatMap(([service, { words = {} }]) =>
  Object.entries(words).flatMap(([table, { name, named }]) =>
    name ? [[service, table, { name, named }] as const] : [],
  ),
);

/** The columns that the name of a row reads, whether they have values or not. */
function columnsRead(name: NonNullable<TableWords["name"]>): string[] {
  const read = new Set<string>();
  for (const value of ["x", "", null, 1, true, {}]) {
    const row = new Proxy({} as { readonly [column: string]: unknown }, {
      get: (_, column) => {
        read.add(String(column));
        return value;
      },
    });
    name(row, (_table, id) => id);
  }
  return [...read].toSorted();
}

describe("`named` lists the columns that `name` reads, and no others", () => {
  test.each(TABLES)("%s: %s", (_service, _table, { name, named }) => {
    expect(columnsRead(name)).toEqual([...(named ?? [])].toSorted());
  });
});

test("a label is a noun, and `is` begins with what can follow one", () => {
  const follows =
    /^(as|assigned|below|by|delegated|due on|for|in|led|named|namely|of|on|resolved|titled|to|with)\b/;
  const columns = [...REPLICAS.values()].flatMap(({ words = {} }) =>
    Object.values(words).flatMap((table) => Object.values(table.columns ?? {})),
  );
  expect(columns.length).toBeGreaterThan(50);
  expect(columns.filter(({ label }) => follows.test(label ?? ""))).toEqual([]);
  expect(columns.filter(({ is }) => is && !follows.test(is))).toEqual([]);
});
