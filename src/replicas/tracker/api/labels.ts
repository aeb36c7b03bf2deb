/** Rules that labels of projects and of initiatives share: groups, names, retirement, and valid combinations. */

import type { Resolver } from "~/graphql/resolvers";
import { mutationsOf, payloadOf, type Rules } from "~/replicas/tracker/api/entity";
import { changeRow, type Target } from "~/replicas/tracker/change";
import type { Context } from "~/replicas/tracker/context";
import { DEFAULT_COLOR } from "~/replicas/tracker/defaults";
import { duplicateLabel, invalidInput, notFoundIn } from "~/replicas/tracker/errors";
import { requireGiven, requireRow } from "~/replicas/tracker/require";
import { deleteFollowers } from "~/replicas/tracker/store/dependents";
import type { Row } from "~/replicas/tracker/store/entities";
import {
  deleteAssignments,
  findLabelNamed,
  insertAssignments,
  type Labelling,
  listAssigned,
  listLabels,
  PROJECT_LABELS,
  releaseLabel,
} from "~/replicas/tracker/store/labels";

type Input = {
  readonly name?: string | null;
  readonly teamId?: string | null;
  readonly parentId?: string | null;
  readonly isGroup?: boolean | null;
  readonly groupType?: string | null;
};

type LabelEntity = "ProjectLabel" | "InitiativeLabel";

/** Mutations of one type of labels. */
export function labelMutations(
  type: LabelEntity,
  labelling: Labelling,
): Record<string, Resolver<Context>> {
  const stem = type.charAt(0).toLowerCase() + type.slice(1);
  const rules: Rules<LabelEntity> = {
    operations: ["create", "update", "delete"],
    check: (input: Input, context, row) => checkLabel(type, labelling, input, context, row),
    create: (input) => ({ color: input.color ?? DEFAULT_COLOR }),
    removed: async ({ id }, { session }) => {
      await releaseLabel(session, labelling, id);
      await deleteFollowers(
        session,
        `${labelling === PROJECT_LABELS ? "project" : "initiative"}LabelId`,
        id,
      );
    },
  };
  const retire =
    ({ isRetired }: { readonly isRetired: boolean }): Resolver<Context> =>
    async (_source, { id }: Target, context) => {
      const label = await requireRow(context, type, id);
      const retirement = isRetired
        ? { retiredAt: label["retiredAt"] ?? context.now, retiredById: context.viewer.id }
        : { retiredAt: null, retiredById: null };
      return { [stem]: await changeRow(context, type, label, retirement) };
    };
  return {
    ...mutationsOf(type, rules),
    [`${stem}Retire`]: retire({ isRetired: true }),
    [`${stem}Restore`]: retire({ isRetired: false }),
  };
}

async function checkLabel(
  type: LabelEntity,
  labelling: Labelling,
  input: Input,
  context: Context,
  row?: Row<LabelEntity> & { readonly teamId?: string | null },
) {
  const teamId = row?.teamId ?? input.teamId ?? null;
  if (typeof input.name === "string") {
    const taken = await findLabelNamed(context.session, labelling, input.name, teamId);
    if (taken !== undefined && taken !== row?.id) throw duplicateLabel(input.name);
  }
  const isGroup = input.isGroup ?? row?.["isGroup"] ?? false;
  const parent = await requireGiven(context, type, "parentId", input.parentId);
  if (parent) {
    if (parent.id === row?.id) throw invalidInput("A label cannot be its own group");
    if (isGroup) throw invalidInput("A group cannot be inside another group");
    if (parent["isGroup"] !== true) throw invalidInput("The parent of a label must be a group");
  }
  if (row?.["isGroup"] === true && isGroup === false) {
    const { children } = await listAssigned(context.session, labelling, row.id);
    if (children > 0) throw invalidInput("A group that has labels must stay a group");
  }
  if (row && row["isGroup"] !== true && isGroup === true) {
    const { uses } = await listAssigned(context.session, labelling, row.id);
    if (uses > 0) throw invalidInput("A label that is in use cannot become a group");
  }
  return isGroup
    ? { isGroup, groupType: input.groupType ?? row?.["groupType"] ?? "singleSelect" }
    : { groupType: null };
}

