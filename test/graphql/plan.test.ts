/** Plans answer as graphql-js does: data, errors, their order and their paths. */
import { describe, expect, test } from "bun:test";
import {
  buildSchema,
  type DocumentNode,
  type ExecutionResult,
  execute,
  type GraphQLObjectType,
  Kind,
  parse,
  validate,
} from "graphql";
import { createBudget } from "~/graphql/budget";
import { planOf } from "~/graphql/plan";

const schema = buildSchema(`
  scalar Moment
  enum Color { RED GREEN }
  input Range { from: Int = 1, to: Int, at: Moment, inner: [Range!] }
  interface Node { id: ID! name: String }
  union Thing = Dog | Cat
  type Dog implements Node { id: ID! name: String barks: Boolean! color: Color }
  type Cat implements Node { id: ID! name: String lives: Int friend: Thing parent: Cat! }
  type Query {
    echo(text: String = "none", range: Range, ids: [ID!], color: Color): String
    dogs: [Dog!]! maybe: [Dog] later: [Cat!] things: [Thing] nodes: [Node!]
    nothing: String failing: String failsLater: String required: String! requiredLater: String!
    cat: Cat wrongList: [Int] wrongLeaf: Int wrongColor: Color values: [[Int!]]
    items: [String] method: Cat broken: Cat slow: String
  }
  type Mutation { add(n: Int!): Int fail: Int failRequired: Int! }
`);

const soon = <T>(value: T, turns = 1): Promise<T> =>
  turns === 0
    ? Promise.resolve(value)
    : new Promise((go) => setImmediate(go)).then(() => soon(value, turns - 1));
const failure = (text: string) => () => {
  throw new Error(text);
};
const dog = (id: string, more = {}) => ({
  kind: "Dog",
  id,
  name: `dog ${id}`,
  barks: true,
  ...more,
});
const cat = (id: string, more = {}) => ({ kind: "Cat", id, name: `cat ${id}`, lives: 9, ...more });
let sum = 0;

const RESOLVERS: Record<string, Record<string, (...args: any[]) => unknown>> = {
  Query: {
    echo: (_source, args) => JSON.stringify(args),
    dogs: () => [dog("1", { color: "RED" }), dog("2", { barks: null }), dog("3")],
    maybe: () => [dog("1"), null, dog("2", { barks: null }), soon(dog("3")), new Error("an item")],
    later: () => soon([cat("1"), soon(cat("2", { parent: cat("3") }), 2)]),
    things: () => [dog("1"), cat("2", { friend: dog("3") }), soon(null)],
    nodes: () => soon([dog("1"), cat("2")]),
    failing: failure("failed"),
    failsLater: () => soon(undefined).then(failure("failed later")),
    required: () => null,
    requiredLater: () => soon(null, 3),
    cat: () => cat("1", { name: () => soon("a method"), parent: cat("2", { lives: "x" }) }),
    wrongList: () => 5,
    wrongLeaf: () => "text",
    wrongColor: () => "BLUE",
    values: () => [[1, 2], [soon(3)], null, [null]],
    items: () => new Set(["a", soon("b"), null]),
    broken: () =>
      cat("1", {
        parent: () => soon(null),
        name: () => soon(undefined, 3).then(failure("too late")),
      }),
    slow: () => soon("slow", 5),
    method: () => ({ id: () => "called", name: (args: object) => JSON.stringify(args) }),
  },
  Mutation: {
    add: (_source, { n }) => soon(undefined, n === 1 ? 3 : 1).then(() => (sum = sum * 10 + n)),
    fail: failure("not added"),
    failRequired: () => soon(null),
  },
};
for (const [name, fields] of Object.entries(RESOLVERS))
  for (const [field, resolve] of Object.entries(fields))
    (schema.getType(name) as GraphQLObjectType).getFields()[field]!.resolve = resolve;
for (const name of ["Node", "Thing"])
  (schema.getType(name) as any).resolveType = ({ kind }: { kind: string }) => kind;
(schema.getType("Moment") as any).parseLiteral = () => sum;

const planned = (document: DocumentNode, operation: unknown) =>
  planOf({ schema, document, operation: operation as never, fieldsOf: () => 1 });

/** The texts of both answers: those of graphql-js, and those of the plan, run twice. */
async function both(text: string, variableValues: Record<string, unknown> = {}) {
  const document = parse(text);
  expect(validate(schema, document).map(({ message }) => message)).toEqual([]);
  const operation = document.definitions.find((node) => node.kind === Kind.OPERATION_DEFINITION)!;
  const plan = planned(document, operation);
  const run = async (work: () => Promise<ExecutionResult> | ExecutionResult) => {
    sum = 0;
    return JSON.stringify(await work());
  };
  const expected = await run(() => execute({ schema, document, variableValues }));
  const first = await run(() => plan({ budget: createBudget() }, variableValues));
  const second = await run(() => plan({ budget: createBudget() }, variableValues));
  return { expected, first, second };
}

