/** The statements of a request do not grow with its rows. */

import { beforeAll, describe, expect, test } from "bun:test";
import { LinearDocument } from "@linear/sdk";
import { type GraphQLObjectType, getNamedType, isLeafType } from "graphql";
import { type Pool, SESSION } from "~/db/connect";
import { openSession, tablesOf } from "~/db/session";
import { NO_ALIASES } from "~/input/aliases";
import { newAccount } from "~/replicas/replica";
import { tracker as replica } from "~/replicas/tracker/index";
import { trackerSchema } from "~/replicas/tracker/schema";
import { TABLES } from "~/replicas/tracker/store/tables";
import { HeaderList, HttpRequest, textOf } from "~/wire/message";
import { plainPool, useSharedDatabase } from "../../support/database";
import { MARIA, useTracker } from "../../support/tracker";

const database = useSharedDatabase();
const tracker = useTracker(database, "tracker_expanded");
const statements: string[] = [];
const parameters = new Map<string, unknown[]>();
let pool: Pool;
let session: ReturnType<typeof openSession>;

beforeAll(async () => {
  pool = plainPool(database.url, {
    max: 1,
    types: { date: { to: 1082, from: [1082], serialize: String, parse: String } },
    connection: { ...SESSION },
    debug: (_connection: number, text: string, values: unknown[]) => {
      statements.push(text);
      parameters.set(text, values);
    },
  });
  const names = [...TABLES.keys()].map((name) => ({ name }));
  session = openSession(pool, tracker.schema, tablesOf(pool, tracker.schema, names));
  await pool`select`; // The driver asks for the types of arrays first.
  return () => pool.end();
});

/** The data of a request, and its statements. */
async function count(query: string, variables: object = {}) {
  statements.length = 0;
  const headers = { "Content-Type": "application/json" };
  const response = await replica.handle({
    request: new HttpRequest("POST", "/graphql", HeaderList.of(headers)),
    path: "graphql",
    body: new TextEncoder().encode(JSON.stringify({ query, variables })),
    session,
    actor: MARIA,
    userToken: undefined,
    account: newAccount("test"),
    isAnonymous: false,
    mayImpersonate: false,
    hasApp: async () => false,
    userOfApp: async () => undefined,
    answerEvent: async () => undefined,
    failuresOf: async () => new Map(),
    baseUrl: "http://localhost",
    secret: new Uint8Array(),
    aliases: NO_ALIASES,
  });
  const { data, errors } = JSON.parse(textOf(response));
  expect(errors).toBeUndefined();
  return { data, statements: [...statements] };
}

const LIST = `query($first: Int) { issues(first: $first) { nodes {
  id identifier title team { id key } state { id name } assignee { id name } labels { nodes { id name } }
} } }`;

type Scan = { readonly table: string; readonly loops: number };

/** The scans of a statement as Postgres runs it. */
async function scansOf(text: string): Promise<Scan[]> {
  const [row] = await pool.unsafe(
    `explain (analyze, format json, timing off) ${text}`,
    parameters.get(text) as never[],
  );
  const scans = function* (node: any): Generator<Scan> {
    const { "Node Type": type, "Relation Name": table, "Actual Loops": loops } = node;
    if (table !== undefined && type.endsWith("Scan")) yield { table, loops };
    for (const child of node.Plans ?? []) yield* scans(child);
  };
  return [...scans(row?.["QUERY PLAN"][0].Plan)];
}

