/** Rows are read as Postgres prints them. */
import { expect, test } from "bun:test";
import fc from "fast-check";
import { readRecord } from "~/db/record-text";
import { useDatabase } from "../support/database";

const database = useDatabase();
const text = fc.string({ unit: fc.constantFrom('"', "\\", ",", "(", ")", " ", "\n", "a", "é") });

test("whatever their values", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.option(text), { minLength: 1, maxLength: 5 }), async (values) => {
      const parameters = values.map((_, at) => `$${at + 1}::text`).join(", ");
      const [found] = await database.sql.unsafe(`select row(${parameters})::text as row`, values);
      expect(readRecord(found?.["row"])).toEqual(values);
    }),
    { numRuns: 300 },
  );
});
