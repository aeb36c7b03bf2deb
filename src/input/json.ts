/** JSON from outside. */

/** True for a JSON object: neither null nor an array. */
export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Deeper than any document of ours or of a service; far below the depth at which a recursive walk overflows the stack. */
const DEPTH_MAX = 64;
/** More values than any document of a service; few enough to check one by one in a fraction of a second. */
const VALUES_MAX = 50_000;

/** JSON that exceeds the limits. */
export class TooLarge extends SyntaxError {
  override readonly name = "TooLarge";
}

/**
 * JSON.parse for text from outside: later code can safely walk the value recursively and convert any part of it to text.
 * Throws SyntaxError, before parsing text that exceeds the limits.
 */
export function parseBounded(text: string, valuesMax = VALUES_MAX): unknown {
  requireBounded(text, valuesMax);
  const value: unknown = JSON.parse(text);
  // A key may be escaped.
  if (text.includes("toString") || text.includes("\\u")) makeTellable(value);
  return value;
}

/** The value of a text from outside; undefined unless it is JSON within the limits. */
export function parsedBounded(text: string): unknown {
  try {
    return parseBounded(text);
  } catch {
    return undefined;
  }
}

/** An object with a key `toString` throws when it is converted to text. This makes it convert like any other object. */
export function makeTellable(value: unknown): void {
  if (typeof value !== "object" || value === null) return;
  if (Object.hasOwn(value, "toString"))
    Object.defineProperty(value, Symbol.toPrimitive, { value: () => "[object Object]" });
  for (const item of Object.values(value)) makeTellable(item);
}

const [QUOTE, BACKSLASH, OPEN_BRACE, CLOSE_BRACE, OPEN_BRACKET, CLOSE_BRACKET, COMMA] =
  Buffer.from('"\\{}[],');

/** Counts brackets and commas before parsing. */
function requireBounded(text: string, valuesMax: number): void {
  let depth = 0;
  let values = 1;
  let inString = false;
  for (let at = 0; at < text.length; at++) {
    const letter = text.charCodeAt(at);
    if (inString) {
      if (letter === BACKSLASH) at++;
      else if (letter === QUOTE) inString = false;
    } else if (letter === QUOTE) inString = true;
    else if (letter === OPEN_BRACE || letter === OPEN_BRACKET) {
      values++;
      if (++depth > DEPTH_MAX) throw new TooLarge(`nested deeper than ${DEPTH_MAX}`);
    } else if (letter === CLOSE_BRACE || letter === CLOSE_BRACKET) depth--;
    else if (letter === COMMA && ++values > valuesMax)
      throw new TooLarge(`of more than ${valuesMax} values`);
  }
}

/** The approximate length of a value as JSON. Counting stops above `max`. */
export function sizeOf(value: unknown, max: number): number {
  if (typeof value === "string") return value.length + 2;
  if (value instanceof Uint8Array) return value.byteLength;
  if (typeof value !== "object" || value === null || value instanceof Date) return 8;
  let size = 2;
  if (Array.isArray(value))
    for (const item of value) {
      size += 1 + sizeOf(item, max - size);
      if (size > max) break;
    }
  else
    for (const key in value) {
      size += key.length + 4 + sizeOf((value as Record<string, unknown>)[key], max - size);
      if (size > max) break;
    }
  return size;
}
