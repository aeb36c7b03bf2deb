/** HTML from a mail, as hostile as any: in a frame whose policy allows no script and no request. */
import { useEffect, useRef, useState } from "preact/hooks";
import { FRAME } from "~/console/assets";

const STYLE =
  "html { color-scheme: light; background: #fff; color: #171a1f; font: 14px/1.5 system-ui, sans-serif } body { margin: 12px; overflow-wrap: anywhere } img, table { max-width: 100% }";
/** Elements that reach the network in spite of a policy, or change what addresses mean. */
const REACHING = "link, meta, base, script, iframe, frame, object, embed, portal";
/** In pixels. A longer text scrolls. */
const HEIGHT_MAX = 720;

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
  return parsed.documentElement.innerHTML;
}

export function HtmlFrame({ html, title }: { html: string; title: string }) {
  const frame = useRef<HTMLIFrameElement>(null);
  const [loads, setLoads] = useState(0);
  const [height, setHeight] = useState(0);
  useEffect(() => {
    const inside = frame.current?.contentDocument?.documentElement;
    if (loads === 0 || !inside) return;
    inside.innerHTML = `<style>${STYLE}</style>${harmless(html)}`;
    setHeight(Math.min(inside.scrollHeight, HEIGHT_MAX));
  }, [html, loads]);
  return (
    <iframe
      ref={frame}
      class="mail-html"
      title={title}
      sandbox="allow-same-origin"
      src={FRAME}
      style={{ height: `${height}px` }}
      onLoad={() => setLoads(loads + 1)}
    />
  );
}
