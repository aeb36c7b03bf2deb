/** Runs while the console is built: the names of all emoji that the service knows. Compressed, 23 kB in place of 90. */
import names from "emojibase-data/en/shortcodes/iamcal.json";

/** Below, a character may be drawn as text: the selector asks for the emoji. */
const ALWAYS_EMOJI = 0x1f000;
const SELECTOR = "\uFE0F";

/** Pairs of characters and names, separated by spaces, several names by `|`; compressed, and as base64. */
export async function emojiNames(): Promise<string> {
  const text = Object.entries(names)
    .flatMap(([hex, name]) => {
      const points = hex.split("-").map((each) => Number.parseInt(each, 16));
      const [first = 0] = points;
      const isText = points.length === 1 && first < ALWAYS_EMOJI;
      const characters = String.fromCodePoint(...points) + (isText ? SELECTOR : "");
      return [characters, [name].flat().join("|")];
    })
    .join(" ");
  const packed = new Blob([text]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  const bytes = new Uint8Array(await new Response(packed).arrayBuffer());
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
}
