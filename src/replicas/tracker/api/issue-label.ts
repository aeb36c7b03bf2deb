/** Labels of issues. Labels of projects and initiatives follow the same rules; only these can belong to a team. */

import type { Resolvers } from "~/graphql/resolvers";
import {
  changeRow,
  createRow,
  type Given,
  type Optional,
  type Target,
} from "~/replicas/tracker/change";
import type { Context } from "~/replicas/tracker/context";
import { DEFAULT_COLOR } from "~/replicas/tracker/defaults";
import { duplicateLabel, invalidInput } from "~/replicas/tracker/errors";
import { requireGiven, requireRow } from "~/replicas/tracker/require";
import type { Row } from "~/replicas/tracker/store/entities";
import {
  deleteLabel,
  findLabelNamed,
  findLabelUse,
  listTeamLabelsNamed,
  replaceLabels,
} from "~/replicas/tracker/store/issues/labels";
import { columnsIn } from "~/replicas/tracker/store/write";

type LabelInput = {
  readonly id?: Optional<string>;
  readonly name?: Optional<string>;
  readonly color?: Optional<string>;
  readonly teamId?: Optional<string>;
  readonly parentId?: Optional<string>;
  readonly isGroup?: Optional<boolean>;
  readonly groupType?: Optional<string>;
  readonly description?: Optional<string>;
  readonly retiredAt?: Optional<Date>;
};
type Replacing = { readonly replaceTeamLabels?: Optional<boolean> };

/** The group of a label: one level, in the same team or the workspace. */
async function requireGroup(
  context: Context,
  parentId: Optional<string>,
  teamId: Optional<string>,
  isGroup: boolean,
): Promise<Row<"IssueLabel"> | undefined> {
  const parent = await requireGiven(context, "IssueLabel", "parentId", parentId);
  if (!parent) return undefined;
  if (isGroup) throw invalidInput("A label group cannot be in another group");
  if (!parent["isGroup"]) throw invalidInput("The parent of a label must be a label group");
  if (parent["teamId"] !== null && parent["teamId"] !== (teamId ?? null))
    throw invalidInput("A label and its group must belong to the same team");
  return parent;
}

async function requireFreeName(
  { session }: Context,
  name: string,
  teamId: Optional<string>,
  but?: string,
): Promise<void> {
  if (await findLabelNamed(session, name, teamId ?? null, but)) throw duplicateLabel(name);
}

/** Merges labels of teams into the new workspace label of the same name. */
async function absorb({ session, now }: Context, label: Row<"IssueLabel">): Promise<void> {
  const others = await listTeamLabelsNamed(session, String(label["name"]));
  await replaceLabels(session, others, label.id, now);
}

async function retire(context: Context, id: string, retiredAt: Date | null) {
  const label = await requireRow(context, "IssueLabel", id);
  const retiredById = retiredAt && context.viewer.id;
  return {
    issueLabel: await changeRow(context, "IssueLabel", label, { retiredAt, retiredById }),
  };
}

export const issueLabels: Resolvers<Context> = {
  IssueLabel: {
    inheritedFrom: () => null,
  },
  Mutation: {
    issueLabelCreate: async (
      _source,
      { input, replaceTeamLabels }: Given<LabelInput & { name: string }> & Replacing,
      context,
    ) => {
      const isGroup = input.isGroup ?? false;
      await requireGiven(context, "Team", "teamId", input.teamId);
      await requireGroup(context, input.parentId, input.teamId, isGroup);
      const replaces = replaceTeamLabels === true && !input.teamId;
      if (!replaces) await requireFreeName(context, input.name, input.teamId);
      const issueLabel = await createRow(context, "IssueLabel", {
        ...columnsIn("IssueLabel", input),
        color: input.color ?? DEFAULT_COLOR,
        isGroup,
        groupType: isGroup ? (input.groupType ?? "singleSelect") : null,
        creatorId: context.viewer.id,
      });
      if (replaces) await absorb(context, issueLabel);
      return { issueLabel };
    },

    issueLabelUpdate: async (
      _source,
      { id, input, replaceTeamLabels }: Target & Given<LabelInput> & Replacing,
      context,
    ) => {
      const label = await requireRow(context, "IssueLabel", id);
      const teamId = label["teamId"];
      const isGroup = input.isGroup ?? label["isGroup"];
      const use = await findLabelUse(context.session, label.id);
      if (isGroup && !label["isGroup"] && use.issues > 0)
        throw invalidInput("A label that issues have cannot become a group");
      if (!isGroup && label["isGroup"] && use.children > 0)
        throw invalidInput("A group with labels in it cannot become a label");
      await requireGroup(context, input.parentId, teamId, isGroup);
      const replaces = replaceTeamLabels === true && teamId === null;
      if (input.name && !replaces) await requireFreeName(context, input.name, teamId, label.id);
      const issueLabel = await changeRow(context, "IssueLabel", label, {
        ...columnsIn("IssueLabel", input),
        name: input.name ?? undefined,
        color: input.color ?? undefined,
        isGroup,
        groupType: isGroup ? (input.groupType ?? label["groupType"] ?? "singleSelect") : null,
      });
      if (replaces) await absorb(context, issueLabel);
      return { issueLabel };
    },

    issueLabelDelete: async (_source, { id }: Target, context) => {
      const label = await requireRow(context, "IssueLabel", id);
      await deleteLabel(context.session, label.id, context.now);
      return { entityId: label.id };
    },

    issueLabelRetire: (_source, { id }: Target, context) => retire(context, id, context.now),
    issueLabelRestore: (_source, { id }: Target, context) => retire(context, id, null),
  },
};
