import { type TObject, Type } from "@sinclair/typebox";
import { post, requireMailbox } from "~/replicas/mail/calls";
import { invalid, notFound } from "~/replicas/mail/errors";
import { answersOf, type MailCall, operation } from "~/replicas/mail/operation";
import { addressesOf, type SendAs } from "~/replicas/mail/send-as";
import {
  AutoForwarding,
  ForwardingAddress,
  ForwardingAddressList,
  Imap,
  Language,
  Pop,
  SendAsList,
  SendAs as SendAsShape,
  Vacation,
} from "~/replicas/mail/settings-shapes";
import {
  lockMailbox,
  type MailboxRow,
  type SettingName,
  updateSetting,
} from "~/replicas/mail/store/mailboxes";

/** The settings of a mailbox until they are changed. */
const DEFAULTS: Readonly<Record<string, object>> = {
  vacation: {},
  imap: { enabled: true, autoExpunge: true, expungeBehavior: "archive" },
  pop: { accessWindow: "disabled", disposition: "leaveInInbox" },
  language: { displayLanguage: "en" },
  autoForwarding: { disposition: "leaveInInbox" },
};

const settingOf = (row: MailboxRow, name: SettingName): object =>
  (row[name] as object | null) ?? DEFAULTS[name] ?? {};

/** The service leaves out what is false or empty. */
export const filled = (value: object): object =>
  Object.fromEntries(Object.entries(value).filter(([, item]) => !isEmpty(item)));

const showing = (name: SettingName, title: string, method: string, shape: TObject) =>
  operation(`settings.get${method}`, "GET", `settings/${name}`, {
    summary: `Show the settings of ${title}`,
    description: "Those of the own mailbox.",
    answers: answersOf(shape),
    handle: async (_, call) => filled(settingOf(await requireMailbox(call), name)),
  });

const replacing = (name: SettingName, title: string, method: string, shape: TObject) =>
  operation(`settings.update${method}`, "PUT", `settings/${name}`, {
    summary: `Replace the settings of ${title}`,
    description: "Those of the own mailbox.",
    body: Type.Object(shape.properties),
    answers: answersOf(shape),
    async handle({ body }, { session, mailbox }) {
      if (name === "vacation") requireVacation(body);
      await updateSetting(session, mailbox, name, body);
      return filled(body);
    },
  });

function requireVacation(body: {
  readonly enableAutoReply?: boolean;
  readonly responseSubject?: string;
  readonly responseBodyPlainText?: string;
  readonly responseBodyHtml?: string;
  readonly startTime?: string;
  readonly endTime?: string;
}): void {
  const { responseSubject, responseBodyPlainText, responseBodyHtml, startTime, endTime } = body;
  if (body.enableAutoReply && !responseSubject && !responseBodyPlainText && !responseBodyHtml)
    throw invalid("A non-empty response subject or body is required");
  if (startTime !== undefined && endTime !== undefined && Number(startTime) > Number(endTime))
    throw invalid("startTime must precede endTime");
}

const isEmpty = (item: unknown) =>
  item === false || item === "" || item === null || (Array.isArray(item) && item.length === 0);

const sendAsEmail = Type.String({ description: "The address", examples: ["agent@acme.test"] });

/** Texts of an address that has none. */
const NO_TEXTS = { displayName: "", replyToAddress: "", signature: "" };

const withTexts = (view: SendAs) => ({ ...NO_TEXTS, ...view });

async function requireAddress(call: MailCall, address: string) {
  const all = addressesOf(await requireMailbox(call));
  const found = all.find((each) => each.sendAsEmail === address.toLowerCase());
  if (!found) throw notFound();
  return { all, found };
}

const CHANGEABLE = ["displayName", "replyToAddress", "signature", "isDefault", "treatAsAlias"];

