import { Type } from "@sinclair/typebox";
import { invalid, notFound } from "~/replicas/mail/errors";
import { answersOf, operation } from "~/replicas/mail/operation";
import { PAGES } from "~/replicas/mail/search/arguments";
import { PAGE_DEFAULT, PAGE_MAX } from "~/replicas/mail/search/search";
import {
  type ChangeType,
  currentHistoryId,
  type HistoryRow,
  listHistory,
} from "~/replicas/mail/store/history";
import { findMailbox } from "~/replicas/mail/store/mailboxes";
import { HistoryList } from "~/replicas/mail/views";

const TYPES = ["messageAdded", "messageDeleted", "labelAdded", "labelRemoved"] as const;

/** The field of a record that lists changes of a type. */
const FIELDS: Readonly<Record<ChangeType, string>> = {
  messageAdded: "messagesAdded",
  messageDeleted: "messagesDeleted",
  labelAdded: "labelsAdded",
  labelRemoved: "labelsRemoved",
};

const isType = (text: string): text is ChangeType => Object.hasOwn(FIELDS, text);

const hasLabels = (type: string) => type === "labelAdded" || type === "labelRemoved";

function recordView(record: HistoryRow, types: readonly ChangeType[]) {
  const { id, type, messageId, threadId, labelIds, messageLabelIds } = record;
  const ref = { id: messageId, threadId };
  const message = { ...ref, ...(messageLabelIds.length > 0 && { labelIds: messageLabelIds }) };
  return {
    ...{ id, messages: [ref] },
    ...(isType(type) &&
      types.includes(type) && {
        [FIELDS[type]]: [{ message, ...(hasLabels(type) && { labelIds }) }],
      }),
  };
}

const NUMBER = /^\d{1,18}$/;

export const history = [
  operation("history.list", "GET", "history", {
    summary: "List changes of the mailbox",
    description: "Those after a change, in their order.",
    query: {
      ...PAGES,
      startHistoryId: Type.Optional(
        Type.String({ description: "`historyId` of an earlier answer", examples: ["1001"] }),
      ),
      historyTypes: Type.Optional(
        Type.Array(
          Type.Union(
            TYPES.map((type) => Type.Literal(type)),
            { description: "A type of change" },
          ),
          { description: "Types of changes to return; none: all" },
        ),
      ),
      labelId: Type.Optional(Type.String({ description: "Changes of messages with this label" })),
    },
    answers: answersOf(HistoryList),
    async handle({ query }, { session, mailbox }) {
      const { startHistoryId, pageToken = "", historyTypes: types = TYPES, labelId } = query;
      if (startHistoryId === undefined) throw invalid("Missing required parameter: startHistoryId");
      if (!NUMBER.test(startHistoryId)) throw invalid("Invalid startHistoryId");
      if (pageToken !== "" && !NUMBER.test(pageToken)) throw invalid("Invalid pageToken");
      const current = await currentHistoryId(session, mailbox);
      const first = (await findMailbox(session, mailbox))?.historyId ?? "0";
      const start = Number(startHistoryId);
      if (start < Number(first) || start > Number(current)) throw notFound();
      const size = Math.min(query.maxResults || PAGE_DEFAULT, PAGE_MAX);
      const after = pageToken === "" ? startHistoryId : pageToken;
      const records = await listHistory(session, mailbox, { after, labelId, limit: size });
      const last = records.length === size ? records.at(-1) : undefined;
      return {
        ...(records.length > 0 && { history: records.map((each) => recordView(each, types)) }),
        ...(last && { nextPageToken: last.id }),
        historyId: current,
      };
    },
  }),
];
