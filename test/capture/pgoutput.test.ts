/** The messages of pgoutput name types by their ids. */
import { expect, test } from "bun:test";
import type { TableShape } from "~/capture/change";
import { createPgoutputDecoder } from "~/capture/pgoutput";
import { useSharedDatabase } from "../support/database";

const database = useSharedDatabase();
const SCALARS =
  "bool bytea int8 int2 int4 text json float4 float8 bpchar varchar date time timestamp timestamptz numeric uuid jsonb";
const LISTS =
  "_json _bool _int2 _int4 _text _varchar _int8 _float4 _float8 _timestamp _date _timestamptz _numeric _uuid _jsonb";

const int = (bytes: number, value: number) => {
  const buffer = Buffer.alloc(bytes);
  buffer.writeUIntBE(value, 0, bytes);
  return buffer;
};
const text = (value: string) => Buffer.from(`${value}\0`);
const RELATION = 7;

test("the columns of a table have the names that Postgres gives their types", async () => {
  const types = await database.sql<{ oid: number; type: string }[]>`
    select oid::int, format_type(oid, null) as type from pg_type
    where typname = any(${`${SCALARS} ${LISTS}`.split(" ")}) and typnamespace = 'pg_catalog'::regnamespace
  `;
  const columns = types.map(({ oid }, index) =>
    Buffer.concat([int(1, 0), text(`c${index}`), int(4, oid), int(4, 0)]),
  );
  const relation = [
    text("env_1"),
    text("things"),
    text("f").subarray(0, 1),
    int(2, columns.length),
  ];
  const values = types.map(() => Buffer.from("n"));
  const table = { columns: [], types: [] } as unknown as TableShape;
  const decode = createPgoutputDecoder();

  decode(Buffer.concat([Buffer.from("R"), int(4, RELATION), ...relation, ...columns]), () => table);
  decode(
    Buffer.concat([
      ...[Buffer.from("I"), int(4, RELATION), Buffer.from("N"), int(2, values.length)],
      ...values,
    ]),
    () => table,
  );

  expect(types).toHaveLength(33);
  expect(table.types).toEqual(types.map(({ type }) => type));
});
