/** The URL of a thread's code: `worker.ts` of its folder. In the binary, paths start at `src`. */
export const threadUrl = (folder: string): string =>
  typeof DIORAMA_VERSION === "undefined"
    ? new URL(`./${folder}/worker.ts`, import.meta.url).href
    : new URL(`./${folder}/worker.js`, import.meta.url).href;
