/** Browsers read the file shortly after the click. */
const REVOKE_MS = 10_000;

/** Lets the browser save a text as a file. */
export function download(name: string, type: string, text: string): void {
  const href = URL.createObjectURL(new Blob([text], { type }));
  Object.assign(document.createElement("a"), { href, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(href), REVOKE_MS);
}
