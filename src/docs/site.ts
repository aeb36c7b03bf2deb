/** Guide and reference as HTML pages without scripts. */
import { GUIDE, GUIDE_INDEX } from "~/docs/guide";
import { REFERENCE, referenceIndex, titleOf } from "~/docs/reference/index";
import style from "~/docs/site.css" with { type: "text" };
import { VERSION } from "~/version";

export const STYLE_PATH = "/docs/site.css";
export const STYLE: string = style;

const PAGE_PATH = /^\/docs\/(guide|reference)(?:\/([a-z-]+))?$/;

/** The guide or reference page at a path; undefined if there is none. */
export function sitePage(pathname: string): string | undefined {
  const [, part, name] = PAGE_PATH.exec(pathname) ?? [];
  if (part === undefined) return undefined;
  const markdown = markdownOf(part, name);
  return markdown === undefined ? undefined : pageOf(pathname, part, markdown);
}

function markdownOf(part: string, name: string | undefined): string | undefined {
  if (part === "guide") return name === undefined ? GUIDE_INDEX : GUIDE.get(name);
  return name === undefined ? referenceIndex() : REFERENCE.get(name)?.();
}

/** HTML in the text is shown, not interpreted: prompts and limits may contain any character. */
const OPTIONS: Bun.markdown.Options = {
  headings: { ids: true },
  noHtmlBlocks: true,
  noHtmlSpans: true,
};

/** A link to the file of another page, as GitHub needs it. */
const FILE_LINK = /href="([A-Za-z-]+)\.md(#[^"]*)?"/g;
/** A path on this server, which is not a link on GitHub. */
const SERVED_PATH = /<code>(\/docs(?:\/[a-z-]+)*|\/clients\/)<\/code>/g;

function render(part: string, markdown: string): string {
  return Bun.markdown
    .html(markdown, OPTIONS)
    .replace(FILE_LINK, (_, name: string, anchor = "") => {
      const path = name === "README" ? `/docs/${part}` : `/docs/${part}/${name}`;
      return `href="${path}${anchor}"`;
    })
    .replace(SERVED_PATH, '<a href="$1"><code>$1</code></a>');
}

/** Markdown as a page with the navigation. Its links to files lead to pages of `part`. */
export function pageOf(pathname: string, part: string, markdown: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${Bun.escapeHTML(titleOf(markdown))} – Diorama</title>
<link rel="stylesheet" href="${STYLE_PATH}">
</head>
<body>
<nav aria-label="Documentation">
<p><strong>Diorama</strong> ${VERSION}</p>
${list("Guide", "/docs/guide", pathname, [...GUIDE])}
${list(
  "Reference",
  "/docs/reference",
  pathname,
  [...REFERENCE].map(([name, write]) => [name, write()]),
)}
<p><a href="/docs">API explorer</a></p>
</nav>
<main>
${render(part, markdown)}</main>
</body>
</html>
`;
}

function list(
  title: string,
  root: string,
  current: string,
  pages: readonly (readonly [string, string])[],
): string {
  const link = (path: string, text: string) =>
    `<a href="${path}"${path === current ? ' aria-current="page"' : ""}>${Bun.escapeHTML(text)}</a>`;
  const items = pages.map(
    ([name, markdown]) => `<li>${link(`${root}/${name}`, titleOf(markdown))}</li>`,
  );
  return `<p>${link(root, title)}</p>\n<ul>\n${items.join("\n")}\n</ul>`;
}
