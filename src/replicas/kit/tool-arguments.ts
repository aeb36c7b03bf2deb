/**
 * Checks the arguments of a tool against the JSON Schema of its listing. A vendor reports mistakes in its own words; those
 * of Zod, which most servers use, are here.
 */
import { findUnstorable, UNSTORABLE } from "~/db/storable";
import { isObject } from "~/input/json";

export type ArgumentSchema = {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, ArgumentSchema>>;
  readonly required?: readonly string[];
  /** False where other keys are rejected. */
  readonly additionalProperties?: boolean | object;
  readonly items?: ArgumentSchema;
  readonly enum?: readonly string[];
  readonly const?: string;
  readonly anyOf?: readonly ArgumentSchema[];
  readonly oneOf?: readonly ArgumentSchema[];
  readonly default?: unknown;
  readonly minimum?: number;
  readonly exclusiveMinimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly pattern?: string;
  readonly format?: string;
};

/** `value`: undefined if a required one is missing. `problem`: in the words of Zod. */
export type ArgumentMistake = Place & { readonly problem: string };
type Place = {
  readonly schema: ArgumentSchema;
  readonly value: unknown;
  readonly path: readonly (string | number)[];
};

export type ArgumentRules = {
  readonly words: (mistake: ArgumentMistake) => string;
  /** The maximum length of a text, by the name of its property. */
  readonly lengthOf: (name: string) => number;
  /** Null counts as no value. Otherwise it is one, which few properties accept. */
  readonly isNullAbsent?: boolean;
};

export type Arguments = Readonly<Record<string, unknown>>;
type CheckedArguments = { readonly problems: readonly string[] } | { readonly values: Arguments };

/** Problems of one call. */
const PROBLEMS_MAX = 50;
/** Of a list without a maximum of its own. */
export const ITEMS_MAX = 1_000;

/** The arguments with the defaults of the schema and without unknown ones, or the problems. */
export function checkArguments(
  schema: ArgumentSchema,
  given: Arguments,
  rules: ArgumentRules,
): CheckedArguments {
  const problems: string[] = [];
  const report: Report = (place, problem) => {
    if (problems.length < PROBLEMS_MAX) problems.push(rules.words({ ...place, problem }));
  };
  const values = inspect({ schema, value: given, path: [] }, { ...rules, report });
  const unstorable = problems.length > 0 ? undefined : findUnstorable(values);
  if (unstorable !== undefined)
    report({ schema: {}, value: "", path: unstorable.split("/").slice(1) }, UNSTORABLE);
  return problems.length > 0 ? { problems } : { values: values as Arguments };
}

/** A mistake in the words of Zod. */
export const zodWords = ({ path, problem }: ArgumentMistake): string =>
  path.length > 0 ? `${path.join(".")}: ${problem}` : problem;

type Report = (place: Place, problem: string) => void;
type Check = ArgumentRules & { readonly report: Report };

function inspect(place: Place, check: Check): unknown {
  const { schema, value } = place;
  if (schema.anyOf) {
    const [inner = {}] = schema.anyOf.filter(({ type }) => type !== "null");
    return value === null ? null : inspect({ ...place, schema: inner }, check);
  }
  if (schema.oneOf) return inspectVariant(schema.oneOf, place, check);
  if (schema.enum) {
    if (!schema.enum.includes(value as string))
      check.report(place, `Invalid option: expected one of ${schema.enum.map(quoted).join("|")}`);
    return value;
  }
  switch (schema.type) {
    case "object":
      return inspectObject(place, check);
    case "array":
      return inspectList(place, check);
    case "string":
    case "boolean":
      if (typeof value !== schema.type) check.report(place, mistyped(schema.type, value));
      else if (typeof value === "string")
        for (const problem of textProblems(place, value, check)) check.report(place, problem);
      return value;
    case "number":
    case "integer":
      if (typeof value !== "number") check.report(place, mistyped("number", value));
      else for (const problem of numberProblems(schema, value)) check.report(place, problem);
      return value;
    default:
      return value;
  }
}

