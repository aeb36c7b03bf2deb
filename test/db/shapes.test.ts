/** Parameter types that one schema has taught are used in another with the same tables. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { connect, type Pool } from "~/db/connect";
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

/** As in `db/session-pool.ts`. */
const under = (shapes: Shapes): Pool =>
  (session as unknown as { fence(token: object): Pool }).fence({ lost: false, shapes });

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

describe("the common statements", () => {
  const select = (schema: string, n: number) => `0,25select ${n}, $1, $2 from "${schema}"."notes"`;

  test("are those that several sessions sent, with the name of another schema, the last used first", () => {
    const shapesOf = createShapes();
    const shapes = shapesOf("one", tables);
    for (const n of [1, 2, 3]) shapes.learn(select("one", n), [23, 25]);
    for (const n of [3, 1]) shapesOf("two", tables).typesOf(select("two", n));

    expect(shapesOf("three", tables).common()).toMatchObject(
      [1, 3].map((n) => ({
        text: select("three", n).slice(4),
        inferred: [0, 25],
        types: [23, 25],
      })),
    );
    expect(shapesOf("three", [{ name: "others" }]).common()).toEqual([]);
  });

  test("are limited in number and in characters", () => {
    const some = (length: number) => {
      const shapes = createShapes()("one", tables);
      for (let n = 0; n < 100; n++) {
        const statement = `select ${n} ${" ".repeat(length)}`;
        shapes.learn(statement, []);
        shapes.typesOf(statement);
      }
      return shapes.common();
    };
    expect(some(0)).toHaveLength(64);
    expect(some(15_000)).toHaveLength(13);
    expect(some(50_000)).toHaveLength(0);
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
  const sent = under({ typesOf: () => [23], learn: () => undefined, common: () => [] });

  // Without a type it would be text.
  expect(await sent`select ${5} as value`).toMatchObject([{ value: 5 }]);
  await expect(sent`select ${"none"} as text`).rejects.toThrow("integer");
  expect(await sent`select ${6} as value`).toMatchObject([{ value: 6 }]);
});
