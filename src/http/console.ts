/**
 * The console, a page with a script and a style sheet, served from the binary.
 *
 * Bun's own routes for an HTML import send no Cache-Control and no Content-Security-Policy, and need Bun.serve: here only
 * its list of files is used.
 */
import plot from "uplot/dist/uPlot.iife.min.js" with { type: "text" };
import { ASSETS, PLOT_SCRIPT } from "~/console/assets";
import page from "~/console/index.html";
import { ApiError } from "~/errors";
import { VERSION } from "~/version";

const PAGE = "/console";
/** As the bundler names them: by the hash of their contents. */
const ASSET_PATH = /(?:\.?\/)(chunk-[a-z0-9]+\.(?:js|css))/g;
const TYPES: Record<string, string> = { js: "text/javascript", css: "text/css" };

/** Scripts, styles and calls of this server only. Images of files are read with the key, and shown from memory. */
const CONTENT_SECURITY_POLICY =
  "default-src 'self'; img-src 'self' data: blob:; object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** `assets`: contents by name. */
export type ConsoleFiles = { readonly html: string; readonly assets: ReadonlyMap<string, string> };

let files: Promise<ConsoleFiles> | undefined;

/** The files of the binary; from source, they are bundled at the first request. */
export function consoleFiles(): Promise<ConsoleFiles> {
  files ??= readFiles();
  return files;
}

async function readFiles(): Promise<ConsoleFiles> {
  const found = page.files?.map(({ path }) => ({ path, file: Bun.file(path) })) ?? (await bundle());
  const texts = await Promise.all(
    found.map(
      async ({ path, file }) => [path.split(/[\\/]/).at(-1) ?? "", await file.text()] as const,
    ),
  );
  const [, html = ""] = texts.find(([name]) => name.endsWith(".html")) ?? [];
  return {
    html: html.replace(ASSET_PATH, `${ASSETS}$1`),
    assets: new Map([
      ...texts.filter(([name]) => !name.endsWith(".html")),
      [PLOT_SCRIPT.slice(ASSETS.length), plot],
    ]),
  };
}

async function bundle(): Promise<{ path: string; file: Blob }[]> {
  const { outputs } = await Bun.build({ entrypoints: [page.index], minify: true });
  return outputs.map((file) => ({ path: file.path, file }));
}

export const isConsole = (pathname: string) => pathname === PAGE || pathname.startsWith(`${PAGE}/`);

/** The name of the file that a path leads to: every path that is no asset leads to the page. */
export const consoleFile = (pathname: string) => (pathname.startsWith(ASSETS) ? pathname : PAGE);

/** Throws `not_found` for an asset that does not exist, such as one of an older version. */
export async function consoleAsset(file: string): Promise<Response> {
  const { html, assets } = await consoleFiles();
  if (file === PAGE)
    return new Response(html, {
      headers: {
        "Content-Type": "text/html; charset=utf-8",
        "Cache-Control": "no-store",
        "Content-Security-Policy": CONTENT_SECURITY_POLICY,
        "Referrer-Policy": "no-referrer",
      },
    });
  const name = file.slice(ASSETS.length);
  const text = assets.get(name);
  const type = TYPES[name.split(".").at(-1) ?? ""];
  if (text === undefined || !type) throw new ApiError("not_found", "There is no such path");
  return new Response(text, {
    headers: {
      "Content-Type": `${type}; charset=utf-8`,
      "Cache-Control": "public, max-age=31536000, immutable",
    },
  });
}

const ADDRESSES = {
  service: "diorama",
  version: VERSION,
  console: PAGE,
  docs: "/docs",
  openapi: "/docs/json",
  health: "/api/platform/health",
};

/** `/`: the console for browsers, the addresses for other clients. */
export function answerRoot({ headers }: Request): Response {
  const vary = { Vary: "Accept" };
  if (headers.get("accept")?.includes("text/html"))
    return new Response(null, { status: 302, headers: { ...vary, Location: PAGE } });
  return Response.json(ADDRESSES, { headers: vary });
}
