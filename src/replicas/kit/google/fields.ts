/** Field masks: the part of an answer that a client asks for: `id,payload(headers,parts/body)`, `messages/id`, `*`. */
import type { TSchema } from "@sinclair/typebox";
import { isObject } from "~/input/json";

/** By field; an empty mask selects everything. */
type Mask = Map<string, Mask>;

const NAMES_MAX = 500;
const DEPTH_MAX = 20;

/** `wrong`: the error that is thrown for a text that is not a mask. */
export function readMask(text: string, wrong: () => Error): Mask {
  const tokens = text.match(/[^\s,()/]+|[,()/]/g) ?? [];
  if (tokens.length > NAMES_MAX) throw wrong();
  let at = 0;
  /** Of names without a part of theirs: they stay whole if a part is named too. */
  const whole = new Set<Mask>();
  const list = (depth: number): Mask => {
    if (depth > DEPTH_MAX) throw wrong();
    const mask: Mask = new Map();
    for (;;) {
      path(mask, depth);
      if (tokens[at] !== ",") return mask;
      at++;
    }
  };
  const path = (mask: Mask, depth: number): void => {
    const name = tokens[at++];
    if (name === undefined || /^[,()/]$/.test(name)) throw wrong();
    const inner: Mask = mask.get(name) ?? new Map();
    mask.set(name, inner);
    const sign = tokens[at];
    if (sign === "/") {
      at++;
      path(inner, depth);
    } else if (sign === "(") {
      at++;
      for (const [key, value] of list(depth + 1)) inner.set(key, value);
      if (tokens[at++] !== ")") throw wrong();
    } else whole.add(inner);
    if (whole.has(inner)) inner.clear();
  };
  const mask = list(0);
  if (at !== tokens.length) throw wrong();
  return mask;
}

/**
 * A name in a mask that an answer of this shape cannot have; undefined if there is none. Any name is in an open shape.
 * `outer`: the shapes around this one, by `$id`, which it can refer to.
 */
export function unknownFieldIn(
  mask: Mask,
  shape: TSchema,
  outer: ReadonlyMap<string, TSchema> = new Map(),
): string | undefined {
  const { type, items, properties, $id: id, $ref: ref, additionalProperties } = shape;
  const known = id === undefined ? outer : new Map([...outer, [id, shape]]);
  const whole = ref === undefined ? undefined : known.get(ref);
  if (whole) return unknownFieldIn(mask, whole, known);
  if (type === "array") return unknownFieldIn(mask, items as TSchema, known);
  if (!properties || additionalProperties !== undefined) return undefined;
  for (const [name, inner] of mask) {
    if (name === "*") continue;
    const field = Object.hasOwn(properties, name) ? properties[name] : undefined;
    const found = field ? unknownFieldIn(inner, field, known) : name;
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The fields of a value that a mask selects. */
export function masked(value: unknown, mask: Mask): unknown {
  const all = mask.get("*");
  if (mask.size === 0 || all?.size === 0) return value;
  if (Array.isArray(value)) return value.map((item) => masked(item, mask));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, item]) => {
      const inner = mask.get(name) ?? all;
      return inner ? [[name, masked(item, inner)]] : [];
    }),
  );
}
