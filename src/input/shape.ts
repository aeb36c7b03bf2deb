/** Checks values from people against shapes, and says of every mistake where it is and what is needed. */
import { type TSchema, Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { isObject } from "~/input/json";
import { nearest } from "~/input/nearest";

const SHOWN_MAX = 200;
/** Mistakes that are looked for in one value. */
const MISFITS_MAX = 100;
/** Mistakes that one answer lists. */
const LISTED_MAX = 10;

/** A place where a value does not fit its shape. The path of the value itself is empty. */
export type Misfit = { readonly path: string; readonly problem: string };

/** Lists mistakes in lines, each once and not more than people read. */
export function linesOf(mistakes: readonly string[]): string {
  const lines = [...new Set(mistakes)];
  const more = lines.length - LISTED_MAX;
  return [...lines.slice(0, LISTED_MAX), ...(more > 0 ? [`and ${more} more`] : [])].join("\n");
}

/** `/tests/0/name` → `tests[0].name`: the only form of a path in a message. */
export const readablePath = (pointer: string) =>
  pointer
    .replace(/\/(\d+)/g, "[$1]")
    .replace(/\//g, ".")
    .replace(/^\./, "");

/** A line for each place where a value does not fit. `whole`: the name of the value itself. */
export const linesAbout = (shape: TSchema, value: unknown, whole: string): string[] =>
  findMisfits(shape, value).map(({ path, problem }) => `${path || whole}: ${problem}`);

/**
 * Finds what does not fit the shape, at any depth. An object may have no key that its shape lacks, unless
 * `additionalProperties` says so: in a value from people that is a mistake, which TypeBox lets pass.
 *
 * The whole value is checked here and not by Elysia, which copies a value first, and would make a key of each character
 * of a text in place of an object.
 */
export function findMisfits(shape: TSchema, value: unknown): Misfit[] {
  const found: Misfit[] = [];
  look(shape, value, "", found);
  return found;
}

function look(shape: TSchema, value: unknown, path: string, found: Misfit[]): void {
  if (found.length >= MISFITS_MAX) return;
  const { type, anyOf } = shape as { type?: unknown; anyOf?: readonly TSchema[] };
  if (anyOf) found.push(...misfitsOfUnion(anyOf, value, path));
  else if (type === "array") lookInList(shape, value, path, found);
  else if (type === "object") lookInObject(shape as ObjectShape, value, path, found);
  else report(shape, value, path, found);
}

/** Checks the value by itself, without its parts. */
function report(shape: TSchema, value: unknown, path: string, found: Misfit[]): void {
  const error = Value.Errors(shape, value).First();
  if (!error) return;
  const { expected } = shape as { expected?: string };
  const problem = expected === undefined ? error.message : `expected ${expected}`;
  found.push({ path: path.slice(0, SHOWN_MAX), problem });
}

function lookInList(shape: TSchema, value: unknown, path: string, found: Misfit[]): void {
  report({ ...shape, items: Type.Unknown() }, value, path, found);
  const items = shape["items"] as TSchema | undefined;
  if (!Array.isArray(value) || !items) return;
  for (const [index, item] of value.entries()) look(items, item, `${path}[${index}]`, found);
}

type ObjectShape = {
  readonly properties?: Record<string, TSchema>;
  readonly patternProperties?: Record<string, TSchema>;
  readonly additionalProperties?: TSchema | boolean;
  readonly required?: readonly string[];
  readonly minProperties?: number;
  readonly maxProperties?: number;
};

function lookInObject(shape: ObjectShape, value: unknown, path: string, found: Misfit[]): void {
  const add = (place: string, problem: string) =>
    found.push({ path: place.slice(0, SHOWN_MAX), problem });
  if (!isObject(value)) {
    add(path, "Expected object");
    return;
  }
  const { properties = {}, required = [], minProperties = 0, maxProperties = Infinity } = shape;
  const entries = Object.entries(value);
  if (entries.length < minProperties) add(path, `at least ${minProperties} fields are needed`);
  if (entries.length > maxProperties) add(path, `at most ${maxProperties} fields are allowed`);
  let meant = "";
  for (const [key, item] of entries) {
    if (found.length >= MISFITS_MAX) return;
    const place = path === "" ? key : `${path}.${key}`;
    const property = propertyOf(shape, key);
    if (property) look(property, item, place, found);
    else if (!isOpen(shape)) {
      const hint = nearest(key, Object.keys(properties));
      meant += hint;
      add(place, `there is no such field${hint}`);
    }
  }
  // A required field under a misspelled name is one mistake.
  for (const key of required)
    if (!Object.hasOwn(value, key) && !meant.includes(`"${key}"`))
      add(path === "" ? key : `${path}.${key}`, "is needed");
}

function propertyOf(shape: ObjectShape, key: string): TSchema | undefined {
  const { properties = {}, patternProperties = {}, additionalProperties } = shape;
  if (Object.hasOwn(properties, key)) return properties[key];
  const fitting = Object.entries(patternProperties).find(([name]) => new RegExp(name).test(key));
  return (
    fitting?.[1] ?? (typeof additionalProperties === "object" ? additionalProperties : undefined)
  );
}

/** An object without fields of its own takes any. */
const isOpen = ({ properties, patternProperties, additionalProperties }: ObjectShape) =>
  additionalProperties === true || (!properties && !patternProperties);

/** The mistakes of the member that the value was meant as; else the members. */
function misfitsOfUnion(members: readonly TSchema[], value: unknown, path: string): Misfit[] {
  const tried = members.map((member) => {
    const found: Misfit[] = [];
    look(member, value, path, found);
    return { member, found };
  });
  if (tried.some(({ found }) => found.length === 0)) return [];
  const [meant] = tried
    .filter(({ member }) => isAlike(member, value))
    .toSorted((a, b) => a.found.length - b.found.length);
  if (meant) return meant.found;
  const literals = members.flatMap((member) => ("const" in member ? [`${member["const"]}`] : []));
  const needed =
    literals.length === members.length
      ? `one of ${literals.join(", ")}`
      : members.map(described).join(" or ");
  const hint = typeof value === "string" ? nearest(value, literals) : "";
  return [{ path: path.slice(0, SHOWN_MAX), problem: `${needed} is needed${hint}` }];
}

function isAlike({ type, anyOf, const: only }: TSchema, value: unknown): boolean {
  if (anyOf) return (anyOf as readonly TSchema[]).some((member) => isAlike(member, value));
  if (only !== undefined) return false;
  if (type === "object") return isObject(value);
  if (type === "array") return Array.isArray(value);
  return typeof value === (type === "integer" ? "number" : type);
}

const KINDS: { readonly [type: string]: string } = {
  object: "an object",
  array: "a list",
  string: "a string",
  number: "a number",
  integer: "a whole number",
  boolean: "true or false",
  null: "null",
};

function described({ type, anyOf, const: only }: TSchema): string {
  if (anyOf) return (anyOf as readonly TSchema[]).map(described).join(" or ");
  return only === undefined ? (KINDS[`${type}`] ?? "another value") : JSON.stringify(only);
}

/**
 * Returns a value without the fields that are null and not required, known or not: clients send those for absent ones.
 * `read`: replaces each text.
 */
export function withoutNulls(
  shape: TSchema,
  value: unknown,
  read: (shape: TSchema, text: string) => string = (_, text) => text,
): unknown {
  if (typeof value === "string") return read(shape, value);
  if (Array.isArray(value)) {
    const items = shape["items"] as TSchema | undefined;
    return items ? value.map((item) => withoutNulls(items, item, read)) : value;
  }
  const properties = shape["properties"] as Record<string, TSchema> | undefined;
  if (!isObject(value) || !properties) return value;
  const required = (shape["required"] as readonly string[] | undefined) ?? [];
  const isOpen = shape["additionalProperties"] === true;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, item]) => {
      const property = Object.hasOwn(properties, key) ? properties[key] : undefined;
      const isKept = property ? required.includes(key) || isNullable(property) : isOpen;
      if (item === null && !isKept) return [];
      return [[key, property ? withoutNulls(property, item, read) : item]];
    }),
  );
}

const isNullable = (shape: TSchema): boolean =>
  shape["type"] === "null" ||
  ((shape["anyOf"] as readonly TSchema[] | undefined) ?? []).some(isNullable);
