/** GraphQL requests by a schema's own description of itself. */
import fc, { type Arbitrary } from "fast-check";
import { anId, fitting, jsonOf, odd } from "./values";
import { kindOf } from "./world";

type TypeRef = { kind: string; name: string | null; ofType: TypeRef | null };
type Field = { name: string; type: TypeRef; args: InputField[] };
type InputField = { name: string; type: TypeRef };
type Type = {
  kind: string;
  name: string;
  fields: Field[] | null;
  inputFields: InputField[] | null;
  enumValues: { name: string }[] | null;
};
export type GraphqlSchema = {
  readonly types: ReadonlyMap<string, Type>;
  readonly roots: readonly { readonly operation: "query" | "mutation"; readonly field: Field }[];
};

const REF = "kind name ofType { kind name ofType { kind name ofType { kind name } } }";
export const INTROSPECTION = `{ __schema {
  queryType { name } mutationType { name }
  types { kind name enumValues { name } inputFields { name type { ${REF} } }
    fields { name type { ${REF} } args { name type { ${REF} } } } }
} }`;

type Introspected = {
  queryType: { name: string };
  mutationType: { name: string } | null;
  types: Type[];
};

export function readSchema({ queryType, mutationType, types }: Introspected): GraphqlSchema {
  const named = new Map(types.map((type) => [type.name, type]));
  const fields = (name: string | undefined) => named.get(name ?? "")?.fields ?? [];
  return {
    types: named,
    roots: [
      ...fields(queryType.name).map((field) => ({ operation: "query" as const, field })),
      ...fields(mutationType?.name).map((field) => ({ operation: "mutation" as const, field })),
    ],
  };
}

const written = (type: TypeRef): string => {
  if (type.kind === "NON_NULL" && type.ofType) return `${written(type.ofType)}!`;
  return type.kind === "LIST" && type.ofType ? `[${written(type.ofType)}]` : (type.name ?? "");
};
const leaf = (type: TypeRef): TypeRef => (type.ofType ? leaf(type.ofType) : type);
const required = ({ type }: InputField) => type.kind === "NON_NULL";

const INPUT_DEPTH_MAX = 4;
const SELECTION_DEPTH_MAX = 3;

/** `issueUpdate(id:)` takes the id of an issue. */
const thingOf = (field: string) =>
  field.replace(/(Create|Update|Delete|Archive|Unarchive|Batch|Add|Remove|Search)\w*$/, "");

function input(
  schema: GraphqlSchema,
  type: TypeRef,
  field: string,
  parent: string,
  depth: number,
): Arbitrary<unknown> {
  if (type.kind === "NON_NULL" && type.ofType)
    return input(schema, type.ofType, field, parent, depth);
  if (type.kind === "LIST" && type.ofType)
    return fc.array(input(schema, type.ofType, field, parent, depth + 1), { maxLength: 2 });
  const known = schema.types.get(type.name ?? "");
  if (known?.kind === "ENUM")
    return fc.constantFrom(...(known.enumValues ?? []).map(({ name }) => name));
  if (known?.kind === "INPUT_OBJECT") {
    if (depth >= INPUT_DEPTH_MAX) return fc.constant({});
    const fields = known.inputFields ?? [];
    const must = fields.filter(required);
    const may = fields.filter((one) => !required(one));
    return fc
      .tuple(
        fc.tuple(...must.map((one) => entry(schema, one, parent, depth))),
        may.length > 0
          ? fc.array(
              fc.constantFrom(...may).chain((one) => entry(schema, one, parent, depth)),
              { maxLength: 3 },
            )
          : fc.constant([]),
      )
      .map(([first, more]) => Object.fromEntries([...first, ...more]));
  }
  return scalar(type.name ?? "", field, parent);
}

const entry = (schema: GraphqlSchema, { name, type }: InputField, parent: string, depth: number) =>
  input(schema, type, name, parent, depth + 1).map((value) => [name, value] as const);

function scalar(name: string, field: string, parent: string): Arbitrary<unknown> {
  switch (name) {
    case "ID":
      return anId(kindOf(field, parent));
    case "Int":
      return fc.integer({ min: 0, max: 60 });
    case "Float":
      return fc.constantFrom(0, 1, 0.5, 4);
    case "Boolean":
      return fc.boolean();
    case "String":
      return fitting({ type: "string" }, field, parent);
    case "DateTime":
    case "TimelessDate":
    case "DateTimeOrDuration":
    case "TimelessDateOrDuration":
      return fc.constantFrom("2026-01-05", "2026-01-05T10:00:00.000Z", "P1D", "-P2W");
    default:
      return fc.oneof(odd, fitting({}, field, parent));
  }
}

/** What is asked of an object: some of its plain fields, and of some of its objects the same. */
function selection(schema: GraphqlSchema, type: TypeRef, depth: number): Arbitrary<string> {
  const fields = schema.types.get(leaf(type).name ?? "")?.fields;
  if (!fields) return fc.constant("");
  const open = fields.filter(({ args }) => !args.some(required));
  const plain = open.filter((field) => !schema.types.get(leaf(field.type).name ?? "")?.fields);
  const deep = open.filter((field) => !plain.includes(field));
  const simple = fc.subarray(
    plain.map(({ name }) => name),
    { maxLength: Math.min(plain.length, 6) },
  );
  const nested =
    depth < SELECTION_DEPTH_MAX && deep.length > 0
      ? fc.array(
          fc
            .constantFrom(...deep)
            .chain((field) =>
              selection(schema, field.type, depth + 1).map((inner) => `${field.name}${inner}`),
            ),
          { maxLength: 2 },
        )
      : fc.constant([]);
  return fc
    .tuple(simple, nested)
    .map(([names, more]) => ` { ${["__typename", ...names, ...new Set(more)].join(" ")} }`);
}

