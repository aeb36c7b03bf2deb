/** Values of declared types from the texts of a query, a form or a path. */
import type { TSchema } from "@sinclair/typebox";

/** Fields of one query or form: more than any operation has. */
const FIELDS_MAX = 1_001;

/** Undefined if there are more than anyone needs. */
export function readFields(text: string): URLSearchParams | undefined {
  return text.split("&", FIELDS_MAX + 1).length > FIELDS_MAX
    ? undefined
    : new URLSearchParams(text);
}

/**
 * The values by name. A list has the values of all fields of its name, anything else that of the last one. A text that
 * cannot be converted stays as it is, so that a check against the shape finds it.
 */
export function valuesOf(
  properties: Readonly<Record<string, TSchema>>,
  fields: Iterable<readonly [string, string]>,
): Record<string, unknown> {
  const found = new Map<string, unknown>();
  for (const [name, text] of fields) {
    const shape = Object.hasOwn(properties, name) ? properties[name] : undefined;
    const items: TSchema | undefined = shape?.["items"];
    if (!items) found.set(name, shape ? convert(shape, text) : text);
    else if (found.has(name)) (found.get(name) as unknown[]).push(convert(items, text));
    else found.set(name, [convert(items, text)]);
  }
  return Object.fromEntries(found);
}

function convert(shape: TSchema, text: string): unknown {
  const members: readonly TSchema[] | undefined = shape["anyOf"];
  if (members)
    return members.map((member) => convert(member, text)).find((value) => value !== text) ?? text;
  switch (shape["type"]) {
    case "integer":
      return /^-?\d{1,15}$/.test(text) ? Number(text) : text;
    case "number":
      return /^-?\d{1,15}(?:\.\d{1,15})?$/.test(text) ? Number(text) : text;
    case "boolean":
      return text === "true" || (text === "false" ? false : text);
    default:
      return text;
  }
}
