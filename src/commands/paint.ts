/** Colours of what commands print: none unless standard output is a terminal, and none with NO_COLOR. */
import { styleText } from "node:util";
import type { Verdict } from "~/commands/suite";

export const paint = (style: "bold" | "dim" | "green" | "yellow" | "red", text: string): string =>
  styleText(style, text, { stream: process.stdout, validateStream: true });

const COLORS = {
  passed: "green",
  failed: "red",
  crashed: "red",
  "timed out": "red",
  "not gradable": "yellow",
  interrupted: "yellow",
} as const satisfies { readonly [verdict in Verdict]: string };

const isVerdict = (word: string): word is Verdict => Object.hasOwn(COLORS, word);

/** A verdict in its colour; other words as they are. */
export const paintVerdict = (word: string) => (isVerdict(word) ? paint(COLORS[word], word) : word);
