/** Documents with every field of every type, from every query of the tracker. */
import { type GraphQLObjectType, getNamedType, isLeafType, isObjectType } from "graphql";
import type { Pool } from "~/db/connect";
import { coverage } from "~/replicas/tracker/coverage";
import { trackerSchema } from "~/replicas/tracker/schema";
import { MODEL_OF, MODELS } from "~/replicas/tracker/store/models/index";
import { type ArgumentsOf, fieldsOf, selections } from "./selections";
import { MARIA } from "./tracker";

const schema = trackerSchema();
const query = schema.getQueryType() as GraphQLObjectType;
const refused = new Set(
  coverage().flatMap(({ operation, state }) => (state === "refused" ? [operation] : [])),
);

/** The supported queries. */
export const answered = fieldsOf(query).filter(({ name }) => !refused.has(name));

/** One id of each type that has rows. */
export async function idsIn(sql: Pool, environment: string): Promise<Map<string, string>> {
  const ids = new Map<string, string>();
  for (const model of MODELS.values()) {
    if (model.source) continue;
    const owners = [
      "ownerId",
      "subscriberId",
      ...(model.name === "Notification" ? ["userId"] : []),
    ];
    const owner = owners.find((name) => model.columns.has(name));
    const mine = owner && !model.columns.has("name") ? `"${owner}" = '${MARIA}'` : "true";
    const [row] = await sql.unsafe(
      `select id from "${environment}".${model.table} where ${model.shared ? `type = '${model.name}'` : mine} limit 1`,
    );
    if (row) ids.set(model.name, row["id"]);
  }
  return ids;
}

const CHUNK = 12;
const nodeOf = (name: string) => name.replace(/Connection$/, "");
/** Types that a query returns directly; the others are selected below them. */
const ofQueries = new Set(fieldsOf(query).map((field) => nodeOf(getNamedType(field.type).name)));

export function walkOf(ids: ReadonlyMap<string, string>) {
  const idOf = (type: string) => ids.get(MODEL_OF[type] ?? type);
  const given: Record<string, () => string | undefined> = {
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
    const own = given[`${parent.name}.${field.name}`];
    if (own) return own();
    const id = idOf(getNamedType(field.type).name);
    const takesId = field.args.some(({ name }) => name === "id");
    return parent === query && takesId && id !== undefined ? `id: "${id}"` : undefined;
  };
  const { fieldText, inside, skipped } = selections(schema, argumentsOf);

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

  /** Documents with everything below a query; none if its type has no rows. */
  function below(field: (typeof answered)[number]): string[] {
    if (skipped(query, field)) return [];
    const type = getNamedType(field.type);
    const args = [
      argumentsOf(query, field),
      field.args.some((one) => one.name === "first") && "first: 3",
    ]
      .filter(Boolean)
      .join(", ");
    const call = `${field.name}${args === "" ? "" : `(${args})`}`;
    const node = schema.getType(nodeOf(type.name));
    if (isLeafType(type)) return [`{ ${call} }`];
    if (!isObjectType(node)) return [`{ ${call} ${inside(type, 1)} }`];
    return piecesOf(node).map((piece) =>
      type === node
        ? `{ ${call} { ${piece} } }`
        : `{ ${call} { nodes { ${piece} } pageInfo { hasNextPage } } }`,
    );
  }

  return { below, skipped };
}
