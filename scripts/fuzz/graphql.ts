/** GraphQL requests that fit a schema, and mutations of them. */
import fc, { type Arbitrary } from "fast-check";
import { pageVariables, type Selection, selectionOf } from "./documents";
import {
  type Field,
  type GraphqlSchema,
  type InputField,
  literal,
  required,
  type TypeRef,
  written,
} from "./schema";
import { anId, fitting, jsonOf, odd } from "./values";
import { kindOf } from "./world";

const INPUT_DEPTH_MAX = 4;

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

type Request = { query: string; variables: string };

/** How often a request repeats a field with an alias. */
const repeats = fc.oneof(
  { weight: 12, arbitrary: fc.constant(1) },
  { weight: 1, arbitrary: fc.constantFrom(2, 10, 11, 30, 100, 101) },
);

function request(schema: GraphqlSchema): Arbitrary<Request> {
  return fc.constantFrom(...schema.roots).chain(({ operation, field }) =>
    fc
      .tuple(
        fc.subarray(field.args.filter((arg) => !required(arg))),
        selectionOf(schema, field),
        repeats,
      )
      .chain(([optional, selection, times]) => {
        const given = [...field.args.filter(required), ...optional];
        const parent = thingOf(field.name);
        const body = bodyOf(field, given, selection, times);
        const pages = pageVariables(body).filter(
          (page) => !given.some(({ name }) => name === page.name),
        );
        const values = fc.record(
          {
            ...Object.fromEntries(
              given.map(({ name, type }) => [name, input(schema, type, name, parent, 0)]),
            ),
            ...Object.fromEntries(pages.map(({ name, value }) => [name, value])),
          },
          { requiredKeys: given.map(({ name }) => name) },
        );
        return fc
          .tuple(fc.tuple(...given.map((one) => declared(schema, one, parent))), jsonOf(values))
          .map(([arguments_, variables]) => {
            const all = [...arguments_, ...pages.map((page) => page.declaration)].join(", ");
            return { query: `${operation}${all && `(${all})`} ${body}`, variables };
          });
      }),
  );
}

/** The declaration of a variable: of its argument's type, sometimes with a default, or of any other type. */
function declared(
  schema: GraphqlSchema,
  { name, type }: InputField,
  parent: string,
): Arbitrary<string> {
  const inputs = [...schema.types.values()].filter(({ kind }) =>
    ["SCALAR", "ENUM", "INPUT_OBJECT"].includes(kind),
  );
  return fc.oneof(
    { weight: 16, arbitrary: fc.constant(`$${name}: ${written(type)}`) },
    {
      weight: 3,
      arbitrary: input(schema, type, name, parent, 0).map(
        (value) => `$${name}: ${written(type)} = ${literal(schema, type, value)}`,
      ),
    },
    {
      weight: 1,
      arbitrary: fc.constantFrom(...inputs).map((other) => `$${name}: ${other.name}`),
    },
  );
}

/** Requests a field `times` times, with a variable for each of its arguments. */
function bodyOf(
  { name }: Field,
  given: readonly InputField[],
  { text, fragments }: Selection,
  times: number,
): string {
  const passed = given.map((arg) => `${arg.name}: $${arg.name}`).join(", ");
  const call = `${name}${passed && `(${passed})`}${text}`;
  const more = Array.from({ length: times - 1 }, (_, index) => `a${index}: ${call}`);
  return [`{ ${[call, ...more].join(" ")} }`, ...fragments].join(" ");
}

const PAGES_BEHIND_SPREADS = `
  fragment A on TeamConnection { nodes { issues { ...B } } }
  fragment B on IssueConnection { nodes { children { ...C } } }
  fragment C on IssueConnection { nodes { team { issues { ...D } } } }
  fragment D on IssueConnection { nodes { children(last: 250) { nodes { id } } } }`;

/** Small requests with large effects. */
const ATTACKS: readonly ((query: string) => string)[] = [
  (query) => query.replace(/: (Int|String|Boolean|Float)\b(?!!)/g, ": $1 = null"),
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
  (query) => `${query} fragment Unused on Issue { id title }`,
  (query) => `${query.replace("__typename", "...Loop")} fragment Loop on Query { ...Loop }`,
  (query) => query.replace(/fragment (\w+) on (\w+) \{/, "fragment $1 on $2 { ...$1"),
  (query) => query.replace(/fragment (\w+) on \w+/, "fragment $1 on Viewer"),
  (query) => query.replace(/fragment \w+ on \w+/, "fragment Other on Node"),
  (query) => query.replaceAll(/first: [-\w$]+/g, "first: 250"),
  (query) => query.replaceAll(/first: [-\w$]+/g, "first: 99999999999999999999"),
  (query) => query.replace(/__typename/, "__typenam nothing"),
  (query) => query.replace(/\$(\w+)/, "$__proto__"),
  (query) => `${query}\u0000`,
  () => "{ __schema { types { fields { type { fields { type { fields { name } } } } } } } }",
  () => "subscription { issueCreated { id } }",
  () => `query { teams { ...A } } ${PAGES_BEHIND_SPREADS}`,
  () => `query($most: Int = 250) { teams(first: $most) { ...A } } ${PAGES_BEHIND_SPREADS}`,
  () =>
    `{ issues(first: 5) { nodes { ...F0 } } } ${Array.from({ length: 12 }, (_, n) => `fragment F${n} on Issue { id ${n < 11 ? `a: parent { ...F${n + 1} } b: parent { ...F${n + 1} }` : ""} }`).join(" ")}`,
  () => `{ issue(id: "ENG-1") { ${"parent { ".repeat(60)} id ${"}".repeat(60)} } }`,
  () =>
    `{ ${Array.from({ length: 90 }, (_, n) => `a${n}: __schema { types { ...T } }`).join(" ")} } fragment T on __Type { fields { type { name } } }`,
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
      arbitrary: request(schema).map(({ query, variables }) => jsonBody(query, variables)),
    },
    {
      weight: 2,
      arbitrary: fc
        .tuple(request(schema), fc.constantFrom(...ATTACKS))
        .map(([{ query, variables }, attack]) => jsonBody(attack(query), variables)),
    },
    {
      weight: 1,
      arbitrary: fc
        .tuple(request(schema))
        .map(([{ query }]) => `[${jsonBody(query, "{}")},${jsonBody(query, "{}")}]`),
    },
    { weight: 1, arbitrary: oddBody },
  );

const jsonBody = (query: string, variables: string) =>
  `{"query":${JSON.stringify(query)},"variables":${variables}}`;
