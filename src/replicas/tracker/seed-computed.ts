/** Values that a seed leaves to the service: ids, positions in lists, times that follow from states. */
import {
  DEFAULT_COLOR,
  DEFAULT_CUSTOMER_STATUSES,
  DEFAULT_PROJECT_STATUSES,
  DEFAULT_STATES,
  TRIAGE_STATE,
} from "~/replicas/tracker/defaults";
import { derivedId, derivedSlugId } from "~/replicas/tracker/ids";
import { richText } from "~/replicas/tracker/rich-text";
import type { Names } from "~/replicas/tracker/seed-names";
import { columnsIn, modelOf } from "~/replicas/tracker/seed-sections";
import type { Item } from "~/replicas/tracker/seed-types";
import type { Values } from "~/replicas/tracker/store/entities";

/** A row with the required columns that its entry did not set. */
export function computedOf(item: Item, row: Values, names: Names): Values {
  const columns = columnsIn(item.section);
  const own = OF_TYPE[item.section.type]?.(item, row, names) ?? {};
  const filled = { ...common(item, row), ...own, ...row };
  const known = Object.entries(filled).filter(
    ([name, value]) => value !== undefined && (columns.has(name) || name in own || name === "id"),
  );
  return Object.fromEntries(known);
}

const OWN = ["id", "createdAt", "updatedAt", "archivedAt"];

/** A row in the form of its table: a shared table stores the fields in one column. */
export function stored({ section }: Item, row: Values): Values {
  const { name, shared } = modelOf(section);
  if (!shared) return row;
  const isOwn = ([column]: readonly [string, unknown]) => OWN.includes(column);
  const entries = Object.entries(row);
  const data = Object.fromEntries(entries.filter((entry) => !isOwn(entry)));
  return { ...Object.fromEntries(entries.filter(isOwn)), type: name, data };
}

const text = (value: unknown) => String(value ?? "");

/** Defaults by column name, for every type. */
function common({ section, id, index }: Item, row: Values): Values {
  const moments = ["createdAt", "editedAt", "startedAt", "completedAt", "canceledAt", "resolvedAt"];
  const columns = columnsIn(section);
  return {
    updatedAt: moments
      .map((name) => text(row[name]))
      .toSorted()
      .at(-1),
    ...(section.type !== "Comment" && { documentContentId: derivedId("DocumentContent", id) }),
    slugId: derivedSlugId(id),
    sortOrder: index,
    position: index,
    ...(columns.has("bodyData") && { bodyData: richText(text(row["body"])) }),
    ...(columns.has("color") && section.type !== "Team" && { color: DEFAULT_COLOR }),
  };
}

const first = (list: unknown) => (Array.isArray(list) ? text(list[0]) : "");

const OF_TYPE: {
  readonly [type: string]: (item: Item, row: Values, names: Names) => Values;
} = {
  Team: ({ id, entry, path }, _row, names) => ({
    defaultIssueStateId: names.require(
      "WorkflowState",
      defaultState(entry["states"]),
      [id],
      `${path}.states`,
    ),
  }),
  WorkflowState: (_item, { name }) => ({
    color: DEFAULT_STATES.find((state) => state.name === name)?.color ?? DEFAULT_COLOR,
  }),
  IssueLabel: ({ entry }) =>
    entry["children"] ? { isGroup: true, groupType: "singleSelect" } : {},
  ProjectLabel: ({ entry }) =>
    entry["children"] ? { isGroup: true, groupType: "singleSelect" } : {},
  Issue: ({ entry }, { parentId, cycleId, projectId, createdAt }) => {
    const number = Number(/\d+$/.exec(text(entry["identifier"]))?.[0]);
    return {
      number,
      sortOrder: -number,
      addedToTeamAt: createdAt,
      ...(entry["state"] === TRIAGE_STATE.name && { startedTriageAt: createdAt }),
      ...(parentId !== undefined && { subIssueSortOrder: number }),
      ...(cycleId !== undefined && { addedToCycleAt: createdAt }),
      ...(projectId !== undefined && { addedToProjectAt: createdAt }),
    };
  },
  Attachment: ({ given }) => ({ originalIssueId: given["issueId"] }),
  Project: ({ entry, index, path }, _row, names) => ({
    leadTeamId: names.require("Team", first(entry["teams"]), [""], `${path}.teams`),
    identifier: `P-${first(entry["teams"])}-${index + 1}`,
    statusId: names.require(
      "ProjectStatus",
      DEFAULT_PROJECT_STATUSES[0].name,
      [""],
      `${path}.status`,
    ),
  }),
  ProjectUpdate: () => ({ health: "onTrack" }),
  ProjectRelation: () => ({ type: "dependency", anchorType: "end", relatedAnchorType: "start" }),
  Initiative: ({ index }, { creatorId }) => ({ identifier: `I-${index + 1}`, ownerId: creatorId }),
  InitiativeUpdate: () => ({ health: "onTrack" }),
  Document: (_item, { creatorId }) => ({ ownerId: creatorId }),
  Roadmap: (_item, { creatorId }) => ({ ownerId: creatorId }),
  CustomerStatus: (_item, { name }) => ({ displayName: name }),
  CustomerTier: (_item, { name }) => ({ displayName: name }),
  Customer: ({ path }, _row, names) => ({
    domains: [],
    externalIds: [],
    statusId: names.require(
      "CustomerStatus",
      DEFAULT_CUSTOMER_STATUSES[0].name,
      [""],
      `${path}.status`,
    ),
  }),
  CustomerNeed: (_item, { issueId }) => ({ originalIssueId: issueId, priority: 0 }),
  ReleasePipeline: () => ({
    isProduction: true,
    includePathPatterns: [],
    autoGenerateReleaseNotesOnCompletion: false,
    rolloverIssuesOnCompletion: false,
  }),
  ReleaseStage: () => ({ frozen: false }),
  AgentSession: (_item, { appUserId }) => ({
    creatorId: appUserId,
    type: "commentThread",
    context: {},
    externalLinks: [],
  }),
  AgentActivity: () => ({ ephemeral: false, queued: false }),
  AgentSkill: (_item, { creatorId }) => ({
    ownerId: creatorId,
    shared: false,
    recentUsageCount: 0,
  }),
  CustomView: (_item, { creatorId }) => ({ ownerId: creatorId }),
  Webhook: ({ id }) => ({ secret: `lin_wh_${derivedSlugId(id)}` }),
};

/** The first state in which new issues can wait. */
function defaultState(states: unknown): string {
  const given = (states ?? DEFAULT_STATES) as readonly { name: string; type: string }[];
  return (given.find(({ type }) => type === "backlog") ?? given[0])?.name ?? "";
}
