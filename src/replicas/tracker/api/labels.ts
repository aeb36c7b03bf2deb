/** Rules that labels of projects and of initiatives share: groups, names, retirement, and which go together. */
import type { Resolver } from "~/graphql/attach";
import type { RowObject } from "~/graphql/page";
import { mutationsOf, type Rules } from "~/replicas/tracker/api/entity";
import { changeRow, type Target } from "~/replicas/tracker/change";
import type { Context } from "~/replicas/tracker/context";
import { DEFAULT_COLOR } from "~/replicas/tracker/defaults";
import { invalidInput } from "~/replicas/tracker/errors";
import { requireGiven, requireRow } from "~/replicas/tracker/require";
import {
  deleteAssignments,
  findLabelNamed,
  insertAssignments,
  type Labelling,
  listAssigned,
  listLabels,
  releaseLabel,
} from "~/replicas/tracker/store/labels";

type Input = {
  readonly name?: string | null;
  readonly teamId?: string | null;
  readonly parentId?: string | null;
  readonly isGroup?: boolean | null;
  readonly groupType?: string | null;
};

/** Mutations of a type of labels. */
export function labelMutations(
  type: string,
  labelling: Labelling,
): Record<string, Resolver<Context>> {
  const stem = type.charAt(0).toLowerCase() + type.slice(1);
  const rules: Rules = {
    operations: ["create", "update", "delete"],
    check: (input: Input, context, row) => checkLabel(type, labelling, input, context, row),
    create: (input) => ({ color: input.color ?? DEFAULT_COLOR }),
    removed: ({ id }, { session }) => releaseLabel(session, labelling, id),
  };
  const retire =
    (isRetired: boolean): Resolver<Context> =>
    async (_source, { id }: Target, context) => {
      const label = await requireRow(context, type, id);
      const retirement = isRetired
        ? { retiredAt: label["retiredAt"] ?? context.now, retiredById: context.viewer.id }
        : { retiredAt: null, retiredById: null };
      return { [stem]: await changeRow(context, type, label, retirement) };
    };
  return {
    ...mutationsOf(type, rules),
    [`${stem}Retire`]: retire(true),
    [`${stem}Restore`]: retire(false),
  };
}

async function checkLabel(
  type: string,
  labelling: Labelling,
  input: Input,
  context: Context,
  row?: RowObject,
) {
  const teamId = (row?.["teamId"] ?? input.teamId ?? null) as string | null;
  if (typeof input.name === "string") {
    const taken = await findLabelNamed(context.session, labelling, input.name, teamId);
    if (taken !== undefined && taken !== row?.id)
      throw invalidInput(`A label named "${input.name}" already exists`);
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
    if (children > 0) throw invalidInput("A group that has labels stays a group");
  }
  if (row && row["isGroup"] !== true && isGroup === true) {
    const { uses } = await listAssigned(context.session, labelling, row.id);
    if (uses > 0) throw invalidInput("A label that is in use cannot become a group");
  }
  return isGroup
    ? { isGroup, groupType: input.groupType ?? row?.["groupType"] ?? "singleSelect" }
    : { groupType: null };
}

/**
 * The labels as they may be put on: there, no groups, and one at most of each group that allows one. `had` are those
 * that are on already, which may be retired.
 */
async function requireLabels(
  { session }: Context,
  labelling: Labelling,
  ids: readonly string[],
  had: readonly string[],
): Promise<void> {
  const labels = await listLabels(session, labelling, ids);
  const groups = new Set<string>();
  for (const id of new Set(ids)) {
    const label = labels.get(id);
    if (!label) throw invalidInput(`There is no label with the id ${id}`);
    if (label.isGroup)
      throw invalidInput(`"${label.name}" is a group of labels, which cannot be applied`);
    if (label.retiredAt !== null && !had.includes(id))
      throw invalidInput(`The label "${label.name}" is retired`);
    if (label.parentId === null || label.groupType === "multiSelect") continue;
    if (groups.has(label.parentId))
      throw invalidInput(`"${label.name}" and another of these labels are of the same group`);
    groups.add(label.parentId);
  }
}

/** Puts exactly these labels on something. */
export async function setLabels(
  context: Context,
  labelling: Labelling,
  of: string,
  ids: readonly string[],
  had: readonly string[],
): Promise<void> {
  await requireLabels(context, labelling, ids, had);
  const gone = had.filter((id) => !ids.includes(id));
  const added = [...new Set(ids)].filter((id) => !had.includes(id));
  if (gone.length > 0) await deleteAssignments(context.session, labelling, of, gone);
  if (added.length > 0) await insertAssignments(context.session, labelling, of, added, context.now);
}

/** Puts one more label on; another of its single-select group makes room. */
export async function addLabel(
  context: Context,
  labelling: Labelling,
  of: string,
  id: string,
  had: readonly string[],
): Promise<void> {
  await requireLabels(context, labelling, [id], had);
  const labels = await listLabels(context.session, labelling, [id, ...had]);
  const { parentId = null, groupType = null } = labels.get(id) ?? {};
  const isRival = (other: string) =>
    parentId !== null && groupType !== "multiSelect" && labels.get(other)?.parentId === parentId;
  const kept = had.filter((other) => other !== id && !isRival(other));
  await setLabels(context, labelling, of, [...kept, id], had);
}
