/** The few values of an entity that events of others show. */
import type { EventRow } from "~/replicas/events";
import { present, type Wire } from "~/replicas/tracker/events/change";
import { pageOf } from "~/replicas/tracker/events/pages";
import { related, relationOf, type Shape, type View } from "~/replicas/tracker/events/view";

const words = (text: string): readonly string[] => text.split(" ");

/** With the address of its page. */
const withUrl =
  (entity: string) =>
  (row: EventRow, view: View): Wire => ({ url: pageOf(entity, row, view) });

const LABEL: Shape = { columns: words("id name color parentId") };
const STATUS: Shape = { columns: words("id name color type") };

export const CHILDREN: { readonly [entity: string]: Shape } = {
  Attachment: {
    columns: words(
      "id createdAt updatedAt archivedAt creatorId groupBySource issueId metadata originalIssueId source sourceType subtitle title url",
    ),
  },
  Comment: {
    columns: words(
      "id body documentContentId initiativeId initiativeUpdateId issueId projectId projectUpdateId userId",
    ),
    reads: ["issue", "project", "user"],
  },
  Customer: { columns: words("id name domains externalIds") },
  CustomerStatus: { columns: words("id name color description displayName type") },
  CustomerTier: { columns: words("id name color description displayName") },
  Cycle: { columns: words("id number name startsAt endsAt") },
  Document: {
    columns: words("id title initiativeId projectId"),
    ones: ["initiative", "project"],
    reads: ["issue"],
  },
  Initiative: { columns: words("id name"), more: withUrl("Initiative") },
  InitiativeUpdate: {
    columns: words("id bodyData health"),
    reads: ["initiative"],
    more: ({ editedAt }) => ({ editedAt }),
  },
  Issue: {
    columns: words("id identifier title teamId"),
    ones: ["team"],
    more: withUrl("Issue"),
  },
  IssueLabel: LABEL,
  Project: {
    columns: words("id name"),
    lists: [{ table: "project_teams", column: "projectId" }],
    more: withUrl("Project"),
  },
  ProjectMilestone: {
    columns: words("id name"),
    more: ({ targetDate }) => ({ targetDate }),
  },
  ProjectStatus: STATUS,
  ProjectUpdate: { columns: words("id body userId"), ones: ["project"] },
  Release: { columns: words("id name version completedAt"), ones: ["pipeline", "stage"] },
  ReleasePipeline: { columns: words("id name slugId type"), more: withUrl("ReleasePipeline") },
  ReleaseStage: { columns: words("id name color position type") },
  Team: { columns: words("id key name") },
  User: { columns: words("id name email avatarUrl"), more: withUrl("User") },
  WorkflowState: STATUS,
};

/** The values of a row that a shape shows. */
export function shapedRow(
  { columns, ones = [], more }: Shape,
  entity: string,
  row: EventRow,
  view: View,
): Wire {
  return {
    ...present(Object.fromEntries(columns.map((name) => [name, row[name]]))),
    ...present(Object.fromEntries(ones.map((field) => [field, childOf(entity, row, field, view)]))),
    ...more?.(row, view),
  };
}

/** A related row as a child; undefined if there is none. */
export function childOf(
  entity: string,
  row: EventRow,
  field: string,
  view: View,
): Wire | undefined {
  const found = related(entity, row, field, view);
  return found && asChild(relationOf(entity, field).to, found, view);
}

export function asChild(entity: string, row: EventRow, view: View): Wire {
  const shape = CHILDREN[entity];
  if (!shape) throw new Error(`${entity} is no child of an event`);
  return shapedRow(shape, entity, row, view);
}
