/** Mistakes in a spec: their place, the problem and the nearest valid name. */
import { isObject } from "~/input/json";
import { nearest, quoted } from "~/input/nearest";

/** `assertion` counts from 1; undefined for a mistake of the whole spec. */
export class SpecError extends Error {
  override readonly name = "SpecError";
  constructor(problem: string, path: string, assertion?: number) {
    const place = assertion === undefined ? "" : `assertion ${assertion}`;
    super([place, path, problem].filter((part) => part !== "").join(": "));
  }
}

/** Compiles each item, and throws the mistakes of all items together. */
export function compileEach<Item, Compiled>(
  items: readonly Item[],
  compile: (item: Item, index: number) => Compiled,
): Compiled[] {
  const lines: string[] = [];
  const compiled = items.flatMap((item, index) => {
    try {
      return [compile(item, index)];
    } catch (error) {
      if (!(error instanceof SpecError)) throw error;
      lines.push(error.message);
      return [];
    }
  });
  if (lines.length > 0) throw new SpecError(lines.join("\n"), "");
  return compiled;
}

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
      throw new SpecError(
        `there is no field ${quoted(key)}${nearest(key, known)}`,
        path,
        assertion,
      );
}

/** The path of a part: `columns` and `[0]` are `columns[0]`. */
export const joined = (path: string, part: string) =>
  path === "" || part === "" || part.startsWith("[") ? `${path}${part}` : `${path}.${part}`;
