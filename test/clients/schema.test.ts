/** The tools of the GraphQL ecosystem take the schema as the running server shows it. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ApolloClient, gql, HttpLink, InMemoryCache } from "@apollo/client";
import { codegen } from "@graphql-codegen/core";
import * as typescript from "@graphql-codegen/typescript";
import { diff } from "@graphql-inspector/core";
import * as graphql16 from "graphql";
import * as graphql17 from "graphql17";
import { useSharedDatabase } from "../support/database";
import { uv } from "../support/packages";
import { ENG, JOHN, ROBIN, useTracker } from "../support/tracker";

const tracker = useTracker(useSharedDatabase());
const ROOT = join(import.meta.dir, "../..");
const MINUTE = 60_000;
const headers = () => ({ "X-API-Key": tracker.key });
let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "diorama-"));
});
afterAll(async () => {
  await rm(folder, { recursive: true });
});

async function run(...command: string[]): Promise<string> {
  const child = Bun.spawn(command, { cwd: folder, stdout: "pipe", stderr: "pipe" });
  const [out, error] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  expect({ code: await child.exited, output: `${out}${error}`.slice(-4_000) }).toMatchObject({
    code: 0,
  });
  return out;
}

const introspect = async (): Promise<graphql16.GraphQLSchema> =>
  graphql16.buildClientSchema(
    await tracker.data(graphql16.getIntrospectionQuery({ inputValueDeprecation: true })),
  );

describe("graphql-js", () => {
  test.each([
    ["16", graphql16],
    ["17", graphql17 as unknown as typeof graphql16],
  ])("%s builds a valid schema from introspection and from SDL", async (major, library) => {
    const options = { inputValueDeprecation: true, oneOf: true, specifiedByUrl: true };
    const query = library.getIntrospectionQuery(options);
    const schema = library.buildClientSchema(await tracker.data(query));

    expect(library.version).toStartWith(`${major}.`);
    expect(library.validateSchema(schema)).toEqual([]);
    const again = library.buildSchema(library.printSchema(schema));
    expect(library.validateSchema(again)).toEqual([]);
    expect(Object.keys(again.getTypeMap()).length).toBeGreaterThan(1_000);
  });
});

const PYTHON = `
import json, sys, urllib.request
from graphql import (build_client_schema, build_schema, get_introspection_query, parse,
                     print_schema, validate, validate_schema, version)
url, key, document = sys.argv[1:]
def ask(query):
    body = json.dumps({"query": query}).encode()
    headers = {"Content-Type": "application/json", "X-API-Key": key}
    return json.load(urllib.request.urlopen(urllib.request.Request(url, body, headers)))["data"]
schema = build_client_schema(ask(get_introspection_query(input_value_deprecation=True)))
again = build_schema(print_schema(schema))
problems = [str(p) for s in (schema, again) for p in validate_schema(s) + validate(s, parse(document))]
print(json.dumps({"version": version, "problems": problems, "teams": ask(document)["teams"]["nodes"]}))
`;
const TEAMS =
  'query { teams(filter: { id: { eq: "c0000000-0000-4000-8000-000000000001" } }) { nodes { key issueCount } } }';

/** 3.2.6 rejects a directive with a location that it does not know. */
test.each(["3.2.6", "3.2.14", "3.3.2"])(
  "graphql-core %s builds a valid schema from introspection and from SDL",
  async (version) => {
    const environment = join(folder, version);
    const python = join(environment, "bin/python");
    await uv("venv", "--python", "python3", environment);
    await uv("pip", "install", "--python", python, `graphql-core==${version}`);
    const { teams } = await tracker.data(TEAMS);

    expect(JSON.parse(await run(python, "-c", PYTHON, tracker.url, tracker.key, TEAMS))).toEqual({
      version,
      problems: [],
      teams: teams.nodes,
    });
  },
  2 * MINUTE,
);

const CREATE =
  "mutation($input: IssueCreateInput!) { issueCreate(input: $input) { success issue { id title team { key } } } }";
const NEWS =
  "query { notifications(first: 20) { nodes { id type user { id } ... on IssueNotification { issue { identifier } } } } }";

test("Apollo Client changes and reads, with the fragments of interfaces in its cache", async () => {
  const schema = await introspect();
  const possibleTypes = Object.fromEntries(
    Object.values(schema.getTypeMap())
      .filter(graphql16.isAbstractType)
      .map((type) => [type.name, schema.getPossibleTypes(type).map(({ name }) => name)]),
  );
  const client = new ApolloClient({
    cache: new InMemoryCache({ possibleTypes }),
    link: new HttpLink({ uri: tracker.url, headers: headers() }),
  });
  const input = { teamId: ENG, title: "From Apollo", assigneeId: JOHN };

  const made = await client.mutate<any>({ mutation: gql(CREATE), variables: { input } });
  expect(made.data.issueCreate).toMatchObject({
    success: true,
    issue: { title: "From Apollo", team: { key: "ENG" } },
  });
  await tracker.as(ROBIN).createIssue({ ...input, title: "From Robin" });
  const expected = (await tracker.data(NEWS)).notifications.nodes;
  const { data } = await client.query<any>({ query: gql(NEWS) });
  expect(expected.length).toBeGreaterThan(0);
  expect(data.notifications.nodes).toMatchObject(expected);
  const { issue } = made.data.issueCreate;
  const cached = client.cache.readFragment<any>({
    id: `Issue:${issue.id}`,
    fragment: gql("fragment Named on Node { id ... on Issue { title } }"),
  });
  expect(cached).toMatchObject({ id: issue.id, title: "From Apollo" });
});

test(
  "graphql-codegen writes types that compile",
  async () => {
    const schema = await introspect();
    const types = await codegen({
      schema: graphql16.parse(graphql16.printSchema(schema)),
      documents: [],
      filename: "types.ts",
      config: {},
      plugins: [{ typescript: {} }],
      pluginMap: { typescript },
    });
    const use = `
      import type { IssueFilter, Mutation, QueryCommentArgs } from "./types";
      export const filter: IssueFilter = { id: { in: ["ENG-1"] }, createdAt: { gt: "-P1D" } };
      export const address: QueryCommentArgs = { id: "x" };
      export type Removed = NonNullable<Mutation["releasePipelineDelete"]["entity"]>["name"];
      export const removed: Removed = "x";
    `;
    await Bun.write(join(folder, "types.ts"), types);
    await Bun.write(join(folder, "use.ts"), use);

    const compiler = join(ROOT, "node_modules/typescript5/bin/tsc");
    await run("bun", compiler, "--noEmit", "--strict", join(folder, "use.ts"));
  },
  2 * MINUTE,
);

test("graphql-inspector sees no change between the server's schema and the file of it", async () => {
  const file = await Bun.file(join(ROOT, "test/replicas/tracker/schema.graphql")).text();
  // Directives are in the syntax tree alone, which introspection does not have.
  const shown = graphql16.buildSchema(graphql16.printSchema(await introspect()));
  const changes = await diff(graphql16.buildSchema(file), shown);

  expect(changes.map(({ message }) => message)).toEqual([]);
});
