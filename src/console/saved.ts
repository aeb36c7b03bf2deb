/** A run as one HTML file that needs no server: the console's page with its script, its style sheet and the run inline. */
import type { RunData } from "~/console/run-data";

/** Of the element that holds the run, as JSON. */
export const SAVED_ID = "run";

/** The addresses of the page's assets. */
export const assetsOf = (html: string): string[] =>
  [...html.matchAll(/(?:src|href)="(\/console\/assets\/[^"]+)"/g)].map(([, path = ""]) => path);

async function hashOf(text: string): Promise<string | undefined> {
  // Undefined on pages that another machine serves over plain HTTP.
  const digest = await globalThis.crypto?.subtle?.digest("SHA-256", new TextEncoder().encode(text));
  return digest && btoa(String.fromCharCode(...new Uint8Array(digest)));
}

/** `texts`: contents of the assets by address. */
export async function savedPage(
  html: string,
  texts: ReadonlyMap<string, string>,
  data: RunData,
): Promise<string> {
  const ofType = (type: string) =>
    [...texts].flatMap(([path, text]) => (path.endsWith(type) ? [text] : [])).join("\n");
  // Both sequences would end the element; in strings of a script, the backslash has no effect.
  const script = ofType(".js").replace(/<(!--|\/script)/gi, "<\\$1");
  const hash = await hashOf(script);
  const policy = [
    "default-src 'none'",
    `script-src ${hash ? `'sha256-${hash}'` : "'unsafe-inline'"}`,
    "style-src 'unsafe-inline'",
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
  const json = JSON.stringify(data).replaceAll("<", "\\u003c");
  const title = `Run ${data.run.runId} – Diorama`;
  const bare = html.replace(/<(?:link|script)[^>]*>(?:<\/script>)?/g, "");
  const head = bare
    .slice(0, bare.indexOf("</head>"))
    .replace(/<title>[^<]*<\/title>/, () => `<title>${title}</title>`);
  return `${head}<meta http-equiv="Content-Security-Policy" content="${policy}">
<style>${ofType(".css")}</style>
</head>
<body>
<script type="application/json" id="${SAVED_ID}">${json}</script>
<script type="module">${script}</script>
</body>
</html>
`;
}
