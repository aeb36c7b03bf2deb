/** The query parameters of lists. */
import { Type } from "@sinclair/typebox";
import { PAGE_DEFAULT } from "~/replicas/mail/search/search";

export const PAGES = {
  maxResults: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 2 ** 31 - 1,
      description: "Entries of a page, at most 500",
      default: PAGE_DEFAULT,
    }),
  ),
  pageToken: Type.Optional(Type.String({ description: "`nextPageToken` of the page before" })),
};

export const QUERY = {
  q: Type.Optional(
    Type.String({ description: "As in the search field", examples: ["from:john is:unread"] }),
  ),
  includeSpamTrash: Type.Optional(
    Type.Boolean({ description: "Also messages in spam and trash", default: false }),
  ),
  ...PAGES,
};

export const SEARCH = {
  ...QUERY,
  labelIds: Type.Optional(
    Type.Array(Type.String(), { description: "Messages that have all of these labels" }),
  ),
};
