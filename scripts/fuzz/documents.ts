/** Selections of a GraphQL document: pages in pages, fragments of every form, aliases. */
import fc, { type Arbitrary } from "fast-check";
import { type Field, type GraphqlSchema, leaf, required, type Type } from "./schema";

/** Text of a selection, and the definitions of the fragments that it spreads. */
export type Selection = { readonly text: string; readonly fragments: readonly string[] };

type Extent = {
  /** Depth of nested objects. */
  readonly depth: number;
  /** Number of sibling objects. */
  readonly width: number;
};
const EXTENTS: readonly Extent[] = [
  { depth: 3, width: 2 },
  { depth: 3, width: 2 },
  { depth: 3, width: 2 },
  { depth: 9, width: 1 },
  { depth: 20, width: 1 },
];
const LEAVES_MAX = 6;

const PAGES = [
  ...["first: 1", "first: 5", "last: 5", "first: 50", "first: 250", "last: 250"],
  ...["first: $page", "last: $page", "first: $most", "last: $beyond", "first: $below"],
  ...["first: $none", "first: 251", "first: 0", "first: -1", "first: 2147483648", "first: null"],
  ...["first: 2, last: 2", 'first: 2, after: "x"', "includeArchived: true, first: $most"],
];

/** Variables that a selection may name. */
const VARIABLES = {
  page: "Int",
  most: "Int = 250",
  beyond: "Int = 2147483647",
  below: "Int! = -250",
  none: "Int = null",
  yes: "Boolean! = true",
};
const SIZES = [0, 1, 5, 50, 250, 251, 10_000, 2 ** 31 - 1, 2 ** 31, -1, -250, null, 1.5, "5", true];

/** The variables that a document uses: their declarations, and valid or invalid values. */
export const pageVariables = (body: string) =>
  Object.entries(VARIABLES)
    .filter(([name]) => new RegExp(`\\$${name}\\b`).test(body))
    .map(([name, type]) => ({
      name,
      declaration: `$${name}: ${type}`,
      value: fc.constantFrom<unknown>(...(name === "yes" ? [true, false, null, 1] : SIZES)),
    }));

/** A selection of a field's type, as it follows the field; empty for a type without fields. */
export const selectionOf = (schema: GraphqlSchema, field: Field): Arbitrary<Selection> =>
  fc.constantFrom(...EXTENTS).chain((extent) => selection(schema, leaf(field.type).name, extent));

const NOTHING: Selection = { text: "", fragments: [] };

function selection(schema: GraphqlSchema, name: string, extent: Extent): Arbitrary<Selection> {
  const type = schema.types.get(name);
  if (!type?.fields && !type?.possibleTypes) return fc.constant(NOTHING);
  const concrete = (type.possibleTypes ?? []).flatMap((one) => schema.types.get(one.name) ?? []);
  const narrowed =
    concrete.length > 0
      ? fc.array(
          fc
            .constantFrom(...concrete)
            .chain((one) =>
              fieldsOf(schema, one, extent).chain((inner) => spread(one.name, inner)),
            ),
          { maxLength: 2 },
        )
      : fc.constant([]);
  return fc
    .tuple(fieldsOf(schema, type, extent), narrowed)
    .chain(([own, others]) => {
      const inner = joined([own, ...others]);
      return fc.oneof(
        { weight: 3, arbitrary: fc.constant(inner) },
        { weight: 2, arbitrary: spread(name, inner) },
      );
    })
    .map(({ text, fragments }) => ({ text: ` { ${text} }`, fragments }));
}

const joined = (parts: readonly Selection[]): Selection => ({
  text: [...new Set(parts.map(({ text }) => text))].join(" "),
  fragments: [...new Set(parts.flatMap(({ fragments }) => fragments))],
});

/** Some scalar fields of a type and, for some of its objects, the same again. */
function fieldsOf(
  schema: GraphqlSchema,
  type: Type,
  { depth, width }: Extent,
): Arbitrary<Selection> {
  const open = (type.fields ?? []).filter(({ args }) => !args.some(required));
  const isObject = (field: Field) => {
    const of = schema.types.get(leaf(field.type).name);
    return of?.fields || of?.possibleTypes;
  };
  const plain = open.filter((field) => !isObject(field)).map(({ name }) => name);
  const objects = open.filter(isObject);
  const nested =
    depth > 0 && objects.length > 0
      ? fc.array(
          fc
            .constantFrom(...objects)
            .chain((field) =>
              fc.tuple(
                called(field),
                selection(schema, leaf(field.type).name, { depth: depth - 1, width }),
              ),
            )
            .map(([call, { text, fragments }]) => ({ text: `${call}${text}`, fragments })),
          { minLength: width === 1 ? 1 : 0, maxLength: width },
        )
      : fc.constant([]);
  return fc
    .tuple(fc.subarray(plain, { maxLength: Math.min(plain.length, LEAVES_MAX) }), nested)
    .map(([names, more]) =>
      joined([{ text: ["__typename", ...names].join(" "), fragments: [] }, ...more]),
    );
}

/** A field, with its page size if it has one. With an alias if two of them could differ. */
function called({ name, args }: Field): Arbitrary<string> {
  const plain = fc.constant(name);
  if (!args.some((arg) => arg.name === "first")) return plain;
  const paged = fc
    .tuple(fc.constantFrom(...PAGES), fc.nat(3))
    .map(([page, alias]) => `${name}${alias}: ${name}(${page})`);
  return fc.oneof({ weight: 2, arbitrary: plain }, { weight: 1, arbitrary: paged });
}

/** A fragment's name derives from its text, so that equal names mean equal fragments. */
function fragment(on: string, { text, fragments }: Selection): Selection {
  const name = `F${Bun.hash(`${on} ${text}`).toString(36)}`;
  return {
    text: `...${name}`,
    fragments: [...fragments, `fragment ${name} on ${on} { ${text} }`],
  };
}

const inline =
  (before: string) =>
  ({ text, fragments }: Selection): Selection => ({ text: `${before} { ${text} }`, fragments });

/** Ways to select the same through fragments. */
function spread(on: string, inner: Selection): Arbitrary<Selection> {
  const once = fragment(on, inner);
  return fc.constantFrom<Selection>(
    inline(`... on ${on}`)(inner),
    inline("...")(inner),
    inline("... @include(if: $yes)")(inner),
    once,
    { ...once, text: `${once.text} ${once.text}` },
    { ...once, text: `${once.text} ${inline("...")(once).text}` },
    fragment(on, once),
    fragment(on, inline(`... on ${on}`)(fragment(on, once))),
  );
}
