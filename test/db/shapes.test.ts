/** Parameter types that one schema has taught are used in another with the same tables. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { connect, type Pool } from "~/db/connect";
import { fenced } from "~/db/driver";
import { createShapes, type Shapes } from "~/db/shapes";
import { useDatabase } from "../support/database";

const database = useDatabase({ empty: true });
const tables = [{ name: "notes", columns: [{ name: "data", type: "jsonb" }] }];
let session: Pool;

beforeAll(async () => {
  session = connect(database.url, { max: 1, name: "shapes", onClose: () => undefined });
  for (const schema of ["one", "two"])
    await database.sql.unsafe(`create schema ${schema}; create table ${schema}.notes (data jsonb)`);
});
afterAll(() => session.end({ timeout: 1 }));

const under = (shapes: Shapes): Pool => fenced(session, { refusal: () => undefined, shapes });

describe("the types of a statement", () => {
  const [TEXT, JSONB, OWN] = [25, 3802, 16_400];
  const insert = (schema: string) => `0insert into "${schema}"."notes" values ($1)`;

  test("are known in schemas with the same tables, and in no other", () => {
    const shapesOf = createShapes();
    shapesOf("one", tables).learn(insert("one"), [JSONB]);

    expect(shapesOf("two", [...tables]).typesOf(insert("two"))).toEqual([JSONB]);
    expect(shapesOf("two", tables).typesOf(insert("one"))).toBeUndefined();
    const older = [{ name: "notes", columns: [{ name: "data", type: "text" }] }];
    expect(shapesOf("two", older).typesOf(insert("two"))).toBeUndefined();
  });

  test("are not remembered where each schema has its own", () => {
    const shapes = createShapes()("one", tables);
    shapes.learn(insert("one"), [TEXT, OWN]);

    expect(shapes.typesOf(insert("one"))).toBeUndefined();
  });
});

test("a statement of known types is sent with its values, alone and in a transaction", async () => {
  const shapesOf = createShapes();
  const values = [{ text: "5" }, "5", null, [1]];
  const asked: string[] = [];
  const of = (schema: string) => {
    const shapes = shapesOf(schema, tables);
    const learn = (statement: string, types: readonly number[]) => {
      if (!shapes.typesOf(statement)) asked.push(schema);
      shapes.learn(statement, types);
    };
    return under({ ...shapes, learn });
  };

  for (const schema of ["one", "two"]) {
    const notes = session(`${schema}.notes`);
    for (const value of values) await of(schema)`insert into ${notes} values (${value as string})`;
    await of(schema).begin(async (tx) => {
      for (const value of values) await tx`insert into ${notes} (data) values (${value as string})`;
    });
  }

  const read = (schema: string) => database.sql.unsafe(`select data from ${schema}.notes`);
  expect((await read("two")).map(({ data }) => data)).toEqual([...values, ...values]);
  expect([...(await read("one"))]).toEqual([...(await read("two"))]);
  expect(asked).toEqual(["one", "one"]);
});

test("a statement's types come from the first schema: the server is not asked again", async () => {
  const sent = under({ typesOf: () => [23], learn: () => undefined });

  // Without a type it would be text.
  expect(await sent`select ${5} as value`).toMatchObject([{ value: 5 }]);
  await expect(sent`select ${"none"} as text`).rejects.toThrow("integer");
  expect(await sent`select ${6} as value`).toMatchObject([{ value: 6 }]);
});
