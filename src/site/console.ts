/**
 * The console, a page with scripts and a style sheet, served from the binary.
 *
 * Not an HTML import: `bun build --compile` would keep long names in its scripts, as in the server's (the charts' library
 * then has 92 kB in place of 53), and would split the script of a saved run too, which must be one. From source there
 * would be no files to serve with headers of our own.
 */
import { ASSETS, FRAME, ROOT, SAVED } from "~/console/assets";
import { ApiError } from "~/errors";
import { type Bundle, bundleConsole } from "~/site/console-bundle";
import { VERSION } from "~/version";
import type { RequestHead } from "~/wire/message";

/** As the bundler names them: by the hash of their contents. */
const ASSET_PATH = /(?:\.?\/)(chunk-[a-z0-9]+\.(?:js|css))/g;
const TYPES: Record<string, string> = { js: "text/javascript", css: "text/css" };

/** Scripts, styles and calls of this server only. Images of files are read with the key, and shown from memory. */
const CONTENT_SECURITY_POLICY =
  "default-src 'self'; img-src 'self' data: blob:; object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** For all that is written into the frame: no script, no request, no form. Its origin is the console's, which writes it. */
const FRAME_POLICY =
  "sandbox allow-same-origin; default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'self'";

let bundle: Promise<Bundle> | undefined;

function readBundle(): Promise<Bundle> {
  bundle ??= typeof DIORAMA_VERSION === "undefined" ? bundleConsole() : embedded();
  return bundle;
}

/** `bun run build` writes the bundle right before it embeds it; it does not exist in the sources. */
async function embedded(): Promise<Bundle> {
  const { default: text } = await import("../../dist/console.txt", { with: { type: "text" } });
  return JSON.parse(text) as Bundle;
}

export const isConsole = (pathname: string) => pathname === ROOT || pathname.startsWith(`${ROOT}/`);

/** The modules of the console's pages by the first part of the path: of a list, and of one thing of it. */
const MODULES: Readonly<Record<string, readonly string[]>> = {
  "": ["overview"],
  environments: ["environments", "environment"],
  runs: ["runs", "run"],
  suites: ["suites", "suite"],
  templates: ["templates", "template"],
  playground: ["playground"],
};

/**
 * The name of the file that a path leads to: every path that is no asset leads to the page, which is the same for all
 * but for the scripts that it preloads.
 */
export function consoleFile(pathname: string): string {
  if (pathname.startsWith(ASSETS)) return pathname;
  const [section = "", id] = pathname.slice(ROOT.length + 1).split("/");
  return `${ROOT}/${MODULES[section]?.[id ? 1 : 0] ?? "nothing"}`;
}

/** Throws `not_found` for an asset that does not exist, such as one of an older version. */
export async function consoleAsset(file: string): Promise<Response> {
  const { html, assets, scripts, saved } = await readBundle();
  if (!file.startsWith(ASSETS)) {
    const wanted = scripts[file.slice(ROOT.length + 1)] ?? [];
    const preloads = wanted.map((name) => `<link rel="modulepreload" href="./${name}">`).join("");
    const page = html.replace("</head>", `${preloads}</head>`);
    return new Response(page.replace(ASSET_PATH, `${ASSETS}$1`), {
      headers: {
        "Content-Type": "text/html; charset=utf-8",
        "Cache-Control": "no-store",
        "Content-Security-Policy": CONTENT_SECURITY_POLICY,
        "Referrer-Policy": "no-referrer",
      },
    });
  }
  // Text: as a page of this server it might not run its script.
  if (file === SAVED)
    return new Response(saved, {
      headers: { "Content-Type": "text/plain; charset=utf-8", "Cache-Control": "no-store" },
    });
  if (file === FRAME)
    return new Response('<!doctype html><html lang="en"><title>HTML of others</title></html>', {
      headers: {
        "Content-Type": "text/html; charset=utf-8",
        "Cache-Control": "no-store",
        "Content-Security-Policy": FRAME_POLICY,
      },
    });
  const name = file.slice(ASSETS.length);
  const text = Object.hasOwn(assets, name) ? assets[name] : undefined;
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
  console: ROOT,
  docs: "/docs",
  openapi: "/docs/json",
  health: "/api/platform/health",
};

/** `/`: the console for browsers, the addresses for other clients. */
export function answerRoot({ headers }: RequestHead): Response {
  const vary = { Vary: "Accept" };
  if (headers.get("accept")?.includes("text/html"))
    return new Response(null, { status: 302, headers: { ...vary, Location: ROOT } });
  return Response.json(ADDRESSES, { headers: vary });
}
