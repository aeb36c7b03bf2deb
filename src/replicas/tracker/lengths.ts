/**
 * Maximum lengths of values. The service does not publish them; its responses show only that a project's description
 * ends at 255 characters. The others are generous, and far below what would slow down a diff.
 */
import type { Lengths } from "~/graphql/lengths";

const TITLE_MAX = 512;
/** Attachments have an index of addresses, whose entries may take 2,704 bytes. */
const URL_MAX = 2_000;
export const CONTENT_MAX = 250_000;
const PROJECT_DESCRIPTION_MAX = 255;
/** Of any value in one column. */
export const COLUMN_MAX = 500_000;

const each = (max: number, names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, max]));

export const LENGTHS: Lengths = {
  usual: 4_000,
  json: CONTENT_MAX,
  whole: /Filter$|^JSON(Object)?$/,
  items: 1_000,
  texts: {
    ...each(TITLE_MAX, ["displayName", "label", "name", "subtitle", "title"]),
    ...each(URL_MAX, ["url"]),
    ...each(CONTENT_MAX, [
      "body",
      "commentBody",
      "content",
      "description",
      "quotedText",
      "summary",
    ]),
    ...each(PROJECT_DESCRIPTION_MAX, [
      "ProjectCreateInput.description",
      "ProjectUpdateInput.description",
    ]),
  },
};
