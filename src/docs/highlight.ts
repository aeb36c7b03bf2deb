/** Code of a page in colours: the words of a language, strings, numbers and comments. */
import { asText } from "~/docs/render";

type Highlighter = {
  readonly getLanguage: (name: string) => unknown;
  readonly highlight: (code: string, options: { language: string }) => { readonly value: string };
};

/**
 * Not an import: the package's types bring those of a browser, which differ from the server's. Loaded for the first page,
 * because that takes 20 ms of a start.
 */
let loaded: Highlighter | undefined;
function load(): Highlighter {
  loaded ??= require("highlight.js/lib/common") as Highlighter;
  return loaded;
}

const CODE = /<code class="language-(\w+)">([\s\S]*?)<\/code>/g;

/** Adds spans with the classes of the highlighter to blocks of code. The text stays as it is. */
export const highlighted = (html: string): string =>
  html.replace(CODE, (whole, language: string, code: string) => {
    const highlighter = load();
    if (!highlighter.getLanguage(language)) return whole;
    const { value } = highlighter.highlight(asText(code), { language });
    // Apostrophes as they were: the highlighter escapes them.
    return `<code class="language-${language}">${value.replaceAll("&#x27;", "'")}</code>`;
  });
