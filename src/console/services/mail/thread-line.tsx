/** A thread as a line of a list. */
import { dayOf, Minute, type WorldClock } from "~/console/parts/clock";
import { Icon } from "~/console/parts/icons";
import { MarkNote } from "~/console/parts/mark-note";
import { place, setQuery } from "~/console/place";
import {
  correspondent,
  hasLabel,
  headerOf,
  type Label,
  type Thread,
} from "~/console/services/mail/data";
import { LabelChips } from "~/console/services/mail/labels";
import { type MailMarks, threadChangeOf } from "~/console/services/mail/marks";

/** A mailbox as its owner sees it. */
export type ListView = {
  readonly mailbox: string;
  readonly labels: readonly Label[];
  readonly marks: MailMarks;
  readonly clock: WorldClock;
};

/** The people of a thread, by first names; oneself as `me`, and a draft by its name. */
function peopleOf({ messages }: Thread, mailbox: string): string {
  const people = messages.map((message) => {
    if (hasLabel(message, "DRAFT")) return "Draft";
    const { name, address } = correspondent(headerOf(message, "from"));
    return address === mailbox ? "me" : name;
  });
  const all = [...new Set(people)];
  const [first] = messages;
  if (first && all.join() === "me") return `To: ${correspondent(headerOf(first, "to")).name}`;
  return all.map((name) => (all.length > 1 ? (name.split(" ")[0] ?? name) : name)).join(", ");
}

export function ThreadLine({ of, view, list }: { of: Thread; view: ListView; list: string }) {
  const { messages } = of;
  const last = messages.at(-1);
  if (!last) return null;
  const { mark, cause } = threadChangeOf(of, view.mailbox, view.marks);
  const isUnread = messages.some((message) => hasLabel(message, "UNREAD"));
  const subject = headerOf(messages[0] ?? last, "subject") || "(no subject)";
  const at = Number(last.internalDate);
  const day = dayOf(at, view.clock);
  const kind = [isUnread ? "unread" : "", mark ? "tinted" : ""].join(" ");
  return (
    <li class={`mail-line ${kind}`}>
      <button
        type="button"
        aria-current={place.value.query.get("mail") === of.id}
        onClick={() => setQuery({ mail: of.id })}
      >
        <span class="people">
          <bdi>{peopleOf(of, view.mailbox)}</bdi>
          {messages.length > 1 && <span class="quiet"> {messages.length}</span>}
        </span>
        <span class="mail-time">
          {messages.some(({ payload }) => payload.mimeType === "multipart/mixed") && (
            <Icon name="paperclip" />
          )}
          {day === "Today" ? <Minute at={at} /> : <ShortDay at={at} />}
        </span>
        <span class="subject">
          <bdi>{subject}</bdi>
          {isUnread && <span class="hidden"> unread</span>}
        </span>
        <span class="snippet">
          <LabelChips ids={labelsOf(of)} labels={view.labels} except={list} />{" "}
          <span class="quiet">{unescaped(last.snippet)}</span>
        </span>
      </button>
      <MarkNote mark={mark} cause={cause} />
    </li>
  );
}

const labelsOf = ({ messages }: Thread) => [
  ...new Set(messages.flatMap(({ labelIds = [] }) => labelIds)),
];

const ENTITIES: Readonly<Record<string, string>> = {
  ...{ amp: "&", lt: "<", gt: ">" },
  ...{ quot: '"', "#39": "'" },
};
/** Snippets are HTML text. */
const unescaped = (snippet: string) =>
  snippet.replace(/&(amp|lt|gt|quot|#39);/g, (_, name: string) => ENTITIES[name] ?? "");

const DAY = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", timeZone: "UTC" });

function ShortDay({ at }: { at: number }) {
  const iso = new Date(at).toISOString();
  return (
    <time dateTime={iso} title={iso}>
      {DAY.format(at)}
    </time>
  );
}
