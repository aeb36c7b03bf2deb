/** The documents of the official clients, old and new, are valid, except after a breaking change of the service. */
import { expect, test } from "bun:test";
import * as sdk98 from "@linear/sdk";
import { type DocumentNode, validate as findErrors, Kind, parse } from "graphql";
import * as sdk58 from "linear58";
import * as sdk70 from "linear70";
import * as sdk86 from "linear86";
import { REFERENCE } from "~/docs/reference/index";
import { BREAKING_CHANGES } from "~/replicas/tracker/changed-since";
import { trackerSchema } from "~/replicas/tracker/schema";

const parsed = (document: object) =>
  "kind" in document ? (document as DocumentNode) : parse(String(document));

/** The operations of a client by name. */
const operationsOf = (documents: object) =>
  Object.entries(documents)
    .filter(([name]) => name.endsWith("Document"))
    .map(([name, document]) => [name.replace(/Document$/, ""), parsed(document)] as const)
    .filter(([, { definitions }]) =>
      definitions.some(({ kind }) => kind === Kind.OPERATION_DEFINITION),
    );

/** The names of all operations of a client, and of those that the schema rejects. */
const validated = new Map<object, { all: string[]; rejected: string[] }>();
function validate(documents: object) {
  const known = validated.get(documents);
  if (known) return known;
  const operations = operationsOf(documents);
  const errorsOf = (document: DocumentNode) => findErrors(trackerSchema(), document);
  const wrong = operations.filter(([, document]) => errorsOf(document).length > 0);
  const found = { all: operations.map(([name]) => name), rejected: wrong.map(([name]) => name) };
  validated.set(documents, found);
  return found;
}

const CLIENTS = [
  ["98", sdk98.LinearDocument, 674, 674],
  ["86", sdk86.LinearDocument, 627, 641],
  ["70", sdk70.LinearDocument, 560, 564],
  ["58", sdk58.LinearDocument, 537, 540],
] as const;
const known = new Set(BREAKING_CHANGES.flatMap(({ documents }) => documents));

test.each(CLIENTS)("of client %s", (_version, documents, valid, count) => {
  const { all, rejected } = validate(documents);

  expect(rejected.filter((name) => !known.has(name))).toEqual([]);
  expect([all.length - rejected.length, all.length]).toEqual([valid, count]);
});

test("each breaking change rejects a document of a client, and is in the reference", () => {
  const page = REFERENCE.get("tracker")!();
  const rejected = new Set(CLIENTS.flatMap(([, documents]) => validate(documents).rejected));

  expect([...rejected].sort()).toEqual([...known].sort());
  for (const { since, change, documents } of BREAKING_CHANGES) {
    expect(page).toContain(`| ${since} | ${change} |`);
    for (const name of documents) expect(page).toContain(`\`${name}\``);
  }
});
