/** Tools that change labels, and the labels of messages and threads. */
import { checkChange, relabelMessage } from "~/replicas/mail/api/messages";
import { relabelThread } from "~/replicas/mail/api/threads";
import { post } from "~/replicas/mail/calls";
import { invalid } from "~/replicas/mail/errors";
import {
  comparable,
  createLabel,
  type LabelFields,
  removeLabel,
  updateLabel,
} from "~/replicas/mail/label-changes";
import type { LabelChange } from "~/replicas/mail/labels";
import { COLORS } from "~/replicas/mail/mcp/colors";
import { labelShape } from "~/replicas/mail/mcp/shapes";
import { DONE, type Tools } from "~/replicas/mail/mcp/tool";
import type { MailCall } from "~/replicas/mail/operation";
import { listLabels } from "~/replicas/mail/store/labels";
import { countMessages } from "~/replicas/mail/store/messages";

/** Labels that have tools of their own. */
const SENSITIVE = ["TRASH", "SPAM"];

type Place = { readonly messageId: string } | { readonly threadId: string };

async function relabel(place: Place, change: LabelChange, call: MailCall): Promise<object> {
  await ("messageId" in place
    ? relabelMessage(call, place.messageId, change)
    : relabelThread(call, place.threadId, change));
  return DONE;
}

/** With labels that the caller names. */
async function change(place: Place, wanted: LabelChange, call: MailCall): Promise<object> {
  const sensitive = wanted.addLabelIds?.find((id) => SENSITIVE.includes(id));
  if (sensitive !== undefined) throw invalid(`Invalid label: ${sensitive}`);
  await checkChange(call, wanted);
  return await relabel(place, wanted, call);
}

type Named = Place & { readonly labelIds: readonly string[] };
const adding = ({ labelIds, ...place }: Named, call: MailCall) =>
  change(place, { addLabelIds: labelIds }, call);
const removing = ({ labelIds, ...place }: Named, call: MailCall) =>
  change(place, { removeLabelIds: labelIds }, call);

/** A tool whose change is fixed. */
const moving = (fixed: LabelChange) => (place: Place, call: MailCall) =>
  relabel(place, fixed, call);

type Sensitive = Place & { readonly labelOption: string };
async function applySensitive({ labelOption, ...place }: Sensitive, call: MailCall) {
  if (!SENSITIVE.includes(labelOption)) throw invalid(`Invalid label option: ${labelOption}`);
  return await relabel(place, { addLabelIds: [labelOption] }, call);
}

const toTrash = moving({ addLabelIds: ["TRASH"] });
const fromTrash = moving({ removeLabelIds: ["TRASH"] });
const toSpam = moving({ addLabelIds: ["SPAM"] });
/** Unlike the trash, spam goes back to the inbox. */
const fromSpam = moving({ addLabelIds: ["INBOX"], removeLabelIds: ["SPAM"] });

type LabelArguments = {
  readonly displayName?: string;
  readonly colorPreset?: string;
  readonly color?: { readonly textColor?: string; readonly backgroundColor?: string };
  readonly labelListVisibility?: keyof typeof LISTED;
  readonly messageListVisibility?: keyof typeof SHOWN;
};

const LISTED = {
  LABEL_SHOW: "labelShow",
  LABEL_SHOW_IF_UNREAD: "labelShowIfUnread",
  LABEL_HIDE: "labelHide",
};
const SHOWN = { SHOW: "show", HIDE: "hide" };

function fieldsOf(args: LabelArguments): LabelFields {
  const { displayName, colorPreset = "", labelListVisibility, messageListVisibility } = args;
  return {
    name: displayName,
    color: COLORS[colorPreset] ?? args.color,
    labelListVisibility: labelListVisibility && LISTED[labelListVisibility],
    messageListVisibility: messageListVisibility && SHOWN[messageListVisibility],
  };
}

/** The names of the labels that a nested one is in: `a` and `a/b` for `a/b/c`. */
const parentsOf = (name: string): string[] =>
  name.split("/").flatMap((_, at, parts) => (at === 0 ? [] : [parts.slice(0, at).join("/")]));

type NewLabel = LabelArguments & {
  readonly displayName: string;
  readonly autoCreateParentLabels: boolean;
};

const create = (args: NewLabel, call: MailCall) =>
  post(call, async ({ session }) => {
    const inside = { ...call, session };
    const own = await listLabels(session, call.mailbox);
    const known = new Set(own.map(({ name }) => comparable(name)));
    const parents = args.autoCreateParentLabels ? parentsOf(args.displayName) : [];
    for (const name of parents)
      if (!known.has(comparable(name))) await createLabel(inside, { name });
    return labelShape(await createLabel(inside, fieldsOf(args)));
  });

async function update(
  { labelId, ...args }: LabelArguments & { readonly labelId: string },
  call: MailCall,
) {
  const label = await post(call, ({ session }) =>
    updateLabel({ ...call, session }, labelId, fieldsOf(args)),
  );
  return labelShape(label, await countMessages(call.session, call.mailbox, labelId));
}

export const labelling: Tools = {
  label_message: adding,
  unlabel_message: removing,
  label_thread: adding,
  unlabel_thread: removing,
  update_message_labels: ({ messageId, ...wanted }, call) => change({ messageId }, wanted, call),
  apply_sensitive_message_label: applySensitive,
  apply_sensitive_thread_label: applySensitive,
  mark_message_spam: toSpam,
  unmark_message_spam: fromSpam,
  mark_thread_spam: toSpam,
  unmark_thread_spam: fromSpam,
  trash_message: toTrash,
  untrash_message: fromTrash,
  trash_thread: toTrash,
  untrash_thread: fromTrash,
  create_label: create,
  update_label: update,
  async delete_label({ labelId }, call) {
    await post(call, (posting) => removeLabel(posting, call.mailbox, labelId));
    return DONE;
  },
};
