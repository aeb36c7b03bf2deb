/** Guide and reference as HTML pages. Their script adds search, copy buttons and tabs; without it nothing is missing. */
import { GROUPS, GUIDE, GUIDE_INDEX } from "~/docs/guide";
import { highlighted } from "~/docs/highlight";
import script from "~/docs/page.js" with { type: "text" };
import { REFERENCE, referenceIndex, titleOf } from "~/docs/reference/index";
import { render } from "~/docs/render";
import { searchIndex } from "~/docs/search";
import style from "~/docs/site.css" with { type: "text" };
import { nearestOf } from "~/input/nearest";
import { VERSION } from "~/version";

const STYLE_PATH = "/docs/site.css";
const SCRIPT_PATH = "/docs/page.js";
const INDEX_PATH = "/docs/search.json";

/** The files of the pages: media type and content. */
export function siteFile(pathname: string): readonly [type: string, text: string] | undefined {
  if (pathname === STYLE_PATH) return ["text/css", style];
  if (pathname === SCRIPT_PATH) return ["text/javascript", script];
  if (pathname === INDEX_PATH) return ["application/json", searchIndex()];
  return undefined;
}

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

const GUIDE_PATH = "/docs/guide";
const REFERENCE_PATH = "/docs/reference";

/** A page for a path that does not exist, with the way back. */
export function missingPage(pathname: string): string {
  const names = new Map([...pageTitles().keys()].map((path) => [nameOf(path), path]));
  const name = nearestOf(nameOf(pathname.replace(/\/$/, "")), names.keys());
  const meant = name === undefined ? undefined : names.get(name);
  const lines = [
    "# There is no such page",
    meant === undefined
      ? "The address may be old, or have a mistake."
      : `Did you mean \`${meant}\`?`,
    "Continue with the guide at `/docs/guide`, the reference at `/docs/reference`, the explorer of the API at `/docs`, or the console at `/console`.",
  ];
  return pageOf(pathname, "guide", lines.join("\n\n"));
}

const nameOf = (path: string) => path.slice(path.lastIndexOf("/") + 1);

/** Titles of all pages by path, in reading order. Written once: those of the reference need the whole page. */
let titles: ReadonlyMap<string, string> | undefined;
function pageTitles(): ReadonlyMap<string, string> {
  titles ??= new Map([
    ...[...GUIDE].map(([name, text]) => [`${GUIDE_PATH}/${name}`, titleOf(text)] as const),
    ...[...REFERENCE].map(
      ([name, write]) => [`${REFERENCE_PATH}/${name}`, titleOf(write())] as const,
    ),
  ]);
  return titles;
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
<script type="module" src="${SCRIPT_PATH}"></script>
</head>
<body>
<header>
<p><strong>Diorama</strong> ${VERSION} <a class="contents" href="#contents">Contents</a></p>
<search hidden>
<input type="search" aria-label="Search" placeholder="Search (/)" maxlength="100" autocomplete="off">
<p role="status"></p>
<ul></ul>
</search>
</header>
<nav id="contents" aria-label="Documentation">
${navigation(pathname)}
<p><a href="/docs">API explorer</a></p>
<p><a href="/console">Console</a></p>
</nav>
<main>
${highlighted(render(part, markdown))}${neighbours(pathname)}</main>
</body>
</html>
`;
}

function navigation(current: string): string {
  const link = (path: string, text: string) =>
    `<a href="${path}"${path === current ? ' aria-current="page"' : ""}>${Bun.escapeHTML(text)}</a>`;
  const list = (root: string, names: Iterable<string>) => {
    const items = [...names].map((name) => {
      const path = `${root}/${name}`;
      return `<li>${link(path, pageTitles().get(path) ?? name)}</li>`;
    });
    return `<ul>\n${items.join("\n")}\n</ul>`;
  };
  return [
    `<p>${link(GUIDE_PATH, "Guide")}</p>`,
    ...GROUPS.map(({ title, pages }) => `<p>${title}</p>\n${list(GUIDE_PATH, pages.keys())}`),
    `<p>${link(REFERENCE_PATH, "Reference")}</p>\n${list(REFERENCE_PATH, REFERENCE.keys())}`,
  ].join("\n");
}

/** Links to the pages before and after one; none on a page outside the order. */
function neighbours(pathname: string): string {
  const paths = [...pageTitles().keys()];
  const at = paths.indexOf(pathname);
  if (at < 0) return "";
  const link = (path: string | undefined, rel: string, name: string) =>
    path === undefined
      ? ""
      : `<a rel="${rel}" href="${path}"><small>${name}</small> ${Bun.escapeHTML(pageTitles().get(path) ?? "")}</a>`;
  return `<nav class="neighbours" aria-label="Previous and next page">
${link(paths[at - 1], "prev", "Previous")}
${link(paths[at + 1], "next", "Next")}
</nav>
`;
}
