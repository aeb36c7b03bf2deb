/** A misspelt column is a compile-time error, and a run-time error where the compiler cannot see it. */
import { beforeAll, describe, expect, test } from "bun:test";
import { connect } from "~/db/connect";
import { openSession, tablesOf } from "~/db/session";
import { newId } from "~/replicas/tracker/ids";
import { NO_EFFECTS, writeEffects } from "~/replicas/tracker/store/issues/effects";
import { insertIssues } from "~/replicas/tracker/store/issues/insert";
import { TABLES, type TrackerSession } from "~/replicas/tracker/store/tables";
import { columnsIn, insertRow, updateRow } from "~/replicas/tracker/store/write";
import { useSharedDatabase } from "../../../support/database";
import { AGENT, ENG, useTracker } from "../../../support/tracker";

const database = useSharedDatabase();
const tracker = useTracker(database, "tracker_base");
const NOW = new Date("2026-03-01T12:00:00Z");
let session: TrackerSession;

beforeAll(() => {
  const pool = connect(database.url, { max: 1, name: "test" });
  const tables = [...TABLES.keys()].map((name) => ({ name }));
  session = openSession(
    pool,
    tracker.schema,
    tablesOf(pool, tracker.schema, tables),
  ) as TrackerSession;
  return () => pool.end();
});

const newLabel = () =>
  insertRow(session, "IssueLabel", {
    id: newId(session),
    createdAt: NOW,
    updatedAt: NOW,
    name: `label ${newId(session)}`,
    color: "#bec2c8",
    isGroup: false,
  });

describe("an unknown column", () => {
  test("of a new row is rejected", async () => {
    // @ts-expect-error The table has no such column.
    const insert = insertRow(session, "IssueLabel", { id: newId(session), colour: "#bec2c8" });

    await expect(insert).rejects.toThrow("issue_labels has no column colour");
  });

  test("of a change is rejected, and nothing is written", async () => {
    const label = await newLabel();

    // @ts-expect-error The table has no such column.
    const update = updateRow(session, "IssueLabel", label, { name: "x", retiredBy: AGENT }, NOW);

    await expect(update).rejects.toThrow("issue_labels has no column retiredBy");
    const [row] =
      await session.sql`select name from ${session.t.issue_labels} where id = ${label.id}`;
    expect(row?.["name"]).toBe(label.name);
  });

  test("is rejected even if its value is undefined", async () => {
    const changes: object = { snoozedUntillAt: undefined };
    const update = updateRow(session, "IssueLabel", await newLabel(), changes, NOW);

    await expect(update).rejects.toThrow("issue_labels has no column snoozedUntillAt");
  });

  test("of a new issue is rejected", async () => {
    const acting = { actor: AGENT, now: NOW };
    // @ts-expect-error The table has no such column.
    const insert = insertIssues(session, [{ teamId: ENG, titel: "x" }], NO_EFFECTS, acting);

    await expect(insert).rejects.toThrow("issues has no column titel");
  });

  test("of an issue's history is rejected", async () => {
    const acting = { actor: AGENT, now: NOW };
    const issueId = newId(session);
    // @ts-expect-error The table has no such column.
    const write = writeEffects(session, { history: [{ issueId, toTitel: "x" }] }, acting);

    await expect(write).rejects.toThrow("issue_history has no column toTitel");
  });
});

test("a value of another type than the column's does not compile", async () => {
  const label = await newLabel();

  // @ts-expect-error The name is a text.
  const update = updateRow(session, "IssueLabel", label, { name: 7 }, NOW);

  expect((await update).name).toBe("7");
});

test("of an input, only the columns of the entity are stored", () => {
  const input = { name: "x", replaceTeamLabels: true };

  expect(columnsIn("IssueLabel", input)).toEqual({ name: "x" });
});
