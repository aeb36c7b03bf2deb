/** A second implementation of mailboxes: small, slow, and only from the documentation. */

export type Message = {
  /** Empty until the rows are read. */
  id: string;
  mailbox: string;
  subject: string;
  /** The mail that the message is a copy of. */
  mail: number;
  labels: string[];
  /** A message of the thread; the message itself if it began one. */
  thread: Message;
  draft?: string;
};
type Filter = { id: string; mailbox: string; subject: string; add: string[]; remove: string[] };

/** The next mail, of which `answers` is the message that it replies to. */
export type Mail = {
  subject: string;
  to: string[];
  answers?: Message | undefined;
  /** The call names the thread of `answers`. */
  inThread: boolean;
};

type Outcome = number;
const NOT_FOUND = 404;
const WRONG = 400;
const DONE = 200;
const DAEMON = "Delivery Status Notification (Failure)";

const EXCLUDED: Record<string, string[]> = {
  TRASH: ["INBOX", "SPAM"],
  SPAM: ["INBOX", "TRASH"],
  INBOX: ["TRASH", "SPAM"],
};

export const baseOf = (subject: string) => subject.replace(/^(Re: )+/, "");

export class MailModel {
  messages: Message[] = [];
  labels: { id: string; mailbox: string; name: string }[] = [];
  filters: Filter[] = [];
  /** Of those that `store` has added since the last call. */
  added: Message[] = [];
  private readonly people: readonly string[];
  private readonly groups: Readonly<Record<string, readonly string[]>>;
  private mails = 0;

  constructor(people: readonly string[], groups: Readonly<Record<string, readonly string[]>>) {
    this.people = people;
    this.groups = groups;
  }

  of(mailbox: string): Message[] {
    return this.messages.filter((each) => each.mailbox === mailbox);
  }

  private store(message: Omit<Message, "thread" | "id">, thread: Message | undefined): Message {
    const stored = { ...message, id: "" } as Message;
    stored.thread = thread ?? stored;
    this.messages.push(stored);
    this.added.push(stored);
    return stored;
  }

  /** The thread that the call names, or else that of the mail which this one answers. */
  private threadOf(mailbox: string, mail: Mail): Message | undefined {
    const { answers, inThread, subject } = mail;
    if (!answers) return undefined;
    const copies = this.of(mailbox).filter((each) => each.mail === answers.mail);
    if (inThread && answers.mailbox === mailbox) {
      const alike = this.of(mailbox).some(
        (each) => each.thread === answers.thread && baseOf(each.subject) === baseOf(subject),
      );
      return alike ? answers.thread : undefined;
    }
    const found = copies.find(
      (each) => !each.labels.includes("SPAM") && baseOf(each.subject) === baseOf(subject),
    );
    return found?.thread;
  }

  send(sender: string, mail: Mail, fixed?: Message): Outcome {
    const { subject, to } = mail;
    if (to.length === 0) return WRONG;
    const number = ++this.mails;
    const addressed = new Set(to.flatMap((address) => this.groups[address] ?? [address]));
    const bouncing = [...addressed].filter(
      (address) => address.endsWith("@acme.test") && !this.people.includes(address),
    );
    const own = addressed.has(sender) ? ["SENT", "INBOX", "UNREAD"] : ["SENT"];
    const sent = this.store(
      { mailbox: sender, subject, mail: number, labels: own },
      fixed ?? this.threadOf(sender, mail),
    );
    for (const mailbox of this.people) {
      if (mailbox === sender || !addressed.has(mailbox)) continue;
      let labels = ["UNREAD", "INBOX", "CATEGORY_PERSONAL"];
      for (const filter of this.filters)
        if (filter.mailbox === mailbox && subject.endsWith(filter.subject))
          labels = changed(labels, filter.add, filter.remove);
      const thread = this.threadOf(mailbox, { ...mail, inThread: false });
      this.store({ mailbox, subject, mail: number, labels }, thread);
    }
    for (const _ of bouncing)
      this.store(
        {
          ...{ mailbox: sender, subject: DAEMON, mail: ++this.mails },
          labels: ["UNREAD", "INBOX", "CATEGORY_PERSONAL"],
        },
        sent.thread,
      );
    return DONE;
  }

  /** Of one message, or of all of a thread. */
  relabel(targets: readonly Message[], add: readonly string[], remove: readonly string[]): Outcome {
    const [first] = targets;
    if (!first) return NOT_FOUND;
    for (const message of targets) message.labels = changed(message.labels, add, remove);
    return DONE;
  }

  remove(targets: readonly Message[]): Outcome {
    if (targets.length === 0) return NOT_FOUND;
    this.messages = this.messages.filter((each) => !targets.includes(each));
    return DONE;
  }

  inThread(message: Message): Message[] {
    return this.of(message.mailbox).filter(({ thread }) => thread === message.thread);
  }

  saveDraft(mailbox: string, mail: Mail): Message {
    return this.store(
      { mailbox, subject: mail.subject, mail: ++this.mails, labels: ["DRAFT"] },
      this.threadOf(mailbox, mail),
    );
  }

  /** Every version is another message, which leaves a thread that it was alone in. */
  updateDraft(former: Message, subject: string): Message {
    const isShared = this.inThread(former).length > 1;
    this.remove([former]);
    const { mailbox } = former;
    return this.store(
      { mailbox, subject, mail: ++this.mails, labels: ["DRAFT"] },
      isShared ? former.thread : undefined,
    );
  }

  sendDraft(draft: Message, to: string[]): Outcome {
    if (to.length === 0) return WRONG;
    this.remove([draft]);
    const mail = { subject: draft.subject, to, inThread: false };
    return this.send(draft.mailbox, mail, draft.thread);
  }

  createLabel(mailbox: string, name: string): Outcome {
    const key = (text: string) => text.toLowerCase().replace(/[ /-]/g, "-");
    const own = this.labels.filter((label) => label.mailbox === mailbox);
    return own.some((label) => key(label.name) === key(name)) ? 409 : DONE;
  }

  deleteLabel(mailbox: string, id: string): Outcome {
    const isOwn = (label: { id: string; mailbox: string }) =>
      label.mailbox === mailbox && label.id === id;
    if (!this.labels.some(isOwn)) return NOT_FOUND;
    this.labels = this.labels.filter((label) => !isOwn(label));
    const without = (labels: string[]) => labels.filter((label) => label !== id);
    this.filters = this.filters
      .map((filter) =>
        filter.mailbox === mailbox
          ? { ...filter, add: without(filter.add), remove: without(filter.remove) }
          : filter,
      )
      .filter(({ add, remove }) => add.length + remove.length > 0);
    this.relabel(this.of(mailbox), [], [id]);
    return DONE;
  }
}

function changed(labels: string[], add: readonly string[], remove: readonly string[]): string[] {
  let after = labels.filter((label) => !remove.includes(label));
  for (const label of add) {
    after = after.filter((each) => each !== label && !EXCLUDED[label]?.includes(each));
    after.push(label);
  }
  return after;
}
