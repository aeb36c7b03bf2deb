/** HTML from a mail, as hostile as any: a frame of its own without scripts, network, links or the origin of this page. */

/** Beside the attribute `sandbox`, which takes away scripts, forms, windows and the origin. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:";
const STYLE =
  "html { color-scheme: light; background: #fff; color: #171a1f; font: 14px/1.5 system-ui, sans-serif } body { margin: 12px; overflow-wrap: anywhere } img, table { max-width: 100% }";
/** Elements that reach the network in spite of a policy, or change what addresses mean. */
const REACHING = "link, meta, base, script, iframe, frame, object, embed, portal";

/** Parsed without a window: nothing runs or loads. */
function harmless(html: string): string {
  const parsed = new DOMParser().parseFromString(html, "text/html");
  for (const element of parsed.querySelectorAll(REACHING)) element.remove();
  for (const link of parsed.querySelectorAll("[href], [ping]")) {
    const address = link.getAttribute("href");
    link.removeAttribute("ping");
    link.removeAttribute("href");
    if (address) link.setAttribute("title", address.slice(0, 200));
  }
  return parsed.documentElement.outerHTML;
}

export function HtmlFrame({ html, title }: { html: string; title: string }) {
  const head = `<meta http-equiv="Content-Security-Policy" content="${POLICY}"><style>${STYLE}</style>`;
  return <iframe class="mail-html" title={title} sandbox="" srcdoc={head + harmless(html)} />;
}
