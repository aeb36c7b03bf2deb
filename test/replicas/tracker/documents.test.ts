/** Every query of the official clients succeeds, in every version. */
import { beforeAll, describe, expect, test } from "bun:test";
import * as sdk98 from "@linear/sdk";
import {
  type DocumentNode,
  type FieldNode,
  getNamedType,
  Kind,
  type OperationDefinitionNode,
  parse,
  print,
} from "graphql";
import * as sdk58 from "linear58";
import * as sdk86 from "linear86";
import { coverage } from "~/replicas/tracker/coverage";
import { trackerSchema } from "~/replicas/tracker/schema";
import { MODEL_OF, MODELS } from "~/replicas/tracker/store/models/index";
import { useSharedDatabase } from "../../support/database";
import { MARIA, useTracker } from "../../support/tracker";

const database = useSharedDatabase();
const tracker = useTracker(database, "tracker_expanded");
const query = trackerSchema().getQueryType();
const refused = new Set(
  coverage().flatMap(({ operation, state }) => (state === "refused" ? [operation] : [])),
);

/** One id of each type with rows that Maria sees. */
const ids = new Map<string, string>();
beforeAll(async () => {
  for (const { name, table, shared, source, columns } of MODELS.values()) {
    if (source) continue;
    const owner = ["ownerId", "subscriberId", "userId"].find((column) => columns.has(column));
    const personal = /^(Favorite|Notification|NotificationSubscription)$/.test(name);
    const where = shared ? `type = '${name}'` : `${personal ? `"${owner}" = '${MARIA}'` : "true"}`;
    const [row] = await database.sql.unsafe(
      `select id from "${tracker.schema}".${table} where ${where} limit 1`,
    );
    if (row) ids.set(name, row["id"]);
  }
});

const VARIABLES: Readonly<Record<string, unknown>> = {
  branchName: "maria/eng-1-x",
  term: "a",
  query: "a",
  url: "https://example.com",
  prompt: "mine",
  fileKey: "x",
  first: 2,
};

type Sent = { readonly name: string; readonly text: string; readonly field: string };

const omit = (documents: object, changed: string) =>
  Object.fromEntries(Object.entries(documents).filter(([name]) => name !== changed));

/** The documents of an SDK that only read. */
function queriesOf(documents: object): Sent[] {
  return Object.entries(documents).flatMap(([name, document]) => {
    if (!name.endsWith("Document")) return [];
    const text =
      typeof document === "object" && "kind" in document
        ? print(document as DocumentNode)
        : String(document);
    const operation = parse(text).definitions.find(
      (node): node is OperationDefinitionNode => node.kind === Kind.OPERATION_DEFINITION,
    );
    const field = operation?.selectionSet.selections[0] as FieldNode | undefined;
    if (operation?.operation !== "query" || !field || refused.has(field.name.value)) return [];
    return [{ name, text, field: field.name.value }];
  });
}

/** Undefined when the template has no row for the document. */
function variablesOf({ text, field }: Sent): Record<string, unknown> | undefined {
  const [operation] = parse(text).definitions as [OperationDefinitionNode];
  const type = getNamedType(query?.getFields()[field]?.type)?.name ?? "";
  const own = field === "attachmentIssue" ? "Attachment" : type;
  const id = ids.get(MODEL_OF[own] ?? own);
  const variables: Record<string, unknown> = {};
  for (const { variable, type: wanted } of operation.variableDefinitions ?? []) {
    const { value: name } = variable.name;
    if (name === "id" && id !== undefined) variables[name] = id;
    else if (name === "teamId") variables[name] = ids.get("Team");
    else if (name in VARIABLES) variables[name] = VARIABLES[name];
    else if (wanted.kind === Kind.NON_NULL_TYPE) return undefined;
  }
  return variables;
}

/** Selects a type that the service returned in the past; `changed-since.ts` has the whole list. */
const CHANGED = "InitiativeRelationDocument";

describe.each([
  ["98", sdk98.LinearDocument, 300],
  ["86", sdk86.LinearDocument, 280],
  ["58", omit(sdk58.LinearDocument, CHANGED), 220],
])("SDK %s", (_version, documents, atLeast) => {
  test("succeeds", async () => {
    let answered = 0;
    for (const sent of queriesOf(documents)) {
      const variables = variablesOf(sent);
      if (!variables) continue;
      const { data, errors, error } = await tracker.ask(sent.text, variables, MARIA);
      expect({ name: sent.name, variables, errors, error }).toEqual({
        name: sent.name,
        variables,
        errors: undefined,
        error: undefined,
      });
      expect(data).toHaveProperty(sent.field);
      answered++;
    }
    expect(answered).toBeGreaterThan(atLeast);
  });
});

describe.each([
  ["86", sdk86.LinearClient],
  ["58", sdk58.LinearClient],
])("the client of SDK %s", (_version, Client) => {
  test("creates, reads, changes and archives an issue", async () => {
    const linear = new Client({
      apiKey: MARIA,
      apiUrl: tracker.url,
      headers: { "X-API-Key": tracker.key },
    });
    const [team] = (await linear.teams()).nodes;
    const payload = await linear.createIssue({ teamId: team!.id, title: "From an older client" });
    const issue = (await payload.issue)!;
    await issue.update({ priority: 1 });
    await linear.createComment({ issueId: issue.id, body: "Hello" });
    const found = await linear.issue(issue.identifier);

    expect(found).toMatchObject({ title: "From an older client", priority: 1 });
    expect((await found.creator)?.id).toBe(MARIA);
    expect((await found.comments()).nodes.map(({ body }) => body)).toEqual(["Hello"]);
    await found.archive();
    expect((await linear.issue(issue.id)).archivedAt).toBeInstanceOf(Date);
  });
});
