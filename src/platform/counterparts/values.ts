/** Values of actions that are taken from the row that set them off, or that an earlier action has kept. */
import type { Row } from "~/evaluation/predicate";
import { isObject } from "~/input/json";

/** The paths of a value that stands for one of the row; undefined for any other value. */
function pathsOf(value: unknown): readonly string[] | undefined {
  if (!isObject(value)) return undefined;
  const { $trigger: given, ...others } = value as Record<string, unknown>;
  if (given === undefined || Object.keys(others).length > 0) return undefined;
  const paths = Array.isArray(given) ? given : [given];
  return paths.every((path) => typeof path === "string") ? paths : undefined;
}

/** All paths in a value. */
export function pathsIn(value: unknown): readonly string[] {
  const own = pathsOf(value);
  if (own) return own;
  return isObject(value) || Array.isArray(value) ? Object.values(value).flatMap(pathsIn) : [];
}

/** The name of a value that stands for one that was kept; undefined for any other value. */
function keptNameOf(value: unknown): string | undefined {
  if (!isObject(value)) return undefined;
  const { $kept: name, ...others } = value as Record<string, unknown>;
  return typeof name === "string" && Object.keys(others).length === 0 ? name : undefined;
}

/** All names of kept values in a value. */
export function keptNamesIn(value: unknown): readonly string[] {
  const own = keptNameOf(value);
  if (own !== undefined) return [own];
  return isObject(value) || Array.isArray(value) ? Object.values(value).flatMap(keptNamesIn) : [];
}

/** The value with what the row has at its paths, and what was kept by its names; null where there is nothing. */
export function filledFrom(row: Row, value: unknown, kept: Row = {}): unknown {
  const paths = pathsOf(value);
  if (paths) return paths.map((path) => read(row, path)).find((found) => found !== null) ?? null;
  const name = keptNameOf(value);
  if (name !== undefined) return Object.hasOwn(kept, name) ? kept[name] : null;
  if (Array.isArray(value)) return value.map((each) => filledFrom(row, each, kept));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([field, each]) => [field, filledFrom(row, each, kept)]),
  );
}

/** Whether a value of the row that stands in this value is an object. */
export function takesObject(row: Row, value: unknown): boolean {
  if (pathsOf(value)) return isObject(filledFrom(row, value));
  return (
    (isObject(value) || Array.isArray(value)) &&
    Object.values(value).some((each) => takesObject(row, each))
  );
}

function read(row: Row, path: string): unknown {
  let value: unknown = row;
  for (const part of path.split("."))
    value =
      typeof value === "object" && value !== null && Object.hasOwn(value, part)
        ? (value as Record<string, unknown>)[part]
        : null;
  return value ?? null;
}
