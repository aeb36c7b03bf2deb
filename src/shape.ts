/** Checks values from people against shapes where TypeBox stays silent or says too little. */
import type { TSchema } from "@sinclair/typebox";
import { isObject } from "~/json";
import { nearest } from "~/nearest";

const SHOWN_MAX = 200;

/** A place where a value does not fit its shape. The path of the value itself is empty. */
export type Misfit = { readonly path: string; readonly problem: string };

/**
 * Finds the first key that the shape does not have, or value that is no object or array where the shape has one, at any
 * depth; undefined if there is none. A union in the shape is not looked into.
 *
 * Elysia copies a value before it checks it, and would make a key of each character of a text in place of an object.
 */
export function findMisfit(shape: TSchema, value: unknown, path = ""): Misfit | undefined {
  const { type } = shape as { type?: unknown };
  if (type === "array" && !Array.isArray(value)) return { path, problem: "Expected array" };
  if (type === "object" && !isObject(value)) return { path, problem: "Expected object" };
  if (Array.isArray(value)) {
    const items = shape["items"] as TSchema | undefined;
    if (!items) return undefined;
    for (const [index, item] of value.entries()) {
      const found = findMisfit(items, item, `${path}[${index}]`);
      if (found) return found;
    }
    return undefined;
  }
  if (!isObject(value)) return undefined;
  const properties = shape["properties"] as Record<string, TSchema> | undefined;
  if (!properties || shape["additionalProperties"] === true) return undefined;
  const known = Object.keys(properties);
  for (const [key, item] of Object.entries(value)) {
    const property = Object.hasOwn(properties, key) ? properties[key] : undefined;
    const place = path === "" ? key : `${path}.${key}`;
    if (!property)
      return {
        path: place.slice(0, SHOWN_MAX),
        problem: `there is no such field${nearest(key, known)}`,
      };
    const found = findMisfit(property, item, place);
    if (found) return found;
  }
  return undefined;
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