function inspectList(place: Place, check: Check): unknown {
  const { schema, value, path } = place;
  const { minItems = 0, maxItems = ITEMS_MAX, items = {} } = schema;
  if (!Array.isArray(value)) return check.report(place, mistyped("array", value));
  if (value.length < minItems)
    check.report(place, `Too small: expected array to have >=${minItems} items`);
  if (value.length > maxItems) check.report(place, tooBig("array", maxItems, "items"));
  if (value.length > ITEMS_MAX) return undefined;
  return value.map((item, index) =>
    inspect({ schema: items, value: item, path: [...path, index] }, check),
  );
}

function inspectObject(place: Place, check: Check): unknown {
  const { schema, value, path } = place;
  const { properties, required = [], additionalProperties } = schema;
  if (!isObject(value))
    return check.report(place, mistyped(properties ? "object" : "record", value));
  if (!properties) return value;
  const found: Record<string, unknown> = {};
  for (const [name, property] of Object.entries(properties)) {
    const own = Object.hasOwn(value, name) ? value[name] : property.default;
    const given = own === null && check.isNullAbsent ? undefined : own;
    if (given !== undefined || required.includes(name))
      found[name] = inspect({ schema: property, value: given, path: [...path, name] }, check);
  }
  const unknown = Object.keys(value).filter((name) => !Object.hasOwn(properties, name));
  if (additionalProperties === false && unknown.length > 0)
    check.report(
      place,
      `Unrecognized key${unknown.length > 1 ? "s" : ""}: ${unknown.map(quoted).join(", ")}`,
    );
  return found;
}

/** An object whose `op` selects its schema. */
function inspectVariant(variants: readonly ArgumentSchema[], place: Place, check: Check): unknown {
  const { value, path } = place;
  if (!isObject(value)) return check.report(place, mistyped("object", value));
  const schema = variants.find(({ properties }) => properties?.["op"]?.const === value["op"]);
  if (schema) return inspectObject({ ...place, schema }, check);
  return check.report({ ...place, path: [...path, "op"] }, "Invalid input");
}

function textProblems({ schema, path }: Place, text: string, { lengthOf }: Check): string[] {
  const { minLength = 0, format, pattern } = schema;
  const max = lengthOf(String(path.at(-1)));
  if (text.length > max) return [tooBig("string", max, "characters")];
  const problems: string[] = [];
  if (text.length < minLength)
    problems.push(`Too small: expected string to have >=${minLength} characters`);
  if (format === "uri" && !URL.canParse(text)) problems.push("Invalid URL");
  if (pattern !== undefined && !new RegExp(pattern).test(text))
    problems.push(
      format === "date-time"
        ? "Invalid ISO datetime"
        : `Invalid string: must match pattern /${pattern}/`,
    );
  return problems;
}

function numberProblems(schema: ArgumentSchema, value: number): string[] {
  const { type, minimum, exclusiveMinimum, maximum } = schema;
  const problems: string[] = [];
  if (type === "integer" && !Number.isSafeInteger(value))
    problems.push("Invalid input: expected int, received number");
  if (minimum !== undefined && value < minimum)
    problems.push(`Too small: expected number to be >=${minimum}`);
  if (exclusiveMinimum !== undefined && value <= exclusiveMinimum)
    problems.push(`Too small: expected number to be >${exclusiveMinimum}`);
  if (maximum !== undefined && value > maximum)
    problems.push(`Too big: expected number to be <=${maximum}`);
  return problems;
}

const tooBig = (type: string, max: number, unit: string) =>
  `Too big: expected ${type} to have <=${max} ${unit}`;

const KEY_SHOWN_MAX = 64;
const quoted = (text: string) => JSON.stringify(text.slice(0, KEY_SHOWN_MAX));

const mistyped = (expected: string, value: unknown) =>
  `Invalid input: expected ${expected}, received ${typeName(value)}`;

function typeName(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}
