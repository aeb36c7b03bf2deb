/** Guide and reference as pages, and every link of the documentation. */
import { describe, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { cutTexts } from "~/commands/document";
import { GUIDE } from "~/docs/guide";
import { highlighted } from "~/docs/highlight";
import { REFERENCE } from "~/docs/reference/index";
import { asText, render } from "~/docs/render";
import { missingPage, siteFile, sitePage as writePage } from "~/docs/site";

const ROOT = join(import.meta.dir, "../..");
const read = (file: string) => readFileSync(join(ROOT, file), "utf8");

const written = new Map<string, string | undefined>();
/** Each page is written once. */
function sitePage(pathname: string): string | undefined {
  if (!written.has(pathname)) written.set(pathname, writePage(pathname));
  return written.get(pathname);
}

const GUIDES = readdirSync(join(ROOT, "src/docs")).filter((name) => name.endsWith(".md"));
const FILES = ["README.md", ...GUIDES.map((name) => join("src/docs", name))];

const PAGES = [
  "/docs/guide",
  ...[...GUIDE.keys()].map((name) => `/docs/guide/${name}`),
  "/docs/reference",
  ...[...REFERENCE.keys()].map((name) => `/docs/reference/${name}`),
];
/** Paths that are not pages of the site. */
const OTHERS = ["/docs", "/docs/json", "/docs/site.css", "/console", "/clients/"];

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
    // Source files that the text names; `setup` writes skills into other projects.
    for (const [, path = ""] of markdown.matchAll(
      /`((?:scripts|src|test|seeds|\.github(?!\/skills))\/[\w./-]+)`/g,
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

describe("commands", () => {
  /** Blocks and pieces of code that a shell may get. */
  const commandsOf = (markdown: string) => [
    ...[...markdown.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)].flatMap(
      ([, language = "", code = ""]) => (["sh", "bash"].includes(language) ? [code] : []),
    ),
    ...[...withoutCode(markdown).matchAll(/`((?:curl|diorama|claude) [^`]+)`/g)].map(
      ([, code = ""]) => code,
    ),
  ];
  /** Variables of the guide, which first steps sets, and those that a page sets for itself. */
  const SHARED = ["DIORAMA_URL", "DIORAMA_API_KEY", "ENVIRONMENT_ID", "DIORAMA_TOKEN", "RUN_ID"];
  /** The settings of a server, and what the page about intercept explains. */
  const OWN = ["DATABASE_URL", "RESTORED_DATABASE_URL", "PATH", "PWD"].concat(
    ...["CHAT", "TRACKER"].map((name) => [`${name}_ID`, `${name}_TOKEN`]),
  );
  const usedIn = (code: string) =>
    [...code.matchAll(/\$\{?([A-Za-z_]\w*)(?!\w|":)/g)].map(([, name = ""]) => name);
  const setIn = (code: string) =>
    [...code.matchAll(/(?:^|[\s;])(?:export )?([A-Za-z_]\w*)=/g)].map(([, name = ""]) => name);

  test.each(FILES)("of %s name variables as all pages do, and set the others", (file) => {
    const commands = commandsOf(read(file));
    const set = new Set(commands.flatMap(setIn));
    const known = [...SHARED, ...OWN, ...set];
    expect(commands.flatMap(usedIn).filter((name) => !known.includes(name))).toEqual([]);
    expect([...set].filter((name) => /^(url|id|key|token|ENV|KEY|TOKEN|URL)$/.test(name))).toEqual(
      [],
    );
    const calls = commands.filter((code) => code.includes("curl "));
    expect(calls.filter((code) => /curl [^|]*http:\/\/(127|localhost)/.test(code))).toEqual([]);
  });

  test.each(FILES)("of %s are explained there, or it says where", (file) => {
    const commands = commandsOf(read(file));
    const set = commands.flatMap(setIn);
    const isOpen = commands
      .flatMap(usedIn)
      .some((name) => SHARED.includes(name) && !set.includes(name));
    const hasProgram = commands.some((code) => /(^|-- )diorama /m.test(code));
    const places: Record<string, string> = {
      "README.md": "download `diorama`",
      "src/docs/README.md": "## Shell commands",
    };
    const where = places[file] ?? "#shell-commands)";
    if (isOpen || hasProgram) expect(read(file)).toContain(where);
  });

  test("of first steps set every variable that pages share but the key", () => {
    const set = commandsOf(read("src/docs/first-steps.md")).flatMap(setIn);
    const [, ...rows] = read("src/docs/README.md").match(/^\| `[A-Z_]+` /gm) ?? [];
    expect(set).toEqual(
      expect.arrayContaining(SHARED.filter((name) => name !== "DIORAMA_API_KEY")),
    );
    expect(rows).toHaveLength(SHARED.length - 1);
  });
});

test("the files that the guide shows lose no text, and have names of their own", async () => {
  const names: string[] = [];
  for (const file of FILES)
    for (const [, language, code = ""] of read(file).matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)) {
      if (language === "yaml") expect([file, await cutTexts(code)]).toEqual([file, []]);
      names.push(
        ...[...code.matchAll(/^template: (\w+)$|\\"name\\":\\"(\w+)/gm)].map(([found]) =>
          found.replace(/\W*(?:template|name)\W*/, ""),
        ),
      );
    }
  expect(names.length).toBeGreaterThan(1);
  expect(names).toEqual([...new Set(names)]);
});

test("a page has one title and its place, and no script but that of all pages, and no external resource", () => {
  for (const pathname of PAGES) {
    const html = sitePage(pathname)!;
    expect(html.match(/<h1/g)).toHaveLength(1);
    expect(html).toMatch(/<title>.+ – Diorama<\/title>/);
    expect(html.match(/aria-current="page"/g)).toHaveLength(1);
    const [script = "", ...scripts] = html.match(/<script[^>]*>/g) ?? [];
    expect([script, scripts]).toEqual(['<script type="module" src="/docs/page.js">', []]);
    expect(html.replace(script, "")).not.toMatch(
      /<script|<style| style=| on\w+=| src=|(href|src)="https?:/,
    );
  }
});

test("text is shown literally, not read as HTML", () => {
  for (const pathname of PAGES) {
    const [, main = ""] = sitePage(pathname)!.split("<main>");
    const tags = new Set([...main.matchAll(/<(\w+)/g)].map(([, tag]) => tag));
    const known =
      "h1 h2 h3 p ul ol li a code pre span div nav small strong em table thead tbody tr th td br".split(
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

test("the index page's groups are the navigation, and their order leads from page to page", () => {
  const html = sitePage("/docs/guide/clients")!;

  const titles = [...html.matchAll(/<p>([^<]+)<\/p>\n<ul>/g)].map(([, title]) => title);
  expect(titles).toEqual(["Start", "For tests and training", "For production", "Background"]);
  expect(html).toContain('<a rel="prev" href="/docs/guide/first-steps"><small>Previous</small>');
  expect(html).toContain('<a rel="next" href="/docs/guide/mcp"><small>Next</small> MCP');
  expect(sitePage("/docs/guide/first-steps")).not.toContain('rel="prev"');
});

test("headings have links to themselves", () => {
  expect(sitePage("/docs/guide/evaluate")).toContain(
    '<h2 id="outcomes">Outcomes <a class="anchor" href="#outcomes" aria-label="Link to this section">#</a></h2>',
  );
});

test("code keeps its text", () => {
  for (const [name, markdown] of GUIDE) {
    const inSource = [...markdown.matchAll(/^```\w+\n([\s\S]*?)^```$/gm)].map(
      ([, code = ""]) => code,
    );
    const shown = [
      ...sitePage(`/docs/guide/${name}`)!.matchAll(
        /<pre><code class[^>]*>([\s\S]*?)<\/code><\/pre>/g,
      ),
    ].map(([, code = ""]) => code.replaceAll(/<\/?span[^>]*>/g, ""));
    expect([name, shown.map(unescaped)]).toEqual([name, inSource]);
  }
});

const unescaped = (html: string) =>
  html
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll(/&#(?:39|x27);/g, "'")
    .replaceAll("&amp;", "&");

test("an example in two languages is one place", () => {
  const html = sitePage("/docs/guide/clients")!;
  const [, group = ""] = /<div class="examples">([\s\S]*?<\/div>)\n<\/div>/.exec(html) ?? [];
  expect(group.match(/data-language="\w+"/g)).toEqual([
    'data-language="ts"',
    'data-language="python"',
  ]);
  // The command that installs the client is no alternative to its use.
  expect(sitePage("/docs/guide/evaluate")).not.toContain('class="examples"');
});

test("the index finds every section at its place, as plain text", () => {
  const [, text = ""] = siteFile("/docs/search.json") ?? [];
  const sections = JSON.parse(text) as { path: string; heading: string; text: string }[];
  const outcomes = sections.find(({ path }) => path === "/docs/guide/evaluate#outcomes");
  expect(outcomes).toMatchObject({ title: "Evaluate an agent in ten lines", heading: "Outcomes" });
  for (const { path, text } of sections) {
    const [page = "", anchor] = path.split("#");
    const html = sitePage(page)!;
    if (anchor !== undefined) expect(html).toContain(` id="${anchor}"`);
    expect(text).not.toMatch(/class="(?:hljs|language)|<\/(?:span|p|td)>|&(?:amp|lt|quot);/);
  }
  expect(new Set(sections.map(({ path }) => path.split("#")[0])).size).toBe(PAGES.length - 2);
  expect(text.length).toBeLessThan(1_000_000);
});

test("a missing page names the nearest, shows the address as text, and leads back", () => {
  expect(missingPage("/docs/guide/evaluat")).toContain('href="/docs/guide/evaluate"><code>');
  const html = missingPage("/docs/guide/%3Cscript%3E<b>");
  expect(html).not.toContain("<b>");
  for (const path of ["/docs/guide", "/docs/reference", "/docs", "/console"])
    expect(html).toContain(`<a href="${path}"><code>${path}</code></a>`);
});

test("code has colours by its language, and its text stays as it is written", () => {
  const textOf = (html: string) => asText(html.replaceAll(/<[^>]+>/g, ""));
  const colours = new Set<string>();
  for (const [name, markdown] of GUIDE) {
    const plain = render("guide", markdown);
    const shown = highlighted(plain);
    expect([name, textOf(shown)]).toEqual([name, textOf(plain)]);
    for (const [, colour = ""] of shown.matchAll(/class="hljs-(\w+)/g)) colours.add(colour);
    expect(sitePage(`/docs/guide/${name}`)).toContain(shown);
  }
  expect([...colours]).toContainValues(["comment", "string", "keyword", "number", "attr"]);
  const hostile = highlighted(render("guide", '```ts\nconst a = "<script>"; // &lt;\n```'));
  expect(hostile).not.toContain("<script>");
  expect(hostile).toContain("&amp;lt;");
});
