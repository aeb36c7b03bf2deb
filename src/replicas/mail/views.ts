/** The shapes of answers, and of bodies. */
import { type TProperties, type TSchema, Type } from "@sinclair/typebox";

const optional = Type.Optional;
const text = (description: string, example: string) =>
  Type.String({ description, examples: [example] });
const count = (description: string) => Type.Integer({ description, examples: [1] });
const list = <Item extends TSchema>(item: Item, description: string) =>
  Type.Array(item, { description });

const ID = "19b8d5a9c00003e9";
const id = text("For further calls", ID);
const threadId = text("The thread", ID);
const historyId = text("The last change", "1001");
const labelIds = list(text("A label", "INBOX"), "The labels");

const Header = Type.Object(
  { name: text("As in the message", "Subject"), value: text("Decoded", "Hello") },
  { description: "A header" },
);
const PartBody = Type.Object(
  {
    attachmentId: optional(text("Of a part with a file name", "ANGjdJ")),
    size: count("In bytes"),
    data: optional(text("The content in base64url", "aGVsbG8=")),
  },
  { description: "The content, or the id to get it by" },
);
/** A part of a message, which contains further ones. */
const Payload = Type.Recursive(
  (part) =>
    Type.Object({
      partId: text("Empty for the whole message", "0"),
      mimeType: text("The type", "text/plain"),
      filename: text("Empty without one", "report.pdf"),
      headers: list(Header, "In the order of the message"),
      body: PartBody,
      parts: optional(list(part, "Its parts")),
    }),
  { $id: "MailMessagePart", description: "A part of a message" },
);

export const Message = Type.Object(
  {
    id,
    threadId: optional(threadId),
    labelIds: optional(labelIds),
    snippet: optional(text("The beginning of the text", "Hello")),
    historyId: optional(historyId),
    internalDate: optional(text("In milliseconds since 1970", "1767614400000")),
    payload: optional(Payload),
    sizeEstimate: optional(count("In bytes")),
    raw: optional(text("The whole message in base64url, of the format raw", "RnJvbTog")),
    classificationLabelValues: optional(
      list(
        Type.Object(
          {
            labelId: text("The label", "x"),
            fields: list(
              Type.Object(
                { fieldId: text("The field", "x"), selection: text("Its value", "x") },
                { description: "A field of the label" },
              ),
              "Its fields",
            ),
          },
          { description: "A label of an organization" },
        ),
        "Never set here",
      ),
    ),
  },
  {
    title: "MailMessage",
    description: "A message in one mailbox; in lists, and after an import, its ids only",
  },
);

const nextPageToken = optional(text("`pageToken` of the next page", "1853410000000000000"));
const resultSizeEstimate = count("The number of results, at most 201");

export const MessageList = Type.Object(
  { messages: optional(list(Message, "Newest first")), nextPageToken, resultSizeEstimate },
  { title: "MailMessageList", description: "A page of messages" },
);

export const Thread = Type.Object(
  {
    id,
    snippet: optional(text("Of the last message", "Hello")),
    historyId: optional(historyId),
    messages: optional(list(Message, "Oldest first")),
  },
  {
    title: "MailThread",
    description: "The messages of a conversation, which a list does not have",
  },
);

export const ThreadList = Type.Object(
  {
    threads: optional(list(Thread, "Those with the newest messages first")),
    nextPageToken,
    resultSizeEstimate,
  },
  { title: "MailThreadList", description: "A page of threads" },
);

const Color = Type.Object(
  {
    textColor: optional(text("Of the palette", "#000000")),
    backgroundColor: optional(text("Of the palette", "#16a766")),
  },
  { description: "Both colours" },
);

const LABEL = {
  name: optional(text("Unique in the mailbox", "Receipts")),
  messageListVisibility: optional(text("`show` or `hide`", "show")),
  labelListVisibility: optional(text("labelShow, labelShowIfUnread or labelHide", "labelShow")),
  color: optional(Color),
};
const COUNTS = {
  messagesTotal: optional(count("Messages with the label")),
  messagesUnread: optional(count("Unread ones")),
  threadsTotal: optional(count("Threads with the label")),
  threadsUnread: optional(count("Unread ones")),
};
const type = optional(text("`system` or `user`", "user"));

