/** Every list has a defined order: the physical order of rows has no effect, even among equals. */
import { beforeAll, expect, test } from "bun:test";
import { useDatabase } from "../../support/database";
import { levelRows, preferHeapOrder, reverseRows } from "../../support/heap";
import { MARIA, useTracker } from "../../support/tracker";
import { answered, idsIn, walkOf } from "../../support/walk";

const database = useDatabase();
beforeAll(() => preferHeapOrder(database.sql));
const tracker = useTracker(database, "tracker_expanded");

const LEVELS: Readonly<Record<string, string>> = {
  "timestamp with time zone": "timestamptz '2026-02-01'",
  "double precision": "1",
};

async function answers(documents: readonly string[]) {
  const found = new Map<string, string>();
  for (const document of documents)
    found.set(document, JSON.stringify(await tracker.ask(document, {}, MARIA)));
  return found;
}

test("no list depends on the physical order of rows, even among equals", async () => {
  await levelRows(database.sql, tracker.schema, (_table, _column, type) => LEVELS[type]);
  const { below } = walkOf(await idsIn(database.sql, tracker.schema));
  const documents = answered.flatMap(below);
  const before = await answers(documents);
  expect(documents.length).toBeGreaterThan(250);

  await reverseRows(database.sql, tracker.schema);

  const after = await answers(documents);
  expect(documents.filter((document) => after.get(document) !== before.get(document))).toEqual([]);
});
