/** Nothing is forgotten: each table causes events or has a reason not to, and each event has its fields and a test. */
import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { events } from "~/replicas/chat/events/index";
import { TYPES } from "~/replicas/chat/events/types";
import { FIELDS } from "./fields";
import { TABLES } from "./observe";

/** Tables whose changes are no events of the service. */
const SILENT: Readonly<Record<string, string>> = {
  teams: "no method changes the workspace's name or domain; its settings have no event",
  bookmarks: "the service has no event for them",
  reminders: "the service has no event for them",
  file_contents: "the bytes of a file that is announced by its row",
  file_access: "the service has no event for access",
  scheduled_messages: "a message is an event once it is posted",
  ephemeral_messages: "apps do not see them",
  views: "an app that opens a view learns of it in the answer",
  calls: "the service reports rejected calls only, which no method causes",
  lists: "the service has no event for them",
  list_items: "the service has no event for them",
  drafts: "only their author sees them",
  records: "values that methods store and read back",
};

test("every table causes events, or has a reason not to", () => {
  expect([...events.tables, ...Object.keys(SILENT)].sort()).toEqual(TABLES.toSorted());
});

test("every type that follows from a change has its fields, and is expected by a test", () => {
  const types = Object.keys(TYPES);
  const tests = readdirSync(import.meta.dir)
    .filter((file) => file.endsWith(".test.ts"))
    .map((file) => readFileSync(join(import.meta.dir, file), "utf8"))
    .join("\n");

  expect(Object.keys(FIELDS).sort()).toEqual(types.toSorted());
  expect(types.filter((type) => !tests.includes(`"${type}"`))).toEqual([]);
});
