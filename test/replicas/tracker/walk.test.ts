/** Every field of every type resolves on real data. */
import { beforeAll, describe, expect, test } from "bun:test";
import { isObjectType } from "graphql";
import { trackerSchema } from "~/replicas/tracker/schema";
import { useSharedDatabase } from "../../support/database";
import { fieldsOf, objectsIn } from "../../support/selections";
import { MARIA, useTracker } from "../../support/tracker";
import { answered, idsIn, walkOf } from "../../support/walk";

const database = useSharedDatabase();
const tracker = useTracker(database, "tracker_expanded");

let ids = new Map<string, string>();
beforeAll(async () => {
  ids = await idsIn(database.sql, tracker.schema);
});

const seen = new Set<string>();

async function ask(document: string): Promise<void> {
  const answer = await tracker.ask(document, {}, MARIA);
  const { errors = answer.error } = answer;
  expect({ document, errors }).toEqual({ document, errors: undefined });
  for (const object of objectsIn(answer.data))
    for (const key of Object.keys(object))
      seen.add(`${object["__typename"]}.${key.replace(/^\w+_/, "")}`);
}

describe("every field resolves", () => {
  test.each(answered.map((field) => [field.name, field] as const))(
    "below %s",
    async (_name, field) => {
      for (const document of walkOf(ids).below(field)) await ask(document);
    },
  );

  test("of every type that has rows", () => {
    const { skipped } = walkOf(ids);
    const missed = [...ids.keys()].flatMap((name) => {
      const type = trackerSchema().getType(name);
      return isObjectType(type)
        ? fieldsOf(type)
            .filter((field) => !seen.has(`${name}.${field.name}`) && !skipped(type, field))
            .map((field) => `${name}.${field.name}`)
        : [];
    });
    expect(missed).toEqual([]);
  });
});
