/** Guide and reference as pages, and every link of the documentation. */
import { describe, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { GUIDE } from "~/docs/guide";
import { REFERENCE } from "~/docs/reference/index";
import { sitePage } from "~/docs/site";

const ROOT = join(import.meta.dir, "../..");
const read = (file: string) => readFileSync(join(ROOT, file), "utf8");

const GUIDES = readdirSync(join(ROOT, "src/docs")).filter((name) => name.endsWith(".md"));
const FILES = ["README.md", ...GUIDES.map((name) => join("src/docs", name))];

const PAGES = [
  "/docs/guide",
  ...[...GUIDE.keys()].map((name) => `/docs/guide/${name}`),
  "/docs/reference",
  ...[...REFERENCE.keys()].map((name) => `/docs/reference/${name}`),
];
/** Paths that are not pages of the site. */
const OTHERS = ["/docs", "/docs/json", "/docs/site.css", "/clients/"];

const withoutCode = (markdown: string) => markdown.replaceAll(/^```[\s\S]*?^```$/gm, "");

/** The anchors that GitHub gives to the headings of a file. */
const anchorsOf = (file: string) =>
  [...withoutCode(read(file)).matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
      .replaceAll(" ", "-"),
  );

test("every guide is served, and listed on the first page", () => {
  const names = GUIDES.filter((name) => name !== "README.md");
  expect([...GUIDE.keys()].map((name) => `${name}.md`).toSorted()).toEqual(names.toSorted());
  for (const name of names) expect(read("src/docs/README.md")).toContain(`](${name})`);
});

describe("no link is dead", () => {
  test.each(FILES)("in %s on GitHub", (file) => {
    const markdown = withoutCode(read(file));
    for (const [, target = ""] of markdown.matchAll(/\]\(([^)\s]+)\)/g)) {
      const [path = "", anchor] = target.split("#");
      const to = path === "" ? file : normalize(join(dirname(file), path));
      expect([target, existsSync(join(ROOT, to))]).toEqual([target, true]);
      if (anchor !== undefined)
        expect([target, anchorsOf(to)]).toEqual([target, expect.arrayContaining([anchor])]);
    }
    for (const [, path = ""] of markdown.matchAll(/`(\/docs[^`]*)`/g))
      expect([...PAGES, ...OTHERS]).toContain(path);
    // Source files that the text names.
    for (const [, path = ""] of markdown.matchAll(
      /`((?:scripts|src|test|seeds|\.github)\/[\w./-]+)`/g,
    ))
      expect([path, existsSync(join(ROOT, path))]).toEqual([path, true]);
  });

  const idsOf = (html: string) => [...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);

  test.each(PAGES)("on the page %s", (pathname) => {
    const html = sitePage(pathname)!;
    const links = [...html.matchAll(/ href="([^"]+)"/g)].map(([, href = ""]) => href);
    expect(links.length).toBeGreaterThan(PAGES.length);
    for (const link of links) {
      const [path, anchor] = link.split("#");
      const to = path || pathname;
      expect([...PAGES, ...OTHERS]).toContain(to);
      if (anchor !== undefined) expect(idsOf(sitePage(to)!)).toContain(anchor);
    }
  });
});

test("a page has one title and its place, and no script or external resource", () => {
  for (const pathname of PAGES) {
    const html = sitePage(pathname)!;
    expect(html.match(/<h1/g)).toHaveLength(1);
    expect(html).toMatch(/<title>.+ – Diorama<\/title>/);
    expect(html.match(/aria-current="page"/g)).toHaveLength(1);
    expect(html).not.toMatch(/<script|<style| style=| on\w+=| src=|(href|src)="https?:/);
  }
});

test("text is shown literally, not read as HTML", () => {
  for (const pathname of PAGES) {
    const [, main = ""] = sitePage(pathname)!.split("<main>");
    const tags = new Set([...main.matchAll(/<(\w+)/g)].map(([, tag]) => tag));
    const known = "h1 h2 h3 p ul ol li a code pre strong em table thead tbody tr th td br".split(
      " ",
    );
    expect([...tags].filter((tag) => !known.includes(tag!))).toEqual([]);
  }
});

test("other pages do not exist", () => {
  for (const path of [
    "/docs",
    "/docs/guides",
    "/docs/guide/",
    "/docs/guide/none",
    "/docs/reference/x/y",
  ])
    expect(sitePage(path)).toBeUndefined();
});
