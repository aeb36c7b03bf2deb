/** The Content-Security-Policy of pages. */
import { createHash } from "node:crypto";
import type { HeaderList } from "~/wire/message";

const HEADER = "content-security-policy";
/** The hash of an element of type script in the explorer's page that has a line break and no script. */
const EMPTY_SCRIPT = `'sha256-${createHash("sha256").update("\n    ").digest("base64")}'`;
const POLICY = `default-src 'self'; script-src 'self' ${EMPTY_SCRIPT}; style-src 'self' 'unsafe-inline'; img-src 'self' data:; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'`;

/** Gives a page that has no policy of its own that of the guide: nothing from elsewhere, and in no frame. */
export function protectPage(headers: HeaderList): void {
  const isPage = headers.get("content-type")?.startsWith("text/html");
  if (isPage && !headers.has(HEADER)) headers.set(HEADER, POLICY);
}
