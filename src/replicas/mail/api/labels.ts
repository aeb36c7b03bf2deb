import { Type } from "@sinclair/typebox";
import { post } from "~/replicas/mail/calls";
import { notFound } from "~/replicas/mail/errors";
import {
  createLabel,
  type LabelFields,
  removeLabel,
  updateLabel,
} from "~/replicas/mail/label-changes";
import { isHiddenLabel, isSystemLabel, SYSTEM_LABELS } from "~/replicas/mail/labels";
import { answersOf, type MailCall, NO_CONTENT, operation } from "~/replicas/mail/operation";
import { findLabel, type LabelRow, listLabels } from "~/replicas/mail/store/labels";
import { countMessages } from "~/replicas/mail/store/messages";
import { Label, LabelBody, LabelList } from "~/replicas/mail/views";

const id = Type.String({ description: "Of the label", examples: ["INBOX"] });

const systemView = (of: string) => ({
  ...{ id: of, name: of },
  ...(isHiddenLabel(of) && { messageListVisibility: "hide", labelListVisibility: "labelHide" }),
  type: "system",
});

/** The answer to a client that has created a label leaves its type out. */
const createdView = ({ color, ...label }: LabelRow) => ({ ...label, ...(color && { color }) });

const userView = (label: LabelRow) => ({ ...createdView(label), type: "user" });

async function viewOf({ session, mailbox }: MailCall, of: string) {
  if (isSystemLabel(of)) return systemView(of);
  const row = await findLabel(session, mailbox, of);
  if (!row) throw notFound();
  return userView(row);
}

const change = async (call: MailCall, of: string, fields: LabelFields) =>
  userView(await post(call, ({ session }) => updateLabel({ ...call, session }, of, fields)));

export const labels = [
  operation("labels.list", "GET", "labels", {
    summary: "List labels",
    description: "All labels of the mailbox, without counts.",
    answers: answersOf(LabelList),
    async handle(_, { session, mailbox }) {
      const own = await listLabels(session, mailbox);
      return {
        labels: [...SYSTEM_LABELS.map(systemView), ...own.map(userView)],
      };
    },
  }),
  operation("labels.get", "GET", "labels/{id}", {
    summary: "Show a label",
    description: "One label, with the numbers of its messages.",
    path: { id },
    answers: answersOf(Label),
    handle: async ({ path }, call) => ({
      ...(await viewOf(call, path.id)),
      ...(await countMessages(call.session, call.mailbox, path.id)),
    }),
  }),
  operation("labels.create", "POST", "labels", {
    summary: "Create a label",
    description: "Names that differ only in case, spaces, `/` and `-` are the same.",
    body: LabelBody,
    answers: answersOf(Label),
    handle: async ({ body }, call) =>
      createdView(await post(call, ({ session }) => createLabel({ ...call, session }, body))),
  }),
  operation("labels.update", "PUT", "labels/{id}", {
    summary: "Replace a label",
    description: "Fields that are left out get their defaults.",
    path: { id },
    body: LabelBody,
    answers: answersOf(Label),
    handle: ({ path, body }, call) => change(call, path.id, { color: null, ...body }),
  }),
  operation("labels.patch", "PATCH", "labels/{id}", {
    summary: "Change a label",
    description: "Fields that are left out stay as they are.",
    path: { id },
    body: LabelBody,
    answers: answersOf(Label),
    handle: ({ path, body }, call) => change(call, path.id, body),
  }),
  operation("labels.delete", "DELETE", "labels/{id}", {
    summary: "Delete a label",
    description: "Its messages lose it, and filters no longer add or remove it.",
    path: { id },
    answers: NO_CONTENT,
    async handle({ path }, call) {
      await post(call, (posting) => removeLabel(posting, call.mailbox, path.id));
    },
  }),
];
