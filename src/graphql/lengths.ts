/**
 * Limits the length of client input. Walks the arguments by their types in the schema, so that none is missed: limits
 * are by name, with a default for other names.
 */
import {
  type GraphQLInputType,
  getNamedType,
  getNullableType,
  isInputObjectType,
  isListType,
  isScalarType,
} from "graphql";
import { InvalidArgument, requireFew } from "~/graphql/errors";
import { sizeOf } from "~/input/json";

export type Lengths = {
  /** Of a text without a specific limit. */
  readonly usual: number;
  /** Of JSON, in characters. */
  readonly json: number;
  /** The names of the types whose values are measured as JSON. */
  readonly whole: RegExp;
  /** Of a list, in elements. */
  readonly items: number;
  /** By field, or by type and field: `title`, `BookInput.title`. */
  readonly texts: Readonly<Record<string, number>>;
};

type Defined = { readonly name: string; readonly type: GraphQLInputType };

/** Throws InvalidArgument for the first value that is too long. `owner`: the type that declares these fields. */
export function requireLengths(
  lengths: Lengths,
  values: Readonly<Record<string, unknown>>,
  fields: readonly Defined[],
  owner = "",
): void {
  for (const { name, type } of fields) {
    const value = values[name];
    if (value !== undefined && value !== null) requireLength(lengths, value, { name, type }, owner);
  }
}

function requireLength(lengths: Lengths, value: unknown, field: Defined, owner: string): void {
  const { name, type } = field;
  const whole = getNullableType(type);
  if (isListType(whole)) {
    const items = value as readonly unknown[];
    requireFew(name, items.length, lengths.items);
    for (const item of items)
      if (item !== null) requireLength(lengths, item, { name, type: whole.ofType }, owner);
    return;
  }
  const named = getNamedType(type);
  if (lengths.whole.test(named.name))
    requireAtMost(name, sizeOf(value, lengths.json), lengths.json, value);
  else if (isInputObjectType(named))
    requireLengths(
      lengths,
      value as Readonly<Record<string, unknown>>,
      Object.values(named.getFields()),
      named.name,
    );
  else if (isScalarType(named) && typeof value === "string") {
    const max = lengths.texts[`${owner}.${name}`] ?? lengths.texts[name] ?? lengths.usual;
    requireAtMost(name, value.length, max, value);
  }
}

function requireAtMost(name: string, length: number, max: number, value: unknown): void {
  if (length > max)
    throw new InvalidArgument(
      name,
      typeof value === "string" ? value : length,
      "maxLength",
      `${name} must be shorter than or equal to ${max} characters`,
    );
}
