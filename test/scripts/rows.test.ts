/** The types of rows follow from the tables. */
import { expect, test } from "bun:test";
import { basename, dirname } from "node:path";
import { ROW_FILES, rowTypes } from "../../scripts/rows";

test.each([...ROW_FILES].map(([file, text]) => [basename(dirname(dirname(file))), file, text]))(
  "the row types of the %s are those of its tables.sql",
  async (_service, file, text) => {
    const stored = await Bun.file(file ?? "").text();

    expect(stored, "tables.sql has changed. Renew the types with: bun run rows").toBe(text ?? "");
  },
);

test("a column is of the type that the driver reads, and null unless it is required", () => {
  const ddl = `create table things (
  id uuid primary key, -- given by the caller
  name text not null default 'a',
  size float8,
  tags text[] not null,
  data jsonb,
  unique (name, size)
);
`;

  expect(
    rowTypes(ddl),
  ).toBe(`/** The rows of each table of tables.sql. Written by \`bun run rows\`. */
export type Rows = {
  readonly things: {
    readonly id: string;
    readonly name: string;
    readonly size: number | null;
    readonly tags: readonly string[];
    readonly data: unknown;
  };
};
`);
});

test.each([
  ["a line that is no column", "  id uuid primary key,\n  like other\n  (x)\n"],
  ["a type it does not know", "  id circle\n"],
])("rejects %s", (_what, body) => {
  expect(() => rowTypes(`create table things (\n${body});\n`)).toThrow();
});
