/** The rules of labels that users create. */
import { changeLabels } from "~/replicas/mail/delivery/storing";
import { invalid, MailError, notFound } from "~/replicas/mail/errors";
import { isSystemLabel } from "~/replicas/mail/labels";
import type { MailCall, Posting } from "~/replicas/mail/operation";
import { isPaletteColor } from "~/replicas/mail/palette";
import { dropFromFilters } from "~/replicas/mail/store/filters";
import { deleteLabel, type LabelRow, listLabels, putLabel } from "~/replicas/mail/store/labels";
import { lockMailbox, nextLabelNumber } from "~/replicas/mail/store/mailboxes";
import { listWithLabel } from "~/replicas/mail/store/messages";

export type LabelFields = {
  readonly name?: string | undefined;
  readonly messageListVisibility?: string | undefined;
  readonly labelListVisibility?: string | undefined;
  readonly color?:
    | { readonly textColor?: string; readonly backgroundColor?: string }
    | null
    | undefined;
};

const LABELS_MAX = 10_000;
const NAME_MAX = 225;
const RESERVED = /^(?:inbox|spam|trash|sent|drafts?|starred|important|unread|chats?)$/i;

/** Names that are the same for the service. */
export const comparable = (name: string) =>
  name.trim().replace(/\s+/g, " ").toLowerCase().replace(/[ /-]/g, "-");

function requireName(name: string | undefined, others: readonly LabelRow[]): string {
  const trimmed = (name ?? "").trim();
  if (trimmed === "" || trimmed.length > NAME_MAX || RESERVED.test(trimmed))
    throw invalid("Invalid label name");
  if (others.some((label) => comparable(label.name) === comparable(trimmed)))
    throw new MailError("aborted", "Label name exists or conflicts");
  return trimmed;
}

const SHOWN = ["show", "hide"];
const LISTED = ["labelShow", "labelShowIfUnread", "labelHide"];

function requireFields({ messageListVisibility, labelListVisibility, color }: LabelFields): void {
  if (messageListVisibility !== undefined && !SHOWN.includes(messageListVisibility))
    throw invalid(`Invalid value at 'label.message_list_visibility': ${messageListVisibility}`);
  if (labelListVisibility !== undefined && !LISTED.includes(labelListVisibility))
    throw invalid(`Invalid value at 'label.label_list_visibility': ${labelListVisibility}`);
  if (!color) return;
  const { textColor, backgroundColor } = color;
  if (!textColor || !backgroundColor || ![textColor, backgroundColor].every(isPaletteColor))
    throw invalid(
      `Label color ${textColor ?? ""}, ${backgroundColor ?? ""} is not on the allowed color palette`,
    );
}

type Changing = Pick<MailCall, "session" | "mailbox">;

/** The session is a transaction. */
export async function createLabel(
  { session, mailbox }: Changing,
  fields: LabelFields,
): Promise<LabelRow> {
  requireFields(fields);
  await lockMailbox(session, mailbox);
  const own = await listLabels(session, mailbox);
  if (own.length >= LABELS_MAX) throw invalid("Too many labels");
  const label = {
    name: requireName(fields.name, own),
    messageListVisibility: fields.messageListVisibility ?? "show",
    labelListVisibility: fields.labelListVisibility ?? "labelShow",
    color: fields.color ?? null,
  };
  const id = `Label_${await nextLabelNumber(session, mailbox)}`;
  await putLabel(session, mailbox, { id, ...label });
  return { id, ...label };
}

/** `color`: null removes it. The session is a transaction. */
export async function updateLabel(
  { session, mailbox }: Changing,
  id: string,
  fields: LabelFields,
): Promise<LabelRow> {
  if (isSystemLabel(id)) throw invalid("Invalid update request");
  requireFields(fields);
  await lockMailbox(session, mailbox);
  const own = await listLabels(session, mailbox);
  const label = own.find((each) => each.id === id);
  if (!label) throw notFound();
  const others = own.filter((each) => each.id !== id);
  const changed = {
    id,
    name: fields.name === undefined ? label.name : requireName(fields.name, others),
    messageListVisibility: fields.messageListVisibility ?? label.messageListVisibility,
    labelListVisibility: fields.labelListVisibility ?? label.labelListVisibility,
    color: fields.color === undefined ? label.color : fields.color,
  };
  await putLabel(session, mailbox, changed);
  return changed;
}

/** Messages lose the label, and filters no longer name it. */
export async function removeLabel(posting: Posting, mailbox: string, id: string): Promise<void> {
  const { session } = posting;
  if (isSystemLabel(id)) throw invalid("Invalid delete request");
  await lockMailbox(session, mailbox);
  if (!(await deleteLabel(session, mailbox, id))) throw notFound();
  await dropFromFilters(session, mailbox, id);
  const labelled = await listWithLabel(session, mailbox, id);
  await changeLabels(posting, mailbox, labelled, { removeLabelIds: [id] });
}
