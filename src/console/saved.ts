/** A run as one HTML file that needs no server. */
import type { RunData } from "~/console/run-data";

/** Of the element that holds the run, as JSON. */
export const SAVED_ID = "run";
/** The title of a page without a run. */
export const SAVED_TITLE = "Run – Diorama";

/** `page`: the one without a run. */
export function savedPage(page: string, data: RunData): string {
  const json = JSON.stringify(data).replaceAll("<", "\\u003c");
  return page
    .replace(SAVED_TITLE, () => `Run ${data.run.runId} – Diorama`)
    .replace(`id="${SAVED_ID}">`, (start) => start + json);
}
