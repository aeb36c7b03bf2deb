/** Field masks: the part of an answer that a client asks for: `id,payload(headers,parts/body)`, `messages/id`, `*`. */
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
    const known = mask.get(name);
    const inner: Mask = known ?? new Map();
    mask.set(name, inner);
    const sign = tokens[at];
    if (sign === "/") {
      at++;
      path(inner, depth);
    } else if (sign === "(") {
      at++;
      for (const [key, value] of list(depth + 1)) inner.set(key, value);
      if (tokens[at++] !== ")") throw wrong();
    }
  };
  const mask = list(0);
  if (at !== tokens.length) throw wrong();
  return mask;
}

/** The fields of a value that a mask selects. */
export function masked(value: unknown, mask: Mask): unknown {
  if (mask.size === 0) return value;
  if (Array.isArray(value)) return value.map((item) => masked(item, mask));
  if (!isObject(value)) return value;
  const all = mask.get("*");
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, item]) => {
      const inner = mask.get(name) ?? all;
      return inner ? [[name, masked(item, inner)]] : [];
    }),
  );
}
