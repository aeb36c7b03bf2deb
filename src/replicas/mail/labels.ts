/** System labels, and the rules for changes of labels. */
import { invalid } from "~/replicas/mail/errors";

/** In the order of the listing. */
export const SYSTEM_LABELS = [
  ...["CHAT", "SENT", "INBOX", "IMPORTANT", "TRASH", "DRAFT", "SPAM", "CATEGORY_FORUMS"],
  ...["CATEGORY_UPDATES", "CATEGORY_PERSONAL", "CATEGORY_PROMOTIONS", "CATEGORY_SOCIAL"],
  ...["STARRED", "UNREAD"],
] as const;

const SYSTEM: ReadonlySet<string> = new Set(SYSTEM_LABELS);
const FIXED: ReadonlySet<string> = new Set(["SENT", "DRAFT", "CHAT"]);

export const isSystemLabel = (id: string) => SYSTEM.has(id);

/** True of one that only the service sets. */
export const isFixedLabel = (id: string) => FIXED.has(id);

/** True of a system label that clients hide in their lists. */
export const isHiddenLabel = (id: string) => /^(?:CHAT|IMPORTANT|TRASH|SPAM|CATEGORY_.*)$/.test(id);

export type LabelChange = {
  readonly addLabelIds?: readonly string[] | undefined;
  readonly removeLabelIds?: readonly string[] | undefined;
};

type UserLabel = { readonly id: string; readonly name: string };

/** True of a label of the mailbox. `own`: those of its user. */
export const isKnownLabel = (id: string, own: readonly Pick<UserLabel, "id">[]) =>
  isSystemLabel(id) || own.some((label) => label.id === id);

/** Throws for an id that no label of the mailbox has. */
export function requireLabels(ids: readonly string[], own: readonly UserLabel[]): void {
  const unknown = ids.find((id) => !isKnownLabel(id, own));
  if (unknown !== undefined) throw invalid(`Invalid label: ${unknown}`);
}

/** Throws for a change without labels, or with one that is unknown or that only the service sets. */
export function requireChange(
  { addLabelIds = [], removeLabelIds = [] }: LabelChange,
  own: readonly UserLabel[],
): void {
  const named = [...addLabelIds, ...removeLabelIds];
  if (named.length === 0) throw invalid("No label add or removes specified");
  for (const id of named) {
    if (isFixedLabel(id)) throw invalid(`Invalid label: ${id}`);
    if (isKnownLabel(id, own)) continue;
    const isName = own.some(({ name }) => name === id) || !/^Label_\d+$/.test(id);
    throw invalid(isName ? `Invalid label: ${id}` : "labelId not found");
  }
}

/** Labels that a label excludes. */
const EXCLUDED: Readonly<Record<string, readonly string[]>> = {
  TRASH: ["INBOX", "SPAM"],
  SPAM: ["INBOX", "TRASH"],
  INBOX: ["TRASH", "SPAM"],
};

/** The labels of a message after a change, in the order in which they were added. */
export function changedLabels(
  labels: readonly string[],
  { addLabelIds = [], removeLabelIds = [] }: LabelChange,
): string[] {
  const after = new Set(labels.filter((id) => !removeLabelIds.includes(id)));
  for (const id of addLabelIds) {
    for (const excluded of EXCLUDED[id] ?? []) after.delete(excluded);
    after.add(id);
  }
  return [...after];
}
