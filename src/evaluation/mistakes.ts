/** Mistakes in a spec: their place, the problem and the nearest valid name. */
import { isObject } from "~/json";
import { nearest } from "~/nearest";

/** `assertion` counts from 1; undefined for a mistake of the whole spec. */
export class SpecError extends Error {
  override readonly name = "SpecError";
  constructor(problem: string, path: string, assertion?: number) {
    const place = assertion === undefined ? "" : `assertion ${assertion}`;
    super([place, path, problem].filter((part) => part !== "").join(": "));
  }
}

export const shown = (name: string) =>
  JSON.stringify(name.length > 64 ? `${name.slice(0, 64)}…` : name);

export function requireObject(
  value: unknown,
  path: string,
  assertion?: number,
): asserts value is Record<string, unknown> {
  if (!isObject(value)) throw new SpecError("an object is needed", path, assertion);
}

export function requireKnownKeys(
  value: Record<string, unknown>,
  known: readonly string[],
  path: string,
  assertion?: number,
): void {
  for (const key of Object.keys(value))
    if (!known.includes(key))
      throw new SpecError(`there is no field ${shown(key)}${nearest(key, known)}`, path, assertion);
}

/** `/0/name` → `[0].name`. */
export const readable = (pointer: string) =>
  pointer.replace(/\/(\d+)/g, "[$1]").replace(/\//g, ".");
