/** How issues and comments differ from the template. */
import type { RunEvent } from "~/clients/typescript/schema";
import { ask } from "~/console/api";
import type { Mark, Marks } from "~/console/marks";
import type { Row } from "~/console/rows";
import { readOwnRows, type ServiceEnvironment } from "~/console/services/member";
import type { Issue } from "~/console/services/tracker/data";

const TABLES = ["issues", "comments"];

/** Rows of a template by id. */
type Baseline = ReadonlyMap<unknown, Row>;
export type IssueMarks = Marks<Baseline>;

/** The issue or comment that a change belongs to, and the issue of a comment. */
export function subjectsOf({ table, key, before, after }: RunEvent): string[] {
  const own = TABLES.includes(table) ? key["id"] : undefined;
  const issue = after?.["issueId"] ?? before?.["issueId"];
  return [own, issue].filter((id) => typeof id === "string");
}

/** The template's issues and comments; undefined if it does not exist any more. */
export async function readBaseline(environment: ServiceEnvironment): Promise<Baseline | undefined> {
  const rows = await readOwnRows(ask, environment, TABLES).catch(() => undefined);
  return (
    rows && new Map(Object.values(rows).flatMap((list) => list.map((row) => [row["id"], row])))
  );
}

/** Compares the fields that a board shows. */
function markOf(
  baseline: Baseline | undefined,
  { id, title, state, priority, assignee }: Issue,
): Mark {
  if (!baseline) return undefined;
  const known = baseline.get(id);
  if (!known) return "new";
  const isSame =
    known["title"] === title &&
    known["stateId"] === state.id &&
    known["priority"] === priority &&
    known["assigneeId"] === (assignee?.id ?? null);
  return isSame ? undefined : "changed";
}

/** The change of an issue since the template, and the call that made it. */
export function changeOf(issue: Issue, { baseline, causes }: IssueMarks) {
  const cause = causes.get(issue.id);
  const mark: Mark = markOf(baseline, issue) ?? (cause && "touched");
  return { cause, mark };
}
