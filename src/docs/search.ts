/** The index of the guide and reference: their sections as plain text. */
import { GUIDE } from "~/docs/guide";
import { REFERENCE, titleOf } from "~/docs/reference/index";
import { asText, render } from "~/docs/render";

/** A section of a page: its beginning, or what follows a heading. */
type Section = {
  readonly path: string;
  readonly title: string;
  /** Empty for the beginning of a page. */
  readonly heading: string;
  readonly text: string;
};

/** A long table is found by the names at its beginning and by its heading. */
const TEXT_MAX = 8_000;
/** The link to a heading. */
const ANCHOR = /<a class="anchor"[^>]*>#<\/a>/g;
const HEADING = /<h([23]) id="([^"]*)">([\s\S]*?)<\/h\1>/g;

/** As JSON. */
export function searchIndex(): string {
  const pages = [
    ...[...GUIDE].map(([name, markdown]) => ["guide", name, markdown] as const),
    ...[...REFERENCE].map(([name, write]) => ["reference", name, write()] as const),
  ];
  return JSON.stringify(
    pages.flatMap(([part, name, markdown]) =>
      sectionsOf(`/docs/${part}/${name}`, titleOf(markdown), render(part, markdown)),
    ),
  );
}

function sectionsOf(path: string, title: string, html: string): Section[] {
  const headings = [...html.matchAll(HEADING)];
  const textOf = (from: number, to: number) => plain(html.slice(from, to)).slice(0, TEXT_MAX);
  const end = (n: number) => headings[n]?.index ?? html.length;
  const sections = headings.map((found, n) => ({
    path: `${path}#${found[2]}`,
    title,
    heading: plain(found[3] ?? ""),
    text: textOf(found.index + found[0].length, end(n + 1)),
  }));
  return [{ path, title, heading: "", text: textOf(0, end(0)) }, ...sections];
}

const plain = (html: string) =>
  asText(
    html
      .replaceAll(ANCHOR, "")
      .replaceAll(/<\/?span[^>]*>/g, "")
      .replaceAll(/<[^>]+>/g, " "),
  )
    .replaceAll(/\s+/g, " ")
    .trim();