export const Label = Type.Object(
  { id: text("For further calls", "Label_1"), ...LABEL, type, ...COUNTS },
  { title: "MailLabel", description: "A label of a mailbox" },
);
/** Fields that the service sets are accepted and ignored: clients send back what they read. */
export const LabelBody = Type.Object({
  id: optional(text("As in the path", "Label_1")),
  ...{ ...LABEL, type, ...COUNTS },
});
export const LabelList = Type.Object(
  { labels: list(Label, "Those of the system first") },
  { title: "MailLabelList", description: "All labels, without counts" },
);

export const Profile = Type.Object(
  {
    emailAddress: text("The address", "agent@acme.test"),
    messagesTotal: count("Messages in the mailbox"),
    threadsTotal: count("Threads in the mailbox"),
    historyId,
  },
  { title: "MailProfile", description: "A mailbox" },
);

export const AttachmentBody = Type.Object(
  {
    size: count("In bytes"),
    data: optional(text("The content in base64url", "aGVsbG8=")),
    attachmentId: optional(text("As in the path", "ANGjdJ")),
  },
  { title: "MailAttachmentBody", description: "The content of an attachment" },
);

const labelChange = {
  addLabelIds: optional(list(text("A label", "STARRED"), "Labels to add, at most 100")),
  removeLabelIds: optional(list(text("A label", "UNREAD"), "Labels to remove, at most 100")),
};
export const LabelChangeBody = Type.Object(labelChange);
const ids = Type.Array(text("A message", ID), {
  description: "At most 1,000 messages",
});
const messageChange = {
  ...labelChange,
  addClassificationLabels: optional(
    list(Type.Object({}, { additionalProperties: true, description: "A label" }), "Ignored"),
  ),
  removeClassificationLabelIds: optional(list(text("A label", "x"), "Ignored")),
};
export const MessageChangeBody = Type.Object(messageChange);
export const BatchModifyBody = Type.Object({ ids, ...messageChange });
export const BatchDeleteBody = Type.Object({ ids });

const MESSAGE_BODY = {
  raw: optional(text("The whole message in base64url", "RnJvbTog")),
  threadId: optional(text("The thread to join", ID)),
  labelIds: optional(labelIds),
};
const ignored = optional(Type.Unknown({ description: "Ignored: the service sets it" }));
/** Fields that the service sets are accepted and ignored: clients send back what they read. */
export const MessageBody = Type.Object({
  ...MESSAGE_BODY,
  ...{ id: ignored, snippet: ignored, historyId: ignored, internalDate: ignored },
  ...{ payload: ignored, sizeEstimate: ignored, classificationLabelValues: ignored },
});

export const Draft = Type.Object(
  {
    id: text("For further calls", "r-7276130"),
    message: Message,
  },
  { title: "MailDraft", description: "A message that is not sent yet" },
);
export const DraftBody = Type.Object({
  id: optional(text("The draft", "r-7276130")),
  message: optional(Type.Object(MessageBody.properties, { description: "The message" })),
});
export const DraftList = Type.Object(
  {
    drafts: optional(
      list(
        Type.Object(
          { id: text("For further calls", "r-7276130"), message: Message },
          { description: "A draft by its id" },
        ),
        "Newest first",
      ),
    ),
    nextPageToken,
    resultSizeEstimate,
  },
  { title: "MailDraftList", description: "A page of drafts" },
);

const changed = (description: string, fields: TProperties = {}) =>
  optional(
    list(Type.Object({ message: Message, ...fields }, { description: "One change" }), description),
  );
export const HistoryList = Type.Object(
  {
    history: optional(
      list(
        Type.Object(
          {
            id: text("The number of the record", "1001"),
            messages: optional(list(Message, "All messages of the record")),
            messagesAdded: changed("Messages that were added"),
            messagesDeleted: changed("Messages that were deleted"),
            labelsAdded: changed("Labels that were added", { labelIds: optional(labelIds) }),
            labelsRemoved: changed("Labels that were removed", { labelIds: optional(labelIds) }),
          },
          { description: "A record" },
        ),
        "In the order of the changes",
      ),
    ),
    nextPageToken: optional(text("`pageToken` of the next page", "1001")),
    historyId,
  },
  { title: "MailHistoryList", description: "A page of the history" },
);

export const WatchBody = Type.Object({
  topicName: optional(text("Of Cloud Pub/Sub", "projects/acme/topics/mail")),
  labelIds: optional(labelIds),
  labelFilterBehavior: optional(text("`include` or `exclude`", "include")),
  labelFilterAction: optional(text("`include` or `exclude`", "include")),
});
export const WatchAnswer = Type.Object(
  { historyId, expiration: text("In milliseconds since 1970", "1768219200000") },
  { title: "MailWatch", description: "A watch of the mailbox" },
);