type Request = { query: string; variables: string };

/** The same selection behind fragments, so that nothing shows what is selected of what. */
const SPREADS: readonly ((
  inner: string,
  type: string,
) => readonly [inner: string, more: string])[] = [
  (inner) => [inner, ""],
  (inner) => [inner, ""],
  (inner, type) => [" { ...A }", ` fragment A on ${type}${inner}`],
  (inner, type) => [` { ... on ${type}${inner} ... ${inner} }`, ""],
  (inner, type) => [
    " { ...A ...B }",
    ` fragment A on ${type} { ...B ... on ${type} { ...B } } fragment B on ${type}${inner}`,
  ],
];

function request(schema: GraphqlSchema): Arbitrary<Request> {
  return fc.constantFrom(...schema.roots).chain(({ operation, field }) => {
    const { args } = field;
    const parent = thingOf(field.name);
    return fc
      .tuple(
        fc.subarray(args.filter((arg) => !required(arg))),
        selection(schema, field.type, 0),
        fc.constantFrom(...SPREADS),
      )
      .chain(([optional, selected, spread]) => {
        const [inner, fragments] = selected
          ? spread(selected, leaf(field.type).name ?? "")
          : ["", ""];
        const given = [...args.filter(required), ...optional];
        const declared = given.map(({ name, type }) => `$${name}: ${written(type)}`).join(", ");
        const passed = given.map(({ name }) => `${name}: $${name}`).join(", ");
        const call = `${field.name}${passed && `(${passed})`}${inner}`;
        const values = fc.record(
          Object.fromEntries(
            given.map(({ name, type }) => [name, input(schema, type, name, parent, 0)]),
          ),
        );
        return jsonOf(values).map((variables) => ({
          query: `${operation}${declared && `(${declared})`} { ${call} }${fragments}`,
          variables,
        }));
      });
  });
}

/** Requests that are more than they look. */
const ATTACKS: readonly ((query: string) => string)[] = [
  (query) => query.replace(/: (Int|String|Boolean|Float)\b(?!!)/g, ": $1 = null"),
  () =>
    "query($n: Int = 250) { teams(last: $n) { ...A } } fragment A on TeamConnection { nodes { issues(first: $n) { ...B } } } fragment B on IssueConnection { edges { node { children { ...C } } } } fragment C on IssueConnection { nodes { team { issues { nodes { id } } } } }",
  () =>
    `{ issues(first: 20) { nodes { ...F0 } } } ${Array.from({ length: 6 }, (_, n) => `fragment F${n} on Issue { id title ${n < 5 ? `parent { ...F${n + 1} } a: parent { ...F${n + 1} } b: team { issues(first: 3) { nodes { ...F${n + 1} } } }` : ""} }`).join(" ")}`,
  () =>
    `{ issues { nodes { ${Array.from({ length: 90 }, (_, n) => `x${n}: description`).join(" ")} } } }`,
  () => `{ viewer { id } } ${"# ".repeat(600_000)}`,
  () => `{ viewer { id } } ${'"\\"'.repeat(100_000)}`,
  (query) => query.slice(0, query.length / 2),
  (query) =>
    query.replace(
      /\{ (\w+)/,
      (_, field) =>
        `{ ${Array.from({ length: 1_000 }, (_, n) => `a${n}: ${field}`).join(" ")} ${field}`,
    ),
  (query) => query.replace(/__typename/, "__typename ".repeat(5_000)),
  (query) => query.replace(/__typename/, `__typename ${"@skip(if: false) ".repeat(3_000)}`),
  (query) => `${query} ${"{".repeat(20_000)}`,
  (query) => `${query} ${query}`,
  (query) => `fragment A on Query { ...B } fragment B on Query { ...A } ${query}`,
  (query) => query.replace(/__typename/, "__typenam nothing"),
  (query) => query.replace(/\$(\w+)/, "$__proto__"),
  (query) => `${query}\u0000`,
  () => "{ __schema { types { fields { type { fields { type { fields { name } } } } } } } }",
  () => "subscription { issueCreated { id } }",
  () => `{ issues(filter: ${"{ or: [".repeat(200)}${"] }".repeat(200)}) { nodes { id } } }`,
  () =>
    `query { ${Array.from({ length: 17 }, (_, n) => `...F${n}`).join(" ")} } ${Array.from({ length: 17 }, (_, n) => `fragment F${n} on Query { ...F${n + 1} ...F${n + 1} }`).join(" ")} fragment F17 on Query { __typename }`,
];

const oddBody = fc.oneof(
  fc.constantFrom(
    "",
    "null",
    "[]",
    "1",
    '"{ viewer { id } }"',
    '{"query":null}',
    '{"query":5}',
    '{"query":""}',
  ),
  odd.map((value) => JSON.stringify({ query: value, variables: value, operationName: value })),
);

export const graphqlBody = (schema: GraphqlSchema): Arbitrary<string> =>
  fc.oneof(
    {
      weight: 12,
      arbitrary: request(schema).map(({ query, variables }) => bodyOf(query, variables)),
    },
    {
      weight: 2,
      arbitrary: fc
        .tuple(request(schema), fc.constantFrom(...ATTACKS))
        .map(([{ query, variables }, attack]) => bodyOf(attack(query), variables)),
    },
    {
      weight: 1,
      arbitrary: fc
        .tuple(request(schema))
        .map(([{ query }]) => `[${bodyOf(query, "{}")},${bodyOf(query, "{}")}]`),
    },
    { weight: 1, arbitrary: oddBody },
  );

const bodyOf = (query: string, variables: string) =>
  `{"query":${JSON.stringify(query)},"variables":${variables}}`;
