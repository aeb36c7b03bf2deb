/** JSON from outside. */

/** Deeper than any document of ours or of a service; far from where a recursive walk would overflow the stack. */
const DEPTH_MAX = 64;

/** Nested deeper than anything that is meant. */
export class TooDeep extends SyntaxError {
  override readonly name = "TooDeep";
}

/**
 * JSON.parse for text that somebody sent: whatever walks the value later may do so recursively, and make text of all
 * that it finds. Throws SyntaxError.
 */
export function parseBounded(text: string): unknown {
  if (isDeeper(text, DEPTH_MAX)) throw new TooDeep(`nested deeper than ${DEPTH_MAX}`);
  const value: unknown = JSON.parse(text);
  // A key may be written with escapes.
  if (text.includes("toString") || text.includes("\\u")) makeTellable(value);
  return value;
}

/** An object with a key `toString` throws wherever text is made of it: this one is told as any other is. */
export function makeTellable(value: unknown): void {
  if (typeof value !== "object" || value === null) return;
  if (Object.hasOwn(value, "toString"))
    Object.defineProperty(value, Symbol.toPrimitive, { value: () => "[object Object]" });
  for (const item of Object.values(value)) makeTellable(item);
}

const [QUOTE, BACKSLASH, OPEN_BRACE, CLOSE_BRACE, OPEN_BRACKET, CLOSE_BRACKET] =
  Buffer.from('"\\{}[]');

/** Counts brackets before anything recursive sees them. */
function isDeeper(text: string, max: number): boolean {
  let depth = 0;
  let inString = false;
  for (let at = 0; at < text.length; at++) {
    const letter = text.charCodeAt(at);
    if (inString) {
      if (letter === BACKSLASH) at++;
      else if (letter === QUOTE) inString = false;
    } else if (letter === QUOTE) inString = true;
    else if (letter === OPEN_BRACE || letter === OPEN_BRACKET) {
      if (++depth > max) return true;
    } else if (letter === CLOSE_BRACE || letter === CLOSE_BRACKET) depth--;
  }
  return false;
}
