/** How the messages of mailboxes differ from the template. */
import type { RunEvent } from "~/clients/typescript/schema";
import { ask } from "~/console/api";
import type { Cause, Mark, Marks } from "~/console/marks";
import type { MailMessage, Thread } from "~/console/services/mail/data";
import { readOwnRows, type ServiceEnvironment } from "~/console/services/member";

/** The labels of the template's messages, by mailbox and id. */
type Baseline = ReadonlyMap<string, string>;
export type MailMarks = Marks<Baseline>;

const keyOf = (mailbox: unknown, id: unknown) => `${mailbox} ${id}`;
const sortedText = (labels: readonly unknown[]) => labels.toSorted().join(" ");

/** The message that a change belongs to. */
export const subjectsOf = ({ table, key }: RunEvent): string[] =>
  table === "messages" ? [keyOf(key["mailbox"], key["id"])] : [];

/** The template's messages; undefined if it does not exist any more. */
export async function readBaseline(environment: ServiceEnvironment): Promise<Baseline | undefined> {
  const rows = await readOwnRows(ask, environment, ["messages"]).catch(() => undefined);
  return (
    rows &&
    new Map(
      (rows["messages"] ?? []).map(({ mailbox, id, labelIds }) => [
        keyOf(mailbox, id),
        sortedText(labelIds as readonly unknown[]),
      ]),
    )
  );
}

type Change = { readonly mark: Mark; readonly cause: Cause | undefined };

/** The change of a message since the template, and the call that made it. */
export function changeOf(
  { id, labelIds = [] }: MailMessage,
  mailbox: string,
  { baseline, causes }: MailMarks,
): Change {
  const key = keyOf(mailbox, id);
  const cause = causes.get(key);
  if (!baseline) return { mark: undefined, cause };
  const known = baseline.get(key);
  if (known === undefined) return { mark: "new", cause };
  return { mark: known === sortedText(labelIds) ? undefined : "changed", cause };
}

/** The last change of a thread's messages. */
export const threadChangeOf = ({ messages }: Thread, mailbox: string, marks: MailMarks): Change =>
  messages.map((message) => changeOf(message, mailbox, marks)).findLast(({ mark }) => mark) ?? {
    mark: undefined,
    cause: undefined,
  };