describe("statements", () => {
  test.each([
    ["issues", "labels"],
    ["issues", "subscribers"],
    ["projects", "labels"],
    ["projects", "teams"],
    ["projects", "members"],
    ["projects", "initiatives"],
    ["initiatives", "labels"],
    ["initiatives", "projects"],
    ["teams", "members"],
    ["teams", "projects"],
    ["users", "teams"],
  ])("%s with their %s look up no others", async (list, field) => {
    const { data, statements: sent } = await count(
      `{ ${list}(first: 50) { nodes { id ${field}(first: 50) { nodes { id } } } } }`,
    );
    const { nodes } = data[list];
    const related = nodes.flatMap((node: any) => node[field].nodes);
    expect(related).not.toBeEmpty();

    const scans = (await Promise.all(sent.map(scansOf))).flat();
    const most = nodes.length + related.length;
    expect(scans.filter(({ loops }) => loops > most)).toEqual([]);
  });

  test("one issue as the official client requests it: at most 3", async () => {
    const { id } = (await count("{ issues(first: 1) { nodes { id } } }")).data.issues.nodes[0];
    const found = await count(String(LinearDocument.IssueDocument), { id });

    expect(found.data.issue.id).toBe(id);
    expect(found.statements.length).toBeLessThanOrEqual(3);
  });

  test.each([[1], [50]])(
    "%d issues with team, state, assignee and labels: at most 6",
    async (first) => {
      const { data, statements: sent } = await count(LIST, { first });

      expect(data.issues.nodes).toHaveLength(first);
      expect(sent.length).toBeLessThanOrEqual(6);
    },
  );

  const withoutNested = (text: string): string => {
    const outer = text.replace(/\([^()]*\)/g, "");
    return outer === text ? text : withoutNested(outer);
  };
  /** The verb of each statement, and the table that it writes, locks or reads. */
  const shapes = (sent: readonly string[]) =>
    sent.map((text) => {
      const [verb] = text.trim().split(/\s+/);
      const [, table = ""] =
        /(?:into|update|from) "[^"]+"\."(\w+)"/.exec(withoutNested(text)) ?? [];
      return `${verb} ${table}`.trim();
    });

  describe("changes send only what they need", () => {
    let teamId: string;
    let issueId: string;
    beforeAll(async () => {
      const { data } = await count(`{ issues(first: 1, filter: { team: { key: { eq: "ENG" } } }) {
        nodes { id team { id } }
      } }`);
      [
        {
          id: issueId,
          team: { id: teamId },
        },
      ] = data.issues.nodes;
    });

    /** The lock of the team, the place of the issue in it, and its states. */
    const place = ["select teams", "select teams", "select workflow_states"];

    test.each([
      [{}, [...place, "insert issues", "insert issue_subscribers"]],
      [
        { description: "by @maria" },
        [...place, "select users", "insert issues", "insert issue_subscribers"],
      ],
    ])("a new issue with %p", async (input, expected) => {
      const { statements: sent } = await count(String(LinearDocument.CreateIssueDocument), {
        input: { teamId, title: "Counted", ...input },
      });

      expect(shapes(sent)).toEqual(["select users", "begin", ...expected, "commit"]);
    });

    test("a new title: no labels, subscribers or notifications", async () => {
      const { statements: sent } = await count(String(LinearDocument.UpdateIssueDocument), {
        id: issueId,
        input: { title: `Counted ${issueId}` },
      });

      expect(shapes(sent)).toEqual([
        "select users",
        "begin",
        "select issues",
        "select teams",
        "select workflow_states",
        "update issues",
        "insert issue_history",
        "select",
        "commit",
      ]);
    });

    test("a move of two issues: one place, and no look-up for each of them", async () => {
      const { data } = await count(`{
        teams(filter: { key: { neq: "ENG" } }, first: 1) { nodes { id } }
        issues(first: 2, filter: { team: { key: { eq: "ENG" } }, id: { neq: "${issueId}" } }) { nodes { id } }
      }`);
      const ids = data.issues.nodes.map(({ id }: { id: string }) => id);
      const { statements: sent } = await count(
        `mutation($ids: [UUID!]!, $input: IssueUpdateInput!) {
          issueBatchUpdate(ids: $ids, input: $input) { success }
        }`,
        { ids, input: { teamId: data.teams.nodes[0].id } },
      );
      const writes = shapes(sent).filter((shape) => !shape.startsWith("select"));
      const reads = shapes(sent).filter((shape) => shape.startsWith("select"));

      expect(writes.filter((shape) => shape === "update teams")).toHaveLength(2);
      expect(reads).toEqual(expect.arrayContaining(["select issue_subscribers"]));
      expect(reads.filter((shape) => shape === "select issue_subscribers")).toHaveLength(1);
    });

    test("a new comment: its issue, the comment, and those who follow it", async () => {
      const { statements: sent } = await count(String(LinearDocument.CreateCommentDocument), {
        input: { issueId, body: "Counted" },
      });

      expect(shapes(sent)).toEqual([
        "select users",
        "begin",
        "select issues",
        "insert comments",
        "insert notifications",
        "insert issue_subscribers",
        "select",
        "commit",
      ]);
    });
  });

  test("a page reads the columns of its fields only", async () => {
    const { statements: sent } = await count(
      "{ issues(first: 2) { nodes { title url assignee { name } labels { nodes { name } } } } }",
    );
    const columnsOf = (table: string) => {
      const read = new RegExp(`select((?:(?!select).)*?)from "[^"]+"\\."${table}" as`, "s");
      const [, list = ""] = sent.map((text) => read.exec(text)).find((found) => found) ?? [];
      return [...list.matchAll(/"r\d+"\."(\w+)"/g)].map(([, column]) => column);
    };

    expect(columnsOf("issues")).toEqual(["id", "identifier", "title", "assigneeId"]);
    expect(columnsOf("issue_labels")).toEqual(["id", "name"]);
  });

  test("the places of a document that select users share one statement with the columns of all", async () => {
    const { statements: sent } = await count(
      "{ issues(first: 50) { nodes { assignee { name } creator { ... on User { email } } } } }",
    );
    const users = sent.filter((text) => /"users" as "r1"/.test(text));

    expect(users).toHaveLength(1);
    expect(users[0]).toMatch(/select "r1"."id"\s+, "r1"."name" , "r1"."email"\s+from/);
  });

  test.each(["issues", "comments", "projects"])(
    "each field of %s has the same value alone as among all others",
    async (name) => {
      const query = trackerSchema().getQueryType()?.getFields()[name];
      const page = getNamedType(query!.type) as GraphQLObjectType;
      const node = getNamedType(page.getFields()["nodes"]!.type) as GraphQLObjectType;
      const leaves = Object.values(node.getFields()).filter(
        ({ type, args }) => isLeafType(getNamedType(type)) && args.length === 0,
      );
      const read = async (fields: readonly string[]) =>
        (await count(`{ ${name}(first: 3) { nodes { ${fields.join(" ")} } } }`)).data[name].nodes;
      const whole = await read(leaves.map((field) => field.name));

      for (const field of leaves)
        expect(await read([field.name])).toEqual(
          whole.map((row: object) => ({ [field.name]: row[field.name as never] })),
        );
    },
  );

  test("comments of many issues, with their authors and reactions: as many as for one", async () => {
    const query = `query($first: Int) { issues(first: $first) { nodes { comments { nodes {
      id body url user { id name } reactions { id user { id name } }
    } } } } }`;
    const one = await count(query, { first: 1 });
    const many = await count(query, { first: 40 });

    expect(many.statements.length).toBeLessThanOrEqual(Math.max(one.statements.length, 7));
  });

  test.each(["projects", "initiatives", "documents", "cycles", "teams", "users", "notifications"])(
    "%s as the official client asks for them: not more for fifty than for two",
    async (name) => {
      const type =
        `${name.charAt(0).toUpperCase()}${name.slice(1)}Document` as keyof typeof LinearDocument;
      const document = String(LinearDocument[type]);
      const two = await count(document, { first: 2 });
      const fifty = await count(document, { first: 50 });

      expect(fifty.statements.length).toBeLessThanOrEqual(two.statements.length + 2);
    },
  );
});
