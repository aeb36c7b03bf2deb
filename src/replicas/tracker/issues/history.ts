/** The history entry of a change: the old and the new value of each field that the history shows. */
import { capitalized } from "~/capitalized";
import type { Changes, NewValues, Row } from "~/replicas/tracker/store/entities";

const FIELDS = [
  "title",
  "stateId",
  "priority",
  "assigneeId",
  "delegateId",
  "teamId",
  "parentId",
  "projectId",
  "projectMilestoneId",
  "cycleId",
  "estimate",
  "dueDate",
  "slaType",
  "slaStartedAt",
  "slaBreachesAt",
] as const;

type LabelChange = {
  readonly added: readonly string[];
  readonly removed: readonly string[];
};

export const NO_LABELS: LabelChange = { added: [], removed: [] };

/** The row of the history; undefined when the change does not show there. `different`: the changed fields. */
export function historyOf(
  issue: Row<"Issue">,
  different: Changes<"Issue">,
  { added, removed }: LabelChange,
): NewValues<"IssueHistory"> | undefined {
  const pairs = FIELDS.filter((name) => name in different).flatMap((name) => [
    [`from${capitalized(name)}`, issue[name]] as const,
    [`to${capitalized(name)}`, different[name]] as const,
  ]);
  const said = {
    ...Object.fromEntries(pairs),
    ...("description" in different && { updatedDescription: true }),
    ...("trashed" in different && { trashed: different["trashed"] === true }),
    ...("archivedAt" in different && { archived: different["archivedAt"] !== null }),
    ...(added.length > 0 && { addedLabelIds: added }),
    ...(removed.length > 0 && { removedLabelIds: removed }),
  };
  return Object.keys(said).length === 0 ? undefined : { issueId: issue.id, ...said };
}
