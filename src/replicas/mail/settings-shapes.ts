/** The shapes of settings. */
import { type TSchema, Type } from "@sinclair/typebox";

const optional = Type.Optional;
const text = (description: string, example: string) =>
  optional(Type.String({ description, examples: [example] }));
const flag = (description: string) => optional(Type.Boolean({ description, examples: [true] }));
const count = (description: string) =>
  optional(Type.Integer({ description, examples: [1], minimum: 0, maximum: 2 ** 31 - 1 }));
const one = (description: string, names: readonly string[]) =>
  optional(
    Type.Union(
      names.map((name) => Type.Literal(name)),
      { description },
    ),
  );
const list = (item: TSchema, description: string) => optional(Type.Array(item, { description }));
const millis = (description: string) =>
  optional(Type.String({ pattern: "^-?\\d{1,18}$", description, examples: ["1767614400000"] }));

const DISPOSITIONS = ["dispositionUnspecified", "leaveInInbox", "archive", "trash", "markRead"];
const VERIFIED = ["verificationStatusUnspecified", "accepted", "pending"];

export const Vacation = Type.Object(
  {
    enableAutoReply: flag("Whether messages get a reply"),
    responseSubject: text("Empty: that of the message", "Away"),
    responseBodyPlainText: text("The reply", "I am back on Monday."),
    responseBodyHtml: text("The reply in HTML", "<p>I am back on Monday.</p>"),
    restrictToContacts: flag("Stored; there are no contacts"),
    restrictToDomain: flag("Only people of the own domain get replies"),
    startTime: millis("In milliseconds since 1970"),
    endTime: millis("In milliseconds since 1970"),
  },
  { title: "MailVacation", description: "The automatic reply" },
);

export const Imap = Type.Object(
  {
    enabled: flag("Stored"),
    autoExpunge: flag("Stored"),
    expungeBehavior: one("Stored", [
      ...["expungeBehaviorUnspecified", "archive", "trash", "deleteForever"],
    ]),
    maxFolderSize: count("Stored"),
  },
  { title: "MailImap", description: "Settings of IMAP, which have no effect" },
);

export const Pop = Type.Object(
  {
    accessWindow: one("Stored", [
      ...["accessWindowUnspecified", "disabled", "fromNowOn", "allMail"],
    ]),
    disposition: one("Stored", DISPOSITIONS),
  },
  { title: "MailPop", description: "Settings of POP, which have no effect" },
);

export const Language = Type.Object(
  { displayLanguage: text("Stored", "en") },
  { title: "MailLanguage", description: "The language, which has no effect" },
);

export const AutoForwarding = Type.Object(
  {
    enabled: flag("Whether messages are forwarded"),
    emailAddress: text("The address to forward to", "john@acme.test"),
    disposition: one("The place of the own copy", DISPOSITIONS),
  },
  { title: "MailAutoForwarding", description: "The forwarding of all messages" },
);

export const SendAs = Type.Object(
  {
    sendAsEmail: text("The address", "agent@acme.test"),
    displayName: text("The name", "Agent Smith"),
    replyToAddress: text("The address for replies", "agent@acme.test"),
    signature: text("In HTML", "<p>Agent</p>"),
    isPrimary: flag("The address of the mailbox"),
    isDefault: flag("That of new messages"),
    treatAsAlias: flag("Stored"),
    smtpMsa: optional(Type.Object({}, { additionalProperties: true, description: "Stored" })),
    verificationStatus: one("Of an address outside the mailbox", VERIFIED),
  },
  { title: "MailSendAs", description: "An address that the user may send as" },
);
export const SendAsList = Type.Object(
  { sendAs: list(SendAs, "The first one is the primary address") },
  { title: "MailSendAsList", description: "Addresses that the user may send as" },
);

const FilterCriteria = Type.Object(
  {
    from: text("The author", "news@"),
    to: text("A recipient", "me"),
    subject: text("Words of the subject", "invoice"),
    query: text("A search", "has:attachment"),
    negatedQuery: text("A search that must not match", "is:starred"),
    hasAttachment: flag("It has an attachment"),
    excludeChats: flag("Ignored: there are none"),
    size: count("In bytes"),
    sizeComparison: one("How the size compares", ["unspecified", "smaller", "larger"]),
  },
  { description: "Conditions for a message" },
);
const FilterAction = Type.Object(
  {
    addLabelIds: list(Type.String(), "Labels to add"),
    removeLabelIds: list(Type.String(), "Labels to remove"),
    forward: text("The address to forward to", "john@acme.test"),
  },
  { description: "Actions on a message that meets the conditions" },
);
export const Filter = Type.Object(
  {
    id: text("For further calls", "ANe1BmQ"),
    criteria: optional(FilterCriteria),
    action: optional(FilterAction),
  },
  { title: "MailFilter", description: "A rule for messages that arrive" },
);
export const FilterList = Type.Object(
  { filter: list(Filter, "All of them") },
  { title: "MailFilterList", description: "The filters of a mailbox" },
);

export const ForwardingAddress = Type.Object(
  {
    forwardingEmail: text("The address", "john@acme.test"),
    verificationStatus: one("Whether it may be used", VERIFIED),
  },
  { title: "MailForwardingAddress", description: "An address that messages may be forwarded to" },
);
export const ForwardingAddressList = Type.Object(
  { forwardingAddresses: list(ForwardingAddress, "All of them") },
  {
    title: "MailForwardingAddressList",
    description: "Addresses that messages may be forwarded to",
  },
);

/** Bodies of calls that people may not make, whatever they contain. */
export const AnyBody = Type.Object({}, { additionalProperties: true });
export const Nothing = Type.Object(
  {},
  { title: "MailNothing", description: "Never: the call is rejected" },
);
