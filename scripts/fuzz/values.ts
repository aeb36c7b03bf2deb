/** Values that fit a JSON schema, and mutations of them. */
import fc, { type Arbitrary } from "fast-check";
import { HOLDERS, kindOf, large, place, type Shape } from "./world";

export type Schema = { readonly [key: string]: unknown };

const WORDS = ["a", "launch", "General", "Fix the login", "é", "e\u0301", "日本語", "🙂", "a b"];
const DEPTH_MAX = 4;

/** Strings that are known to break servers. */
export const ODD_STRINGS = [
  ...["", " ", "\u0000", "\ud800", "a\u0000b", "\u202eabc", "\ufeff", "\r\n", "\u2028"],
  ...["__proto__", "constructor", "toString", "hasOwnProperty", "null", "undefined", "NaN"],
  ...["' OR '1'='1", 'x"; DROP SCHEMA public CASCADE; --', "\\", "\\'", "$1", "%", "_", "%00"],
  ...["../../../etc/passwd", "..%2f", "file:///etc/passwd", "http://169.254.169.254/", "//"],
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it must look like a template.
  ...["<script>alert(1)</script>", "${7*7}", "{}", "[]", "1e999", "-1", "0x10", "9".repeat(200)],
  ...[
    large("long", 256),
    large("long", 4_001),
    large("long", 70_000),
    large("long", 600_000),
    "(a+)+$",
    "aaaaaaaaaaaaaa!",
  ],
  ...["1767603600.731938", "1e309", "1700000000.000001x", "9999999999.999999", "2026-13-45"],
];
const ODD_OTHERS = [
  ...[null, true, false, 0, -0, -1, 1.5, 2 ** 31, 2 ** 53, 1e308, -1e308, 5e-324],
  ...[[], {}, [[]], [null], { a: 1 }, ["x", 1, {}], { eq: { eq: 1 } }, { "": "" }],
];

export const odd: Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(...ODD_STRINGS),
  fc.constantFrom<unknown>(...ODD_OTHERS),
  fc.string({ unit: "binary", maxLength: 20 }),
  fc.double(),
);

/** An id of that kind: usually an own one, sometimes a foreign or a deleted one. */
export const anId = (kind: string): Arbitrary<string> =>
  fc
    .tuple(fc.constantFrom("own" as const, "own" as const, "own" as const, ...HOLDERS), fc.nat(20))
    .map(([holder, index]) => place(kind, holder, index));

const NAMED: Record<string, Arbitrary<unknown>> = {
  templateService: fc.constantFrom("chat", "tracker"),
  service: fc.constantFrom("chat", "tracker"),
  visibility: fc.constantFrom("public", "private"),
  ttlSeconds: fc.integer({ min: 1, max: 60 }),
  limit: fc.integer({ min: 1, max: 50 }),
};

const ID_FIELD =
  /(Id|_id|Ids|_ids|^id|^ids|ts|timestamp|cursor|^users?|^channels?|^file|^name|Name|oldest|latest)$/;

/** A valid value. `field` and `parent`: its name, which determines the kind of an id. */
export function fitting(schema: Schema, field = "", parent = "", depth = 0): Arbitrary<unknown> {
  const any = (schema["anyOf"] ?? schema["oneOf"]) as readonly Schema[] | undefined;
  if (any) return fc.oneof(...any.map((one) => fitting(one, field, parent, depth)));
  if (NAMED[field]) return NAMED[field];
  const choices = schema["enum"] as readonly unknown[] | undefined;
  if (choices) return fc.constantFrom(...choices);
  const type = schema["type"];
  if (Array.isArray(type))
    return fc.oneof(...type.map((one) => fitting({ ...schema, type: one }, field, parent, depth)));
  switch (type) {
    case "null":
      return fc.constant(null);
    case "string":
      return text(schema, field, parent);
    case "integer":
    case "number":
      return number(schema);
    case "boolean":
      return fc.boolean();
    case "array": {
      const items = (schema["items"] ?? {}) as Schema;
      return fc.array(fitting(items, field, parent, depth + 1), { maxLength: 3 });
    }
    case "object":
      return depth < DEPTH_MAX ? object(schema, field, depth) : fc.constant({});
    default:
      return fc.oneof(fc.constantFrom<unknown>(...WORDS, 1, null), fc.jsonValue({ maxDepth: 2 }));
  }
}

function text(schema: Schema, field: string, parent: string): Arbitrary<unknown> {
  const { format, pattern, maxLength } = schema as Record<string, string>;
  if (format === "date-time") return fc.date({ noInvalidDate: true }).map((at) => at.toISOString());
  const fit = pattern ? fc.stringMatching(new RegExp(pattern)) : words(Number(maxLength ?? 0));
  return ID_FIELD.test(field)
    ? fc.oneof({ weight: 4, arbitrary: anId(kindOf(field, parent)) }, fit)
    : fit;
}

/** `max`: the maximum length, 0 without one. */
function words(max: number): Arbitrary<string> {
  const any = fc.oneof(fc.constantFrom(...WORDS), fc.string({ maxLength: 20 }));
  return max === 0
    ? any
    : fc.oneof(
        { weight: 12, arbitrary: any.map((word) => word.slice(0, max)) },
        { weight: 1, arbitrary: around(max) },
      );
}

const around = (length: number) =>
  fc.constantFrom(large("long", length), large("emoji", length), large("long", length + 1));