describe("a plan answers as graphql-js does", () => {
  test.each([
    ["leaves and names", "{ __typename nothing a: echo b: echo(text: null) }"],
    ["a key of objects", "{ __proto__: echo toString: echo constructor: echo }"],
    ["arguments", `{ echo(range: { to: 2, inner: [{ from: 3 }] }, ids: [1, "2"], color: GREEN) }`],
    ["a list from one value", `{ echo(ids: 7) }`],
    ["a scalar that may change", `{ echo(range: { at: "now" }) }`],
    ["lists", "{ dogs { id color } values items }"],
    ["an item that makes its list null", "{ maybe { id } dogs { id barks } nothing }"],
    ["items that may be null", "{ maybe { id barks } }"],
    ["promises in lists", "{ later { id name } nodes { __typename id ... on Cat { lives } } }"],
    ["an error below a promise", "{ later { id parent { id lives } } }"],
    [
      "unions",
      "{ things { __typename ... on Dog { barks } ... on Cat { friend { ... on Node { id } } } } }",
    ],
    ["errors", "{ failing failsLater a: failing cat { id } }"],
    ["a required field", "{ echo required cat { id } }"],
    ["a required field, later", "{ failsLater requiredLater echo required }"],
    ["a method", "{ cat { name parent { lives } } method { id name } }"],
    ["an error below a place that is already null", "{ slow broken { name parent { id } } }"],
    ["wrong values", "{ wrongList wrongLeaf wrongColor }"],
    [
      "the same field twice",
      "{ cat { id } cat { name } ...More } fragment More on Query { cat { id lives } }",
    ],
    [
      "fragments in fragments",
      "{ nodes { ...A } } fragment A on Node { ...B id } fragment B on Cat { lives ...C } fragment C on Node { name }",
    ],
    [
      "conditions",
      "{ a: echo @skip(if: true) b: echo @include(if: false) c: echo @include(if: true) @skip(if: false) }",
    ],
    ["a mutation in turn", "mutation { a: add(n: 1) b: add(n: 2) fail c: add(n: 3) }"],
    ["a mutation that fails", "mutation { a: add(n: 1) failRequired b: add(n: 2) }"],
    ["an operation that the schema does not have", "subscription { echo }"],
    [
      "introspection",
      `{ __schema { queryType { name } } __type(name: "Dog") { fields { name type { kind } } } }`,
    ],
  ])("%s", async (_what, text) => {
    const { expected, first, second } = await both(text);

    expect(first).toBe(expected);
    expect(second).toBe(expected);
  });

  const CONDITIONAL = `query($a: Boolean!, $b: Boolean = true) {
    echo @include(if: $a) ... @skip(if: $b) { cat { id } } dogs { id name @include(if: $a) }
  }`;
  const CONDITIONAL_BELOW =
    "query($a: Boolean = true) { cat { name @skip(if: $a) } maybe { ... @include(if: $a) { id } } echo }";
  const RANGE =
    "query($range: Range, $n: Int = 4) { a: echo(range: $range) b: echo(range: { to: $n }) }";

  test.each([
    [CONDITIONAL, { a: true }],
    [CONDITIONAL, { a: false, b: false }],
    [CONDITIONAL, { a: true, b: null }],
    [CONDITIONAL, {}],
    [CONDITIONAL_BELOW, { a: null }],
    [RANGE, {}],
    [RANGE, { range: { from: 2 }, n: 5 }],
    [RANGE, { range: { from: "x", other: 1 }, n: "y" }],
    ["query($ids: [ID!]!) { echo(ids: $ids) }", { ids: "one" }],
    ["query($ids: [ID!]!) { echo(ids: $ids) }", { ids: [null] }],
  ])("%s with %p", async (text, variables) => {
    const { expected, first, second } = await both(text, variables);

    expect(first).toBe(expected);
    expect(second).toBe(expected);
  });

  test("one plan with different conditions and variables", async () => {
    const document = parse(CONDITIONAL);
    const [operation] = document.definitions;
    const plan = planned(document, operation);
    for (let n = 0; n < 8; n++) {
      const variableValues = { a: n % 2 === 0, b: n % 4 < 2 };
      const expected = await execute({ schema, document, variableValues });

      expect(JSON.stringify(await plan({ budget: createBudget() }, variableValues))).toBe(
        JSON.stringify(expected),
      );
    }
  });
});

test("arguments are coerced once for each request, and constant ones once", async () => {
  const document = parse(
    "query($n: Int) { a: echo(range: { from: 1 }) b: echo(range: { from: $n }) }",
  );
  const plan = planned(document, document.definitions[0]);
  const seen: unknown[] = [];
  const field = (schema.getType("Query") as GraphQLObjectType).getFields()["echo"]!;
  const { resolve } = field;
  field.resolve = (_source, args) => seen.push(args);
  await plan({ budget: createBudget() }, { n: 1 });
  await plan({ budget: createBudget() }, { n: 2 });
  field.resolve = resolve!;

  expect(seen[0]).toBe(seen[2]);
  expect(seen[3]).toEqual({ text: "none", range: { from: 2 } });
});
