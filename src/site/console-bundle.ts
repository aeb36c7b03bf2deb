/** Builds the files of the console from its sources: a page whose script is split, and a page for saved runs. */
import { basename, join } from "node:path";
import { SAVED_ID, SAVED_TITLE } from "~/console/saved";

/** Not in the binary. */
const SOURCES = join(import.meta.dir, "../console");
/** A script that only some pages of the console need begins at a module of this folder. */
const PAGE_MODULE = /\/pages\/([a-z]+)\.tsx$/;
/** The view of a service begins at such a module. */
const VIEW_MODULE = /\/services\/[a-z]+\/world\.tsx$/;

export type Bundle = {
  readonly html: string;
  /** Scripts and style sheets by name. */
  readonly assets: Readonly<Record<string, string>>;
  /** The scripts that a page of the console needs beside the first one, by the name of its module. */
  readonly scripts: Readonly<Record<string, readonly string[]>>;
  /** The page that shows a run without a server; the run is missing. */
  readonly saved: string;
};

/** Builds the page, with a list of what is in it. */
export const buildConsole = () =>
  Bun.build({
    entrypoints: [join(SOURCES, "index.html")],
    minify: true,
    splitting: true,
    metafile: true,
  });

export async function bundleConsole(): Promise<Bundle> {
  const { outputs, metafile } = await buildConsole();
  const files = outputs.map(async (file) => [basename(file.path), await file.text()] as const);
  const assets = Object.fromEntries(await Promise.all(files));
  const { "index.html": html = "", ...rest } = assets;
  const style = Object.entries(rest).find(([name]) => name.endsWith(".css"))?.[1] ?? "";
  return {
    html,
    assets: rest,
    scripts: scriptsOf(metafile?.outputs ?? {}),
    saved: await bundleSaved(style),
  };
}

type Outputs = NonNullable<Awaited<ReturnType<typeof buildConsole>>["metafile"]>["outputs"];

function scriptsOf(outputs: Outputs): Record<string, string[]> {
  const scripts: Record<string, string[]> = {};
  for (const [path, { entryPoint = "" }] of Object.entries(outputs)) {
    const [, page] = PAGE_MODULE.exec(entryPoint) ?? [];
    if (page) scripts[page] = [...reachable(outputs, path)].map((each) => basename(each));
  }
  return scripts;
}

/**
 * The scripts that one of them imports, now or later, and itself; not the first one, which every page has, nor the views
 * of services, of which a page shows one.
 */
function reachable(outputs: Outputs, path: string, found = new Set<string>()): Set<string> {
  const output = outputs[path];
  const { entryPoint = "" } = output ?? {};
  if (!output || found.has(path) || entryPoint.endsWith(".html") || VIEW_MODULE.test(entryPoint))
    return found;
  found.add(path);
  for (const each of output.imports) reachable(outputs, each.path, found);
  return found;
}

async function bundleSaved(style: string): Promise<string> {
  const { outputs } = await Bun.build({
    entrypoints: [join(SOURCES, "saved-run.tsx")],
    minify: true,
  });
  const text = (await outputs[0]?.text()) ?? "";
  // Both sequences would end the element; in strings of a script, the backslash has no effect.
  const script = text.replace(/<(!--|\/script)/gi, "<\\$1");
  const policy = [
    "default-src 'none'",
    `script-src 'sha256-${new Bun.CryptoHasher("sha256").update(script).digest("base64")}'`,
    "style-src 'unsafe-inline'",
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${SAVED_TITLE}</title>
<meta http-equiv="Content-Security-Policy" content="${policy}">
<style>${style}</style>
</head>
<body>
<script type="application/json" id="${SAVED_ID}"></script>
<script type="module">${script}</script>
</body>
</html>
`;
}
