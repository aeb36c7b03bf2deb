/** Seeds of the mail service. Their messages are sent and delivered as calls send and deliver them. */
import type { Tx } from "~/db/connect";
import { sessionWithin, type Tables } from "~/db/session";
import { insertRows } from "~/replicas/kit/seed";
import { requireShape, SeedError, SeedMistakes } from "~/replicas/kit/seed-mistakes";
import { MailError } from "~/replicas/mail/errors";
import { filterIdOf } from "~/replicas/mail/ids";
import { isSystemLabel } from "~/replicas/mail/labels";
import { canonicalAddress } from "~/replicas/mail/mime/addresses";
import type { MailSession, TableName } from "~/replicas/mail/operation";
import { createPost } from "~/replicas/mail/seed-messages";
import { MailSeed, type SeedNames, type SeedUser as User } from "~/replicas/mail/seed-shape";
import { countingFrom } from "~/replicas/mail/store/history";
import { MICROS, type Source, seededBytes } from "~/source";

/** The history id of a mailbox without records. */
const HISTORY_START = 1_000;

export async function seedMail(
  tx: Tx,
  t: Tables<TableName>,
  seed: unknown,
): Promise<readonly string[]> {
  requireShape(MailSeed, seed);
  const {
    users,
    groups = [],
    bouncing = [],
    filters = [],
    messages = [],
    ...rest
  } = seed as MailSeed;
  const names = namesOf(users);
  const addressOf = (name: string, path: string) => {
    const found = names.get(name.toLowerCase());
    if (found === undefined) throw new SeedError(path, `no user ${name}`);
    return found;
  };
  const mistakes = new SeedMistakes();
  const labelIds = new Map<string, string>();
  const labels: object[] = [];
  const counts = new Map<string, number>();
  mistakes.each(rest.labels ?? [], ({ user, name, color }, place) => {
    const mailbox = addressOf(user, `labels[${place}].user`);
    const number = (counts.get(mailbox) ?? 0) + 1;
    counts.set(mailbox, number);
    labelIds.set(`${mailbox} ${name}`, `Label_${number}`);
    labels.push({
      ...{ mailbox, id: `Label_${number}`, name, color },
      ...{ messageListVisibility: "show", labelListVisibility: "labelShow" },
    });
  });
  const labelOf = (mailbox: string, name: string, path: string) => {
    const found = isSystemLabel(name) ? name : labelIds.get(`${mailbox} ${name}`);
    if (found === undefined) throw new SeedError(path, `${mailbox} has no label ${name}`);
    return found;
  };
  const rules: object[] = [];
  mistakes.each(filters, ({ user, criteria, addLabels, removeLabels, forward }, place) => {
    const path = `filters[${place}]`;
    const mailbox = addressOf(user, `${path}.user`);
    const ids = (list: readonly string[]) => list.map((name) => labelOf(mailbox, name, path));
    rules.push({
      ...{ mailbox, id: filterIdOf(place + 1), criteria },
      action: {
        ...(addLabels && { addLabelIds: ids(addLabels) }),
        ...(removeLabels && { removeLabelIds: ids(removeLabels) }),
        ...(forward !== undefined && { forward }),
      },
    });
  });
  const members: object[] = [];
  mistakes.each(groups, ({ name, email, members: list }, place) => {
    members.push({
      ...entry(email, name, "group"),
      members: list.map((one) =>
        one.includes("@") ? canonicalAddress(one) : addressOf(one, `groups[${place}].members`),
      ),
    });
  });
  mistakes.end();
  await insertRows(tx, t, "mailboxes", [
    ...users.map((user) => ({
      ...entry(user.email, user.name, "person"),
      labelSequence: counts.get(canonicalAddress(user.email)) ?? 0,
      sendAs: [primaryAddress(user)],
      vacation: user.vacation,
      forwardingAddresses: user.forwardingAddresses?.map((forwardingEmail) => ({
        ...{ forwardingEmail, verificationStatus: "accepted" },
      })),
    })),
    ...members,
    ...bouncing.map((email) => entry(email, "", "bounces")),
  ]);
  await insertRows(tx, t, "labels", labels);
  await insertRows(tx, t, "filters", rules);
  await sendAll(tx, t, messages, { addressOf, labelOf, users });
  return [];
}

const entry = (email: string, name: string, type: string) => ({
  ...{ emailAddress: canonicalAddress(email), name, type, members: [] as string[] },
  ...{ historyId: HISTORY_START, labelSequence: 0 },
});

const primaryAddress = ({ email, name, signature = "" }: User) => ({
  ...{ sendAsEmail: canonicalAddress(email), displayName: name, replyToAddress: "", signature },
  ...{ isPrimary: true, isDefault: true },
});

/** Addresses by the full address and by the part before the @. Throws for a duplicate. */
function namesOf(users: readonly User[]): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  for (const [place, { email }] of users.entries()) {
    const address = canonicalAddress(email);
    if (names.has(address)) throw new SeedError(`users[${place}].email`, `${email} is there twice`);
    names.set(address, address);
    names.set(email.toLowerCase(), address);
    const local = address.slice(0, address.indexOf("@"));
    if (!names.has(local)) names.set(local, address);
  }
  return names;
}

/** In the order of their times. */
async function sendAll(
  tx: Tx,
  t: Tables<TableName>,
  messages: NonNullable<MailSeed["messages"]>,
  names: SeedNames,
): Promise<void> {
  const numbering = countingFrom(HISTORY_START, tx);
  const post = createPost(names);
  const inOrder = [...messages.entries()].toSorted(
    ([, a], [, b]) => Date.parse(a.at) - Date.parse(b.at),
  );
  for (const [place, message] of inOrder) {
    const source: Source = {
      micros: Date.parse(message.at) * MICROS,
      bytes: seededBytes(`mail ${message.at}`, place),
    };
    // Nothing in a seed takes a number from the sequence of the schema, whose name is not known here.
    const session = sessionWithin(tx, "", t, source) as MailSession;
    const path = `messages[${place}]`;
    try {
      await post({ session, ...numbering }, message, path);
    } catch (error) {
      if (error instanceof MailError) throw new SeedError(path, error.message);
      throw error;
    }
  }
}