async function changeSendAs(call: MailCall, address: string, fields: object) {
  const given = Object.fromEntries(
    Object.entries(fields).filter(([name]) => CHANGEABLE.includes(name)),
  );
  return await post(call, async ({ session }) => {
    const { mailbox } = call;
    await lockMailbox(session, mailbox);
    const { all, found } = await requireAddress({ session, mailbox }, address);
    const isDefault = found.isDefault || given["isDefault"] === true;
    const changed: SendAs = { ...found, ...given, isDefault };
    const others = isDefault ? all.map((each) => ({ ...each, isDefault: false })) : all;
    const stored = others.map((each) =>
      each.sendAsEmail === changed.sendAsEmail ? changed : each,
    );
    await updateSetting(session, mailbox, "sendAs", stored);
    return withTexts(changed);
  });
}

const forwardingEmail = Type.String({ description: "The address", examples: ["john@acme.test"] });

type Forwarding = { readonly forwardingEmail: string };

export const forwardingOf = ({ forwardingAddresses }: MailboxRow): readonly Forwarding[] =>
  (forwardingAddresses as readonly Forwarding[] | null) ?? [];

export const settings = [
  showing("vacation", "the automatic reply", "Vacation", Vacation),
  replacing("vacation", "the automatic reply", "Vacation", Vacation),
  showing("imap", "IMAP", "Imap", Imap),
  replacing("imap", "IMAP", "Imap", Imap),
  showing("pop", "POP", "Pop", Pop),
  replacing("pop", "POP", "Pop", Pop),
  showing("language", "the language", "Language", Language),
  replacing("language", "the language", "Language", Language),
  showing("autoForwarding", "forwarding", "AutoForwarding", AutoForwarding),
  operation("settings.sendAs.list", "GET", "settings/sendAs", {
    summary: "List addresses to send as",
    description: "The primary one is always there.",
    answers: answersOf(SendAsList),
    handle: async (_, call) => ({
      sendAs: addressesOf(await requireMailbox(call)).map(withTexts),
    }),
  }),
  operation("settings.sendAs.get", "GET", "settings/sendAs/{sendAsEmail}", {
    summary: "Show an address to send as",
    description: "One of the own addresses.",
    path: { sendAsEmail },
    answers: answersOf(SendAsShape),
    handle: async ({ path }, call) =>
      withTexts((await requireAddress(call, path.sendAsEmail)).found),
  }),
  operation("settings.sendAs.update", "PUT", "settings/sendAs/{sendAsEmail}", {
    summary: "Replace an address to send as",
    description: "Its name, signature and address for replies.",
    path: { sendAsEmail },
    body: Type.Object(SendAsShape.properties),
    answers: answersOf(SendAsShape),
    handle: ({ path, body }, call) =>
      changeSendAs(call, path.sendAsEmail, { ...NO_TEXTS, ...body }),
  }),
  operation("settings.sendAs.patch", "PATCH", "settings/sendAs/{sendAsEmail}", {
    summary: "Change an address to send as",
    description: "Fields that are left out stay as they are.",
    path: { sendAsEmail },
    body: Type.Object(SendAsShape.properties),
    answers: answersOf(SendAsShape),
    handle: ({ path, body }, call) => changeSendAs(call, path.sendAsEmail, body),
  }),
  operation("settings.forwardingAddresses.list", "GET", "settings/forwardingAddresses", {
    summary: "List forwarding addresses",
    description: "Addresses that filters may forward to.",
    answers: answersOf(ForwardingAddressList),
    async handle(_, call) {
      const all = forwardingOf(await requireMailbox(call));
      return all.length > 0 ? { forwardingAddresses: all } : {};
    },
  }),
  operation(
    "settings.forwardingAddresses.get",
    "GET",
    "settings/forwardingAddresses/{forwardingEmail}",
    {
      summary: "Show a forwarding address",
      description: "One of those of the mailbox.",
      path: { forwardingEmail },
      answers: answersOf(ForwardingAddress),
      async handle({ path }, call) {
        const all = forwardingOf(await requireMailbox(call));
        const found = all.find((each) => each.forwardingEmail === path.forwardingEmail);
        if (!found) throw notFound();
        return found;
      },
    },
  ),
];
