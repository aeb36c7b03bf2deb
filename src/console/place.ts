/** The page that the address bar names. */
import { signal } from "@preact/signals";
import { ROOT } from "~/console/assets";

export type Place = {
  /** Of the path below the root, decoded. */
  readonly parts: readonly string[];
  readonly query: URLSearchParams;
};

export const place = signal<Place>(read());

function read(): Place {
  const { pathname, search } = location;
  const parts = pathname.slice(ROOT.length).split("/").filter(Boolean).map(decoded);
  return { parts, query: new URLSearchParams(search) };
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** The address of a page: `pathTo("runs", runId)`. Fields of the query that are undefined or empty are left out. */
export function pathTo(
  ...parts: readonly (string | Readonly<Record<string, string | undefined>>)[]
): string {
  const names = parts.filter((part) => typeof part === "string").map(encodeURIComponent);
  const query = new URLSearchParams();
  for (const part of parts)
    if (typeof part !== "string")
      for (const [name, value] of Object.entries(part)) if (value) query.set(name, value);
  return [ROOT, ...names].join("/") + (query.size > 0 ? `?${query}` : "");
}

/** Goes to an address of the console. `replace`: without a new entry in the history. */
export function go(address: string, { replace = false } = {}): void {
  history[replace ? "replaceState" : "pushState"](null, "", address);
  place.value = read();
}

/** Changes fields of the query in place; undefined removes one. */
export function setQuery(changes: Readonly<Record<string, string | undefined>>): void {
  const query = new URLSearchParams(location.search);
  for (const [name, value] of Object.entries(changes))
    if (value) query.set(name, value);
    else query.delete(name);
  go(location.pathname + (query.size > 0 ? `?${query}` : ""), { replace: true });
}

/** Follows links within the console without loading the page again. */
export function followLinks(): void {
  addEventListener("popstate", () => {
    place.value = read();
  });
  document.addEventListener("click", (event) => {
    const isPlain = !(event.metaKey || event.ctrlKey || event.shiftKey || event.altKey);
    if (event.defaultPrevented || event.button !== 0 || !isPlain) return;
    const link = (event.target as Element).closest<HTMLAnchorElement>("a[href]");
    if (!link || link.target || link.hasAttribute("download")) return;
    if (link.origin !== location.origin || !link.pathname.startsWith(ROOT)) return;
    event.preventDefault();
    go(link.pathname + link.search);
    document.querySelector("main")?.focus({ preventScroll: true });
    scrollTo(0, 0);
  });
}
