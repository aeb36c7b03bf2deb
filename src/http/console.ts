/**
 * The console, a page with a script and a style sheet, served from the binary.
 *
 * Not an HTML import: its routes send no Cache-Control and no Content-Security-Policy, and need Bun.serve. In a binary its
 * script would also keep the long names of the server's code.
 */
import { basename, join } from "node:path";
import plot from "uplot/dist/uPlot.iife.min.js" with { type: "text" };
import { ASSETS, PLOT_SCRIPT } from "~/console/assets";
import { ApiError } from "~/errors";
import { VERSION } from "~/version";

const PAGE = "/console";
/** Not in the binary. */
const SOURCE = join(import.meta.dir, "../console/index.html");
/** As the bundler names them: by the hash of their contents. */
const ASSET_PATH = /(?:\.?\/)(chunk-[a-z0-9]+\.(?:js|css))/g;
const TYPES: Record<string, string> = { js: "text/javascript", css: "text/css" };

/** Scripts, styles and calls of this server only. Images of files are read with the key, and shown from memory. */
const CONTENT_SECURITY_POLICY =
  "default-src 'self'; img-src 'self' data: blob:; object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** Texts by name: those of the page, its script and its style sheet. */
type Bundle = Readonly<Record<string, string>>;
/** `assets`: contents by name. */
type ConsoleFiles = { readonly html: string; readonly assets: ReadonlyMap<string, string> };

let files: Promise<ConsoleFiles> | undefined;

function consoleFiles(): Promise<ConsoleFiles> {
  files ??= readFiles();
  return files;
}

async function readFiles(): Promise<ConsoleFiles> {
  const texts = Object.entries(
    typeof DIORAMA_VERSION === "undefined" ? await bundleConsole() : await embedded(),
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

/** Builds the page from the sources, with a list of what is in it. */
export const buildConsole = () =>
  Bun.build({ entrypoints: [SOURCE], minify: true, metafile: true });

/** The texts of the built page. */
export async function bundleConsole(): Promise<Bundle> {
  const { outputs } = await buildConsole();
  const texts = outputs.map(async (file) => [basename(file.path), await file.text()] as const);
  return Object.fromEntries(await Promise.all(texts));
}

/** `bun run build` writes the bundle right before it embeds it; it does not exist in the sources. */
async function embedded(): Promise<Bundle> {
  const { default: text } = await import("../../dist/console.txt", { with: { type: "text" } });
  return JSON.parse(text) as Bundle;
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
