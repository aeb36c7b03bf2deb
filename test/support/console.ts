/** The files of the console. */

/** For all scripts of a page, and for its style sheet. */
export const SCRIPTS_MAX = 150_000;
export const STYLE_MAX = 40_000;

/** Paths of pages whose scripts differ. */
export const PLACES = [
  "",
  ...["/environments", "/runs", "/suites", "/templates"].flatMap((list) => [list, `${list}/1`]),
  "/playground",
  "/nothing",
];

/** The addresses of a page's style sheet and scripts, also of those that it may need later. */
export const assetsOf = (html: string): string[] =>
  [...html.matchAll(/(?:src|href)="(\/console\/assets\/[^"]+)"/g)].map(([, path = ""]) => path);

/** The bytes of a page's scripts and style sheets. */
export async function sizesOf(
  read: (path: string) => Promise<Response>,
  place: string,
): Promise<{ readonly scripts: number; readonly styles: number }> {
  const sizes = { scripts: 0, styles: 0 };
  for (const path of assetsOf(await (await read(`/console${place}`)).text())) {
    const bytes = (await (await read(path)).bytes()).byteLength;
    sizes[path.endsWith(".js") ? "scripts" : "styles"] += bytes;
  }
  return sizes;
}
