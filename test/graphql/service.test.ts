/** The folder knows no service: another one with GraphQL could use it. */
import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { trackerSchema } from "~/replicas/tracker/schema";

const FOLDER = join(import.meta.dir, "../../src/graphql");
/** Types of any GraphQL API with pages, and names that are JavaScript's or Postgres's too. */
const COMMON = new Set(["Duration", "ID", "Int", "JSON", "PageInfo", "Query", "String", "UUID"]);
/** Fields, arguments and parts of names that only the service has. */
const OWN =
  /lastSyncId|includeArchived|includeDisabled|ArchivePayload|CollectionFilter|\blinear\b/i;

test("no file names a type or another word of the tracker's schema", () => {
  const types = new Set(Object.keys(trackerSchema().getTypeMap()));
  const found = readdirSync(FOLDER).flatMap((file) => {
    const text = readFileSync(join(FOLDER, file), "utf8");
    const words = (text.match(/\b[A-Za-z_]\w*\b/g) ?? []).filter((word) => types.has(word));
    return [...words.filter((word) => !COMMON.has(word)), ...(OWN.exec(text) ?? [])].map(
      (word) => `${file}: ${word}`,
    );
  });

  expect(found).toEqual([]);
});
