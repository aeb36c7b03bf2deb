/** The names of an operation are those of the root fields that graphql-js resolves. */
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { buildSchema, execute, type GraphQLObjectType, parse } from "graphql";
import { createDocuments } from "~/graphql/documents";
import { DocumentRefused } from "~/graphql/errors";

const FIELDS = ["a", "b", "c"] as const;
const OPERATIONS = ["query", "mutation"] as const;
const TYPE = { query: "Query", mutation: "Mutation" } as const;

const schema = buildSchema(`
  interface Root { a: Int b: Int c: Int }
  interface Other { a: Int }
  type Some implements Other { a: Int }
  type Query implements Root { a: Int b: Int c: Int }
  type Mutation implements Root { a: Int b: Int c: Int }
`);
let resolved: string[] = [];
for (const operation of OPERATIONS)
  for (const name of FIELDS)
    (schema.getType(TYPE[operation]) as GraphQLObjectType).getFields()[name]!.resolve = () =>
      resolved.push(name);

const documents = createDocuments(schema);

/** A mutation makes at most ten changes. */
function isWithinLimits(text: string): boolean {
  try {
    documents(text);
    return true;
  } catch (error) {
    if (error instanceof DocumentRefused) return false;
    throw error;
  }
}

/** The names that we give, and those of the resolvers that graphql-js calls. */
async function both(text: string, variableValues: Record<string, unknown> = {}) {
  const { operations, errors } = documents(text);
  expect(errors.map(({ message }) => message)).toEqual([]);
  resolved = [];
  const result = await execute({ schema, document: parse(text), variableValues });
  return { names: operations[0]!.namesOf(variableValues), resolved, errors: result.errors ?? [] };
}

const VARIABLES = ["$t", "$f", "$given"] as const;
const HEAD = "($t: Boolean = true, $f: Boolean = false, $given: Boolean!)";

const condition = fc
  .array(
    fc.tuple(fc.constantFrom("skip", "include"), fc.constantFrom("true", "false", ...VARIABLES)),
    { maxLength: 2 },
  )
  .map((found) =>
    [...new Map(found)].map(([directive, value]) => ` @${directive}(if: ${value})`).join(""),
  );

/** Key and field: a key always means the same field, or the document is not valid. */
const field = fc
  .tuple(fc.constantFrom(...FIELDS), fc.constantFrom("", "x", "y"), condition)
  .map(([name, alias, when]) => `${alias === "" ? "" : `${name}${alias}: `}${name}${when}`);

/** Fragments spread only later ones. */
const FRAGMENTS = 3;

const selections = (type: string, fragment: number): fc.Arbitrary<string> => {
  const { set } = fc.letrec<{ set: string; selection: string }>((tie) => ({
    set: fc
      .array(tie("selection"), { minLength: 1, maxLength: 3 })
      .map((parts) => `{ ${parts.join(" ")} }`),
    selection: fc.oneof(
      { maxDepth: 4, withCrossShrink: true },
      { arbitrary: field, weight: 3 },
      {
        arbitrary: fc
          .tuple(fc.constantFrom("", ` on ${type}`, " on Root"), condition, tie("set"))
          .map(([on, when, inner]) => `...${on}${when} ${inner}`),
        weight: 1,
      },
      ...(fragment < FRAGMENTS
        ? [
            {
              arbitrary: fc
                .tuple(fc.integer({ min: fragment, max: FRAGMENTS - 1 }), condition)
                .map(([n, when]) => `...F${n}${when}`),
              weight: 2,
            },
          ]
        : []),
    ),
  }));
  return set;
};

const document = fc.constantFrom(...OPERATIONS).chain((operation) => {
  const type = TYPE[operation];
  const fragments = Array.from({ length: FRAGMENTS }, (_, n) =>
    fc
      .tuple(fc.constantFrom(type, "Root"), selections(type, n + 1))
      .map(([on, set]) => `fragment F${n} on ${on} ${set}`),
  );
  return fc.tuple(selections(type, 0), ...fragments).map(([set, ...defined]) => {
    const uses = "u: a @skip(if: $t) @include(if: $f) v: b @include(if: $given)";
    const spreads = defined.map((_, n) => `...F${n} @skip(if: true)`).join(" ");
    // Everything is used once, as validation demands.
    return `${operation}${HEAD} { ... ${set} ${uses} ${spreads} } ${defined.join(" ")}`;
  });
});

const given = fc.record(
  { t: fc.boolean(), f: fc.boolean(), given: fc.boolean() },
  { requiredKeys: ["given"] },
);

describe("names", () => {
  test("are the root fields that are resolved", async () => {
    await fc.assert(
      fc.asyncProperty(document, given, async (text, variables) => {
        fc.pre(isWithinLimits(text));
        const { names, resolved, errors } = await both(text, variables);

        expect(errors).toEqual([]);
        expect(names).toEqual(resolved);
      }),
      { numRuns: 1_000 },
    );
  });

  test.each([
    ["a fragment", "mutation { ...F } fragment F on Mutation { a }", {}, ["a"]],
    ["an inline fragment", "mutation { ... on Mutation { a } }", {}, ["a"]],
    ["an alias", "mutation { b: a }", {}, ["a"]],
    ["one key", "{ a a ... { a } ...F } fragment F on Query { a b }", {}, ["a", "b"]],
    ["two aliases", "{ x: a y: a }", {}, ["a", "a"]],
    ["a default", "query($no: Boolean = true) { a @skip(if: $no) b }", {}, ["b"]],
    ["a variable", "query($no: Boolean = true) { a @skip(if: $no) b }", { no: false }, ["a", "b"]],
  ])("%s", async (_what, text, variables, expected) => {
    const { names, resolved } = await both(text, variables);

    expect(names).toEqual(expected);
    expect(resolved).toEqual(expected);
  });

  test("introspection is named like any other field", () => {
    const { operations } = documents("{ __typename x: __schema { description } a }");

    expect(operations[0]?.namesOf({})).toEqual(["__typename", "__schema", "a"]);
  });

  test.each([[{}], [{ yes: null }], [{ yes: "true" }]])(
    "a condition of %p, which is an error, hides nothing",
    async (variables) => {
      const { names, errors } = await both(
        "query($yes: Boolean!) { a @include(if: $yes) b @skip(if: $yes) }",
        variables,
      );

      expect(errors).toHaveLength(1);
      expect(names).toEqual(["a", "b"]);
    },
  );
});
