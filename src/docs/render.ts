/** Markdown as HTML, with links to headings, and examples in several languages side by side. */
/** HTML in the text is shown, not interpreted: prompts and limits may contain any character. */
const OPTIONS: Bun.markdown.Options = {
  headings: { ids: true },
  noHtmlBlocks: true,
  noHtmlSpans: true,
};

/** A link to the file of another page, as GitHub needs it. */
const FILE_LINK = /href="([A-Za-z-]+)\.md(#[^"]*)?"/g;
/** A path on this server, which is not a link on GitHub. */
const SERVED_PATH = /<code>(\/docs(?:\/[a-z-]+)*|\/clients\/|\/console)<\/code>/g;
const HEADING = /<h([23]) id="([^"]+)">([\s\S]*?)<\/h\1>/g;
const CODE = /<pre><code class="language-(\w+)">([\s\S]*?)<\/code><\/pre>/g;
/** Blocks of code with nothing between them, each in another language that has a tab. */
const EXAMPLES =
  /(?:<pre><code class="language-(?:sh|bash|python|ts)">(?:(?!<pre>)[\s\S])*?<\/code><\/pre>\s*){2,}/g;

const SHELLS = new Set(["sh", "bash"]);

export const render = (part: string, markdown: string): string =>
  Bun.markdown
    .html(markdown, OPTIONS)
    .replace(FILE_LINK, (_, name: string, anchor = "") => {
      const path = name === "README" ? `/docs/${part}` : `/docs/${part}/${name}`;
      return `href="${path}${anchor}"`;
    })
    .replace(SERVED_PATH, '<a href="$1"><code>$1</code></a>')
    .replace(
      HEADING,
      '<h$1 id="$2">$3 <a class="anchor" href="#$2" aria-label="Link to this section">#</a></h$1>',
    )
    .replace(EXAMPLES, asExamples);

function asExamples(blocks: string): string {
  const found = [...blocks.matchAll(CODE)];
  const languages = new Set(found.map(([, language]) => language));
  // A command before code installs something: only a call is another form of the same example.
  const isCommand = found.some(
    ([block, language = ""]) => SHELLS.has(language) && !block.includes("curl "),
  );
  if (isCommand || languages.size < found.length) return blocks;
  const panels = found.map(
    ([block, language]) => `<div data-language="${language}">\n${block}\n</div>`,
  );
  return `<div class="examples">\n${panels.join("\n")}\n</div>\n`;
}

const ENTITIES: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'" };

/** The text of HTML without tags. */
export const asText = (html: string) =>
  html.replaceAll(/&(#?\w+);/g, (whole, name: string) => ENTITIES[name] ?? whole);
