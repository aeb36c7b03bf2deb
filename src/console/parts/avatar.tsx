/** Pictures of people: their initials on a colour that follows from the id. */

/** Muted when drawn, and apart from each other. */
const HUES = [8, 36, 88, 152, 188, 216, 262, 322];

function hueOf(id: string): number {
  let sum = 0;
  for (const character of id) sum = (31 * sum + (character.codePointAt(0) ?? 0)) % 65_521;
  return HUES[sum % HUES.length] ?? 0;
}

/** Of the first word and the last one. */
function initialsOf(name: string): string {
  const words = name.split(/\s+/).filter((word) => /^[\p{L}\p{N}]/u.test(word));
  const [first = ""] = words;
  const last = words.length > 1 ? (words.at(-1) ?? "") : "";
  return (
    [first, last]
      .map((word) => [...word][0] ?? "")
      .join("")
      .toUpperCase() || "?"
  );
}

/** Beside the name, which it does not replace. A bot has corners. */
export function Avatar({
  id,
  name,
  isBot = false,
  isLarge = false,
}: {
  id: string;
  name: string;
  isBot?: boolean;
  isLarge?: boolean;
}) {
  const kind = [isBot ? "bot" : "", isLarge ? "large" : ""].join(" ");
  return (
    <span class={`avatar ${kind}`} style={{ "--hue": hueOf(id) }} title={name} aria-hidden="true">
      {initialsOf(name)}
    </span>
  );
}