function number(schema: Schema): Arbitrary<number> {
  const { minimum = 0, exclusiveMinimum, maximum = 1_000 } = schema as Record<string, number>;
  const min = Math.ceil(typeof exclusiveMinimum === "number" ? exclusiveMinimum + 1 : minimum);
  return fc.integer({ min, max: Math.max(min, Math.min(maximum, 2 ** 31 - 1)) });
}

function object(schema: Schema, field: string, depth: number): Arbitrary<unknown> {
  const properties = Object.entries((schema["properties"] ?? {}) as Record<string, Schema>);
  if (properties.length === 0)
    return fc.dictionary(fc.constantFrom("a", "text", "eq"), odd, { maxKeys: 3 });
  const required = new Set((schema["required"] as readonly string[] | undefined) ?? []);
  return fc.record(
    Object.fromEntries(
      properties.map(([name, one]) => [name, fitting(one, name, field, depth + 1)]),
    ),
    { requiredKeys: properties.map(([name]) => name).filter((name) => required.has(name)) },
  );
}

type Mutation = {
  readonly how: (typeof WAYS)[number];
  readonly at: number;
  readonly value: unknown;
  readonly large: { readonly text: string; readonly json: string };
};

const WAYS = [
  ...["replace", "replace", "replace", "drop", "grow", "add", "proto"],
  ...["twice", "nest", "fill", "fill", "cut", "whole"],
] as const;

/** Lengths at and above the limits of the services, up to the limit of a request. */
const LENGTHS = [
  ...[255, 256, 512, 513, 1_000, 1_001, 3_000, 3_001, 4_000, 4_001, 12_001, 40_000, 40_001],
  ...[65_536, 100_000, 100_001, 250_000, 250_001, 500_001, 1_000_001, 3_800_000],
];
/** Numbers of items at and above the limits: 50 blocks, 100 attachments, 1,000 and 5,000 ids, 50,000 values of a JSON text. */
const COUNTS = [50, 51, 100, 101, 1_000, 1_001, 5_000, 5_001, 12_000, 50_001];
const ofShapes = (shapes: readonly Shape[], sizes: readonly number[]) =>
  fc.tuple(fc.constantFrom(...shapes), fc.constantFrom(...sizes)).map((it) => large(...it));
const largeText = ofShapes(["long", "words", "emoji", "lines", "pattern", "noise"], LENGTHS);
const largeJson = ofShapes(["wide", "ids", "blocks", "attachments", "fields"], COUNTS);

const mutation: Arbitrary<Mutation> = fc.record({
  how: fc.constantFrom(...WAYS),
  at: fc.nat(50),
  value: odd,
  large: fc.record({ text: largeText, json: largeJson }),
});

/** JSON text of a value, as it is or mutated. */
export const jsonOf = (value: Arbitrary<unknown>): Arbitrary<string> =>
  fc
    .tuple(
      value,
      fc.oneof(
        { weight: 2, arbitrary: fc.constant([]) },
        { weight: 3, arbitrary: fc.array(mutation, { minLength: 1, maxLength: 2 }) },
      ),
    )
    .map(([fit, mutations]) => mutations.reduce(mutate, JSON.stringify(fit)));

const HOLE = "@@hole@@";
const NESTED = 10_000;

function mutate(json: string, { how, at, value, large: filling }: Mutation): string {
  if (how === "cut") return json.slice(0, at % (json.length + 1));
  if (how === "whole") return JSON.stringify(value);
  let tree: unknown;
  try {
    tree = JSON.parse(json);
  } catch {
    return json;
  }
  const spots = spotsOf(tree);
  const spot = spots[at % Math.max(1, spots.length)];
  if (!spot) return json;
  const [holder, key] = spot;
  if (how === "drop") {
    if (Array.isArray(holder)) holder.splice(Number(key), 1);
    else delete holder[key];
  } else if (how === "grow") holder[key] = grown(holder[key]);
  else if (how === "replace") holder[key] = value;
  else if (how === "fill" && typeof holder[key] === "string") holder[key] = filling.text;
  else if (how === "add" && !Array.isArray(holder))
    holder[typeof value === "string" ? value.slice(0, 300) : "more"] = value;
  else holder[key] = HOLE;
  const text = JSON.stringify(tree);
  const hole = JSON.stringify(HOLE);
  switch (how) {
    case "nest":
      return text.replace(hole, () => large("deep", NESTED));
    case "fill":
      return text.replace(hole, () => filling.json);
    case "proto":
      return text.replace(hole, () => `{"__proto__":{"polluted":true},"constructor":{"a":1}}`);
    case "twice":
      return text.replace(hole, () => `1,${JSON.stringify(key)}:${JSON.stringify(value)}`);
    default:
      return text;
  }
}

type Tree = { [key: string]: unknown };

/** Every path in a tree. */
function spotsOf(value: unknown, found: [Tree, string][] = []): [Tree, string][] {
  if (typeof value !== "object" || value === null) return found;
  for (const [key, item] of Object.entries(value)) {
    found.push([value as Tree, key]);
    spotsOf(item, found);
  }
  return found;
}

function grown(value: unknown): unknown {
  if (typeof value === "string") return value.padEnd(value.length * 2 + 1_000, "x");
  if (typeof value === "number") return value * 1_000 + 1;
  if (Array.isArray(value)) return Array.from({ length: 200 }, () => value[0] ?? null);
  return [value, value];
}
