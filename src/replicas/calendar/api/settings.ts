import { Type } from "@sinclair/typebox";
import { etagOf, requireUser } from "~/replicas/calendar/access";
import { notFound } from "~/replicas/calendar/errors";
import { pageOf, sizeOf } from "~/replicas/calendar/lists";
import { answersOf, operation, optional, text } from "~/replicas/calendar/operation";
import { valuesOf } from "~/replicas/calendar/settings";
import { Setting, SettingList } from "~/replicas/calendar/shapes/calendar";
import type { UserRow } from "~/replicas/calendar/store/users";
import { readSyncToken } from "~/replicas/calendar/tokens";

const SETTINGS = "users/me/settings";
const PAGE_DEFAULT = 100;
const PAGE_MAX = 250;

function settingsOf({ settings, settingsVersion }: UserRow) {
  return Object.entries(valuesOf({ settings }))
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([id, value]) => ({
      ...{ kind: "calendar#setting", etag: etagOf(settingsVersion), id, value },
    }));
}

export const PAGES = {
  maxResults: optional(Type.Integer({ minimum: 1, description: "Entries of a page, at most 250" })),
  pageToken: text("`nextPageToken` of the page before", "Q"),
  syncToken: text("`nextSyncToken` of an earlier list: only changes since then", "Q="),
};

export const settings = [
  operation("settings.list", "GET", SETTINGS, {
    summary: "List the settings of the user",
    description: "Also those that have their defaults.",
    query: PAGES,
    answers: answersOf(SettingList),
    async handle({ query: { maxResults, pageToken, syncToken } }, call) {
      const user = await requireUser(call);
      const list = "settings";
      const version = Number(user.settingsVersion);
      const since = readSyncToken(syncToken, list) ?? -1;
      const size = sizeOf(maxResults, PAGE_DEFAULT, PAGE_MAX);
      const found = version > since ? settingsOf(user) : [];
      const listed = { list, kind: "calendar#settings", version, pageToken, size };
      return pageOf(found, listed, (each) => each);
    },
  }),
  operation("settings.get", "GET", `${SETTINGS}/{setting}`, {
    summary: "Show a setting",
    description: "Its value is a text.",
    path: { setting: Type.String({ description: "Its name", examples: ["timezone"] }) },
    answers: answersOf(Setting),
    async handle({ path }, call) {
      const found = settingsOf(await requireUser(call)).find(({ id }) => id === path.setting);
      if (!found) throw notFound();
      return found;
    },
  }),
];
