/** Every field of every type answers on real data. */
import { beforeAll, describe, expect, test } from "bun:test";
import { type GraphQLObjectType, getNamedType, isLeafType, isObjectType } from "graphql";
import { COVERAGE } from "~/replicas/tracker/coverage";
import { trackerSchema } from "~/replicas/tracker/schema";
import { MODEL_OF, MODELS } from "~/replicas/tracker/store/models/index";
import { useDatabase } from "../../support/database";
import { type ArgumentsOf, fieldsOf, objectsIn, selections } from "../../support/selections";
import { MARIA, useTracker } from "../../support/tracker";

const database = useDatabase();
const tracker = useTracker(database, "tracker_expanded");
const schema = trackerSchema();
const query = schema.getQueryType() as GraphQLObjectType;
const refused = new Set(
  COVERAGE.flatMap(({ operation, state }) => (state === "refused" ? [operation] : [])),
);

/** One id of each type that has rows. */
const ids = new Map<string, string>();
beforeAll(async () => {
  for (const model of MODELS.values()) {
    if (model.source) continue;
    const owner = ["ownerId", "subscriberId"].find((name) => model.columns.has(name));
    const mine = owner && !model.columns.has("name") ? `"${owner}" = '${MARIA}'` : "true";
    const [row] = await database.sql.unsafe(
      `select id from "${tracker.schema}".${model.table} where ${model.shared ? `type = '${model.name}'` : mine} limit 1`,
    );
    if (row) ids.set(model.name, row["id"]);
  }
});

const idOf = (type: string) => ids.get(MODEL_OF[type] ?? type);
const GIVEN: Record<string, () => string | undefined> = {
  "Query.searchIssues": () => 'term: "the"',
  "Query.searchProjects": () => 'term: "a"',
  "Query.searchDocuments": () => 'term: "a"',
  "Query.semanticSearch": () => 'query: "a"',
  "Query.attachmentsForURL": () => 'url: "https://example.com"',
  "Query.issueVcsBranchSearch": () => 'branchName: "maria/eng-1-x"',
  "Query.comment": () => `id: "${idOf("Comment")}"`,
  "Query.attachmentIssue": () => `id: "${idOf("Attachment")}"`,
  "Query.issueFigmaFileKeySearch": () => 'fileKey: "x"',
  "Query.slaConfigurations": () => `teamId: "${idOf("Team")}"`,
  "Query.issueFilterSuggestion": () => 'prompt: "mine"',
  "Query.projectFilterSuggestion": () => 'prompt: "mine"',
  "Query.initiativeFilterSuggestion": () => 'prompt: "mine"',
  "Team.membership": () => `userId: "${MARIA}"`,
};

const argumentsOf: ArgumentsOf = (parent, field) => {
  const given = GIVEN[`${parent.name}.${field.name}`];
  if (given) return given();
  const id = idOf(getNamedType(field.type).name);
  const takesId = field.args.some(({ name }) => name === "id");
  return parent === query && takesId && id !== undefined ? `id: "${id}"` : undefined;
};
const { fieldText, inside, skipped } = selections(schema, argumentsOf);

/** Types that a query leads to directly; the others are asked for below them. */
const ofQueries = new Set(
  fieldsOf(query).map((field) => getNamedType(field.type).name.replace(/Connection$/, "")),
);
const nodeOf = (name: string) => name.replace(/Connection$/, "");

const CHUNK = 12;
/** The selections of a type, a few fields each. */
function piecesOf(type: GraphQLObjectType): string[] {
  const parts = fieldsOf(type)
    .filter((field) => !skipped(type, field))
    .map((field) => {
      const named = getNamedType(field.type);
      const isDirect = isLeafType(named) || ofQueries.has(nodeOf(named.name));
      return fieldText(type, field, isDirect ? 0 : 1);
    });
  const pieces: string[] = [];
  for (let at = 0; at < parts.length; at += CHUNK)
    pieces.push(`__typename ${parts.slice(at, at + CHUNK).join(" ")}`);
  return pieces;
}

const seen = new Set<string>();

async function ask(document: string): Promise<void> {
  const answer = await tracker.ask(document, {}, MARIA);
  const { errors = answer.error } = answer;
  expect({ document, errors }).toEqual({ document, errors: undefined });
  for (const object of objectsIn(answer.data))
    for (const key of Object.keys(object))
      seen.add(`${object["__typename"]}.${key.replace(/^\w+_/, "")}`);
}

const fields = fieldsOf(query).filter(({ name }) => !refused.has(name));

describe("every field answers", () => {
  test.each(fields.map((field) => [field.name, field] as const))(
    "below %s",
    async (name, field) => {
      if (skipped(query, field)) return; // Nothing of its type is in the template.
      const type = getNamedType(field.type);
      const given = [
        argumentsOf(query, field),
        field.args.some((one) => one.name === "first") && "first: 3",
      ]
        .filter(Boolean)
        .join(", ");
      const call = `${name}${given === "" ? "" : `(${given})`}`;
      const node = schema.getType(nodeOf(type.name));
      if (isLeafType(type)) await ask(`{ ${call} }`);
      else if (!isObjectType(node)) await ask(`{ ${call} ${inside(type, 1)} }`);
      else
        for (const piece of piecesOf(node))
          await ask(
            type === node
              ? `{ ${call} { ${piece} } }`
              : `{ ${call} { nodes { ${piece} } pageInfo { hasNextPage } } }`,
          );
    },
  );

  test("of every type that has rows", () => {
    const missed = [...ids.keys()].flatMap((name) => {
      const type = schema.getType(name);
      return isObjectType(type)
        ? fieldsOf(type)
            .filter((field) => !seen.has(`${name}.${field.name}`) && !skipped(type, field))
            .map((field) => `${name}.${field.name}`)
        : [];
    });
    expect(missed).toEqual([]);
  });
});