/** An entity that has labels. */
export type Labelled = {
  readonly id: string;
  /** Its current labels. */
  readonly had: readonly string[];
  /** Its teams; without teams, labels of any team are valid. */
  readonly teamIds?: readonly string[];
};

/**
 * Checks new labels: they exist, are not groups, and only one comes from each exclusive group. Current labels can be
 * retired.
 */
async function requireLabels(
  { session }: Context,
  labelling: Labelling,
  ids: readonly string[],
  { had, teamIds }: Labelled,
): Promise<void> {
  const labels = await listLabels(session, labelling, ids);
  const groups = new Set<string>();
  for (const id of new Set(ids)) {
    const label = labels.get(id);
    if (!label) throw notFoundIn("labelIds");
    if (label.isGroup)
      throw invalidInput(`"${label.name}" is a group of labels, which cannot be applied`);
    if (label.retiredAt !== null && !had.includes(id))
      throw invalidInput(`The label "${label.name}" is retired`);
    if (label.teamId !== null && teamIds?.includes(label.teamId) === false && !had.includes(id))
      throw invalidInput(`The label "${label.name}" belongs to another team`);
    if (label.parentId === null || label.groupType === "multiSelect") continue;
    if (groups.has(label.parentId))
      throw invalidInput(`"${label.name}" and another of these labels belong to the same group`);
    groups.add(label.parentId);
  }
}

/** Replaces the labels of an entity. */
export async function setLabels(
  context: Context,
  labelling: Labelling,
  ids: readonly string[],
  labelled: Labelled,
): Promise<void> {
  const { id, had } = labelled;
  await requireLabels(context, labelling, ids, labelled);
  const gone = had.filter((one) => !ids.includes(one));
  const added = [...new Set(ids)].filter((one) => !had.includes(one));
  if (gone.length > 0) await deleteAssignments(context.session, labelling, id, gone);
  if (added.length > 0) await insertAssignments(context.session, labelling, id, added, context.now);
}

/** Adds a label; it replaces another label of its exclusive group. */
async function withLabel(
  { session }: Context,
  labelling: Labelling,
  id: string,
  had: readonly string[],
): Promise<readonly string[]> {
  const labels = await listLabels(session, labelling, [id, ...had]);
  const { parentId = null, groupType = null } = labels.get(id) ?? {};
  const isRival = (other: string) =>
    parentId !== null && groupType !== "multiSelect" && labels.get(other)?.parentId === parentId;
  return [...had.filter((other) => other !== id && !isRival(other)), id];
}

/** The mutations that add one label to an entity of this type, and remove it. */
export function labellingMutations(
  type: "Project" | "Initiative",
  labelling: Labelling,
  labelledOf: (row: { readonly id: string }, context: Context) => Promise<Labelled>,
): Record<string, Resolver<Context>> {
  const change =
    ({ isAdded }: { readonly isAdded: boolean }): Resolver<Context> =>
    async (_source, { id, labelId }: Target & { labelId: string }, context, info) => {
      const row = await requireRow(context, type, id);
      await requireGiven(context, `${type}Label`, "labelId", labelId);
      const labelled = await labelledOf(row, context);
      const ids = isAdded
        ? await withLabel(context, labelling, labelId, labelled.had)
        : labelled.had.filter((other) => other !== labelId);
      await setLabels(context, labelling, ids, labelled);
      return payloadOf(row, type, info);
    };
  const stem = type.toLowerCase();
  return {
    [`${stem}AddLabel`]: change({ isAdded: true }),
    [`${stem}RemoveLabel`]: change({ isAdded: false }),
  };
}
