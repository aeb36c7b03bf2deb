/** The generated pages. They derive from the code, so that they cannot differ from it. */
import { assertionsPage } from "~/docs/reference/assertions";
import { page } from "~/docs/reference/markdown";
import { errorsPage, settingsPage } from "~/docs/reference/platform";
import { suitesPage, templatesPage } from "~/docs/reference/seeds";
import { calendarPage, chatPage, mailPage, trackerPage } from "~/docs/reference/services";

/** By name; each renders Markdown on demand. */
export const REFERENCE: ReadonlyMap<string, () => string> = new Map([
  ["chat", chatPage],
  ["tracker", trackerPage],
  ["mail", mailPage],
  ["calendar", calendarPage],
  ["assertions", assertionsPage],
  ["templates", templatesPage],
  ["suites", suitesPage],
  ["settings", settingsPage],
  ["errors", errorsPage],
]);

export const referenceIndex = () =>
  page(
    "# Reference",
    "Generated from the code of this server:",
    [...REFERENCE].map(([name, write]) => `- [${titleOf(write())}](${name}.md)`).join("\n"),
    "Every route of the API, with its bodies, answers and errors, is in the explorer at `/docs`.",
  );

/** The text of a page's first heading. */
export const titleOf = (markdown: string) => /^# (.+)$/m.exec(markdown)?.[1] ?? "";
