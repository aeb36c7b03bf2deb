/** A call in short. */
import type { Names } from "~/console/names";

/** Arguments of a call that are shown on its line. */
const GIST_MAX = 3;
const GIST_LENGTH = 160;

/** The arguments that tell this call from others: the first short ones, with names for ids. */
export function Gist({ of, names }: { of: unknown; names: Names }) {
  const shown = textsOf(of)
    .slice(0, GIST_MAX)
    .map((text) => names.get(text) ?? text)
    .map((text) => (text.length > GIST_LENGTH ? `${text.slice(0, GIST_LENGTH)}…` : text));
  if (shown.length === 0) return null;
  return (
    <div class="gist quiet">
      {shown.map((text, index) => (
        <bdi key={index}>{text}</bdi>
      ))}
    </div>
  );
}

/** The texts and numbers of arguments, those of variables too, but no GraphQL document. */
function textsOf(of: unknown, depth = 0): string[] {
  if (typeof of === "string") return of.trim() && !of.includes("{") ? [of] : [];
  if (typeof of === "number") return [String(of)];
  if (of === null || typeof of !== "object" || depth > 3) return [];
  return Object.values(of).flatMap((value) => textsOf(value, depth + 1));
}
