/** Emoji by their short names. The table is made while the console is built, from the data that the service itself uses. */
import { signal } from "@preact/signals";
import { emojiNames } from "~/console/services/chat/emoji-names" with { type: "macro" };

/** A macro's promise is its value once it is built. */
const PACKED = emojiNames() as unknown as string;

/** By name; empty until it is unpacked. What shows an emoji is rendered again then. */
const table = signal<ReadonlyMap<string, string>>(new Map());

async function unpack(): Promise<void> {
  const bytes = Uint8Array.from(atob(PACKED), (character) => character.charCodeAt(0));
  const text = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  const parts = (await new Response(text).text()).split(" ");
  const found = new Map<string, string>();
  for (let at = 0; at < parts.length; at += 2)
    for (const name of (parts[at + 1] ?? "").split("|")) found.set(name, parts[at] ?? "");
  table.value = found;
}

void unpack();

/** `wave`, or `wave::skin-tone-3`; undefined if it is no emoji of the service. */
function find(name: string): string | undefined {
  const characters = name.split("::").map((part) => table.value.get(part));
  return characters.includes(undefined) ? undefined : characters.join("");
}

export const emoji = (name: string) => find(name) ?? `:${name}:`;

const SHORT_CODE = /:([a-z0-9_+'-]{1,60}(?:::skin-tone-[2-6])?):/g;

/** A text with its short codes replaced; what is no emoji stays. */
export const withEmoji = (text: string) =>
  text.replace(SHORT_CODE, (whole, name: string) => find(name) ?? whole);
