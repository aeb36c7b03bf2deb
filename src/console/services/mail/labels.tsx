/** Labels of mailboxes, in the order and with the names that a mailbox shows. */
import type { Label } from "~/console/services/mail/data";

/** The lists of every mailbox; an empty id is all mail. */
export const LISTS: readonly (readonly [id: string, name: string])[] = [
  ["INBOX", "Inbox"],
  ["STARRED", "Starred"],
  ["SENT", "Sent"],
  ["DRAFT", "Drafts"],
  ["ALL", "All mail"],
  ["SPAM", "Spam"],
  ["TRASH", "Trash"],
];

const SHOWN = new Map([...LISTS, ["IMPORTANT", "Important"] as const]);
const HIDDEN = new Set(["UNREAD", "SENT", "CHAT", "CATEGORY_PERSONAL"]);

/** The name of a label as its mailbox shows it. Undefined for one that is shown otherwise. */
export function labelName(id: string, labels: ReadonlyMap<string, string>): string | undefined {
  if (HIDDEN.has(id)) return undefined;
  const category = /^CATEGORY_(.)(.*)$/.exec(id);
  if (category) return `${category[1]}${category[2]?.toLowerCase()}`;
  return SHOWN.get(id) ?? labels.get(id) ?? id;
}

/** Labels of messages as chips, without `except`. */
export function LabelChips({
  ids,
  labels,
  except = "",
}: {
  ids: readonly string[];
  labels: readonly Label[];
  except?: string;
}) {
  const names = new Map(labels.map(({ id, name }) => [id, name]));
  return (
    <>
      {ids
        .filter((id) => id !== except)
        .map((id) => [id, labelName(id, names)] as const)
        .map(([id, name]) => {
          const color = labels.find((label) => label.id === id)?.color?.backgroundColor;
          return (
            name && (
              <span key={id} class="chip">
                {color && <span class="dot" style={{ "--own": color }} />}
                <bdi>{name}</bdi>
              </span>
            )
          );
        })}
    </>
  );
}
