/** Finds the images of a text in time linear in the text, whatever it contains. */

const START = "![";
/** The text after the alternative text, up to the end of the address. */
const ADDRESS = /\(\s*<?([^\s)>]+)/y;

/** The addresses of the images, in order: `![alt](address)`, `![alt](<address> "title")`. */
export function imagesOf(markdown: string): string[] {
  const addresses: string[] = [];
  let bracket = 0;
  for (let at = markdown.indexOf(START); at >= 0; at = markdown.indexOf(START, bracket)) {
    // Every start before this bracket has the same end: the search goes on after it.
    bracket = markdown.indexOf("]", at + START.length);
    if (bracket < 0) break;
    ADDRESS.lastIndex = bracket + 1;
    const [, address] = ADDRESS.exec(markdown) ?? [];
    if (address === undefined) continue;
    const end = markdown.indexOf(")", ADDRESS.lastIndex);
    if (end < 0) break;
    addresses.push(address);
    bracket = end;
  }
  return addresses;
}
