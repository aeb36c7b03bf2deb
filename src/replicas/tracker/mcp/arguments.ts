/** Checks the arguments of a tool against its schema, in the words of the vendor's server, which uses Zod. */
import { isObject } from "~/json";
import { CONTENT_MAX } from "~/replicas/tracker/lengths";

export type Schema = {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  /** False where other keys are rejected. */
  readonly additionalProperties?: boolean | object;
  readonly items?: Schema;
  readonly enum?: readonly string[];
  readonly const?: string;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
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

export type Checked =
  | { readonly problems: readonly string[] }
  | { readonly values: Readonly<Record<string, unknown>> };

/** Problems shown for one call. */
const PROBLEMS_MAX = 50;
/** Of a list without a maximum of its own. */
const ITEMS_MAX = 1_000;
/** The bytes of a file, which have a maximum of their own. */
const FILE = "base64Content";

const tooBig = (type: string, max: number, unit: string) =>
  `Too big: expected ${type} to have <=${max} ${unit}`;

/** The arguments with the defaults of the schema, or the problems. */
export function checkArguments(schema: Schema, given: unknown): Checked {
  const problems: string[] = [];
  const values = inspect(schema, given, [], problems);
  return problems.length > 0
    ? { problems: problems.slice(0, PROBLEMS_MAX) }
    : { values: values as Record<string, unknown> };
}

type Path = readonly (string | number)[];

function inspect(schema: Schema, value: unknown, path: Path, problems: string[]): unknown {
  const report = (problem: string): undefined => {
    problems.push(path.length > 0 ? `${path.join(".")}: ${problem}` : problem);
  };
  if (schema.anyOf) {
    const [inner = {}] = schema.anyOf.filter(({ type }) => type !== "null");
    return value === null ? null : inspect(inner, value, path, problems);
  }
  if (schema.oneOf) return inspectVariant(schema.oneOf, value, path, problems);
  if (schema.enum)
    return schema.enum.includes(value as string)
      ? value
      : report(`Invalid option: expected one of ${schema.enum.map(quoted).join("|")}`);
  switch (schema.type) {
    case "object":
      return inspectObject(schema, value, path, problems);
    case "array":
      if (!Array.isArray(value)) return report(mistyped("array", value));
      if (value.length < (schema.minItems ?? 0))
        report(`Too small: expected array to have >=${schema.minItems} items`);
      if (value.length > (schema.maxItems ?? ITEMS_MAX))
        report(tooBig("array", schema.maxItems ?? ITEMS_MAX, "items"));
      if (value.length > ITEMS_MAX) return undefined;
      return value.map((item, index) =>
        inspect(schema.items ?? {}, item, [...path, index], problems),
      );
    case "string":
    case "boolean":
      if (typeof value !== schema.type) return report(mistyped(schema.type, value));
      if (typeof value === "string" && value.length > CONTENT_MAX && path.at(-1) !== FILE)
        return report(tooBig("string", CONTENT_MAX, "characters"));
      for (const problem of typeof value === "string" ? textProblems(schema, value) : [])
        report(problem);
      return value;
    case "number":
    case "integer":
      if (typeof value !== "number") return report(mistyped("number", value));
      for (const problem of numberProblems(schema, value)) report(problem);
      return value;
    default:
      return value;
  }
}

function inspectObject(schema: Schema, value: unknown, path: Path, problems: string[]): unknown {
  const { properties, required = [], additionalProperties } = schema;
  const here = path.length > 0 ? `${path.join(".")}: ` : "";
  if (!isObject(value)) {
    problems.push(here + mistyped(properties ? "object" : "record", value));
    return undefined;
  }
  if (!properties) return value;
  const found: Record<string, unknown> = {};
  for (const [name, property] of Object.entries(properties)) {
    const given = Object.hasOwn(value, name) ? value[name] : property.default;
    if (given !== undefined || required.includes(name))
      found[name] = inspect(property, given, [...path, name], problems);
  }
  const unknown = Object.keys(value).filter((name) => !Object.hasOwn(properties, name));
  if (additionalProperties === false && unknown.length > 0)
    problems.push(
      `${here}Unrecognized key${unknown.length > 1 ? "s" : ""}: ${unknown.map(quoted).join(", ")}`,
    );
  return found;
}

/** An object whose `op` selects its schema. */
function inspectVariant(
  variants: readonly Schema[],
  value: unknown,
  path: Path,
  problems: string[],
): unknown {
  if (!isObject(value)) {
    problems.push(`${path.join(".")}: ${mistyped("object", value)}`);
    return undefined;
  }
  const variant = variants.find(({ properties }) => properties?.["op"]?.const === value["op"]);
  if (variant) return inspectObject(variant, value, path, problems);
  problems.push(`${[...path, "op"].join(".")}: Invalid input`);
  return undefined;
}

function textProblems({ minLength = 0, format, pattern }: Schema, text: string): string[] {
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

function numberProblems(schema: Schema, value: number): string[] {
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

const KEY_SHOWN_MAX = 64;
const quoted = (text: string) => JSON.stringify(text.slice(0, KEY_SHOWN_MAX));

const mistyped = (expected: string, value: unknown) =>
  `Invalid input: expected ${expected}, received ${typeName(value)}`;

function typeName(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}
