/** Places of an answer, and the errors at them. */
import type { GraphQLError } from "graphql";

export type Key = string | number;
export type Path = { readonly above: Path | undefined; readonly key: Key };

export function keysOf(path: Path): Key[] {
  const keys: Key[] = [];
  for (let at: Path | undefined = path; at; at = at.above) keys.unshift(at.key);
  return keys;
}

export type Errors = ReturnType<typeof createErrors>;

/** The errors of a request, without those below a place that is already null. */
export function createErrors() {
  /** The keys of places that are null, by the path above them. */
  const places = new Map<Path | undefined, Set<Key>>();
  const list: GraphQLError[] = [];
  let isOver = false;
  return {
    list,
    /** `path`: undefined if nothing is left of the answer. */
    add(error: GraphQLError, path: Path | undefined): void {
      if (isOver) return;
      for (let at = path; at; at = at.above) if (places.get(at.above)?.has(at.key)) return;
      if (path) places.set(path.above, (places.get(path.above) ?? new Set()).add(path.key));
      else isOver = true;
      list.push(error);
    },
  };
}
