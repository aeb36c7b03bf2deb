/** Rules for the labels of an issue. */
import { invalidInput, labelOfOtherTeam, notFoundIn } from "~/replicas/tracker/errors";
import type { IssueReferences } from "~/replicas/tracker/issues/reference-rules";
import type { IssueLookups, Label } from "~/replicas/tracker/store/issues/issue-lookups";
import type { Team } from "~/replicas/tracker/store/issues/team-lookups";

function requireApplicable(
  { labels }: IssueLookups,
  field: "labelIds" | "addedLabelIds",
  id: string,
  team: Team,
): Label {
  const label = labels.find((one) => one.id === id.toLowerCase());
  if (!label) throw notFoundIn(field);
  if (label.isGroup) throw invalidInput(`The label group "${label.name}" cannot be applied`);
  if (!usableIn(label, team)) throw labelOfOtherTeam(field, label.name);
  return label;
}

const usableIn = ({ teamId }: Label, team: Team) =>
  teamId === null || team.lineage.includes(teamId);

const conflict = (one: Label, other: Label) =>
  one.id !== other.id && one.parentId !== null && one.exclusive && one.parentId === other.parentId;

/** The labels of an issue after a change; `before`: those it has. */
export function labelsAfter(
  { labelIds, addedLabelIds, removedLabelIds }: IssueReferences,
  lookups: IssueLookups,
  before: readonly string[],
  team: Team,
): readonly string[] {
  if (labelIds) return replacedLabels(lookups, labelIds, before, team);
  const removed = new Set((removedLabelIds ?? []).map((id) => id.toLowerCase()));
  const kept = labelsThatMove(
    lookups,
    before.filter((id) => !removed.has(id)),
    team,
  );
  return addedLabels(lookups, addedLabelIds ?? [], kept, team);
}

/** The labels of a new list. `before`: the current labels; only new ones must not be retired. */
function replacedLabels(
  lookups: IssueLookups,
  ids: readonly string[],
  before: readonly string[],
  team: Team,
): string[] {
  const wanted = [...new Set(ids.map((id) => id.toLowerCase()))].map((id) =>
    requireApplicable(lookups, "labelIds", id, team),
  );
  for (const label of wanted) {
    requireCurrent(label, before);
    const other = wanted.find((one) => conflict(one, label));
    if (other)
      throw invalidInput(
        `The labels "${label.name}" and "${other.name}" belong to a group that allows one label per issue`,
      );
  }
  return wanted.map(({ id }) => id);
}

/** The labels of an issue after some are added; each replaces another label of its exclusive group. */
function addedLabels(
  lookups: IssueLookups,
  ids: readonly string[],
  before: readonly string[],
  team: Team,
): string[] {
  const labelOf = new Map(lookups.labels.map((label) => [label.id, label]));
  return ids.reduce<string[]>(
    (kept, id) => {
      const label = requireApplicable(lookups, "addedLabelIds", id, team);
      requireCurrent(label, before);
      const others = kept.filter((other) => {
        const known = labelOf.get(other);
        return other !== label.id && !(known && conflict(known, label));
      });
      return kept.includes(label.id) ? kept : [...others, label.id];
    },
    [...before],
  );
}

function requireCurrent({ id, name, retiredAt }: Label, before: readonly string[]): void {
  if (retiredAt !== null && !before.includes(id))
    throw invalidInput(`The label "${name}" is retired`);
}

/** The labels that stay valid when the issue moves to another team. */
const labelsThatMove = ({ labels }: IssueLookups, ids: readonly string[], team: Team): string[] =>
  ids.filter((id) => labels.some((label) => label.id === id && usableIn(label, team)));
