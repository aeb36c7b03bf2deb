/** A mail environment as the owner of one of its mailboxes sees it. Differences from the template are tinted. */
import { useMemo, useState } from "preact/hooks";
import { ask } from "~/console/api";
import { useWorldLive } from "~/console/live";
import { useLoad } from "~/console/loading";
import { useMarks } from "~/console/marks";
import { Empty, Ready } from "~/console/parts/basics";
import { dayOf, Minute, useWorldClock, type WorldClock } from "~/console/parts/clock";
import { Icon } from "~/console/parts/icons";
import { MarkNote } from "~/console/parts/mark-note";
import { UserChoice } from "~/console/parts/user-choice";
import { place, setQuery } from "~/console/place";
import { nameOf, textOf } from "~/console/rows";
import {
  correspondent,
  createMail,
  hasLabel,
  headerOf,
  type Label,
  type Mail,
  type Thread,
} from "~/console/services/mail/data";
import { LabelChips, LISTS } from "~/console/services/mail/labels";
import {
  changeOf,
  type MailMarks,
  readBaseline,
  subjectsOf,
  threadChangeOf,
} from "~/console/services/mail/marks";
import { Message } from "~/console/services/mail/message";
import { mailRecords } from "~/console/services/mail/records";
import { readOwnRows, type ServiceEnvironment } from "~/console/services/member";
import type { WorldProps } from "~/console/services/service";
import { peopleIn } from "~/console/services/shape";

/** A mailbox as its owner sees it. */
type View = {
  readonly environment: ServiceEnvironment;
  readonly mail: Mail;
  readonly mailbox: string;
  readonly labels: readonly Label[];
  readonly marks: MailMarks;
  readonly clock: WorldClock;
};

const CLEARED = { mail: undefined, q: undefined };
const clears = Object.keys(CLEARED);
/** Requests of a reload of the labels with their counts, on average. */
const LABELS_COST = 4;

export function MailWorld({ environment }: WorldProps) {
  const { query } = place.value;
  const as = query.get("as") ?? "";
  const { environmentId } = environment;
  const mail = useMemo(() => createMail(environment, as), [environmentId, as]);
  const owners = useLoad(() => readOwners(environment), [environmentId]);
  const labels = useLoad((signal) => mail.labels(signal), [mail]);
  const marks = useMarks(environment, readBaseline, subjectsOf);
  const clock = useWorldClock(environment);
  useWorldLive(environment, labels.reload, LABELS_COST);
  const mailbox = as || environment.impersonateUserId;
  const chosen = query.get("mail");
  return (
    <Ready of={labels}>
      {(shown) => {
        const view = { environment, mail, mailbox, labels: shown, marks, clock };
        return (
          <div class={`rooms mails ${chosen ? "threaded" : ""}`}>
            <div class="side">
              <UserChoice environment={environment} users={owners.data ?? []} clears={clears} />
              <Lists labels={shown} />
            </div>
            <Threads key={mailbox} view={view} />
            {chosen && <Opened key={`${mailbox} ${chosen}`} view={view} id={chosen} />}
          </div>
        );
      }}
    </Ready>
  );
}

/** Those who have a mailbox: not groups, and not addresses that bounce. */
async function readOwners(environment: ServiceEnvironment) {
  const { people } = mailRecords;
  const rows = await readOwnRows(ask, environment, [people.table]);
  return peopleIn(people, rows[people.table]).map((row) => ({
    id: textOf(row["id"]),
    name: nameOf(row),
  }));
}

const chosenList = () => place.value.query.get("label") || "INBOX";

function Lists({ labels }: { labels: readonly Label[] }) {
  const own = labels.filter(({ type }) => type === "user");
  const groups = [
    ["Mail", LISTS],
    ["Labels", own.map(({ id, name }) => [id, name] as const)],
  ] as const;
  return groups.map(
    ([title, lists]) =>
      lists.length > 0 && (
        <nav key={title} aria-label={title}>
          <h3>{title}</h3>
          <ul>
            {lists.map(([id, name]) => {
              const label = labels.find((each) => each.id === id);
              return (
                <li key={id}>
                  <button
                    type="button"
                    aria-current={id === chosenList()}
                    onClick={() => setQuery({ ...CLEARED, label: id })}
                  >
                    {title === "Labels" && (
                      <span class="dot" style={{ "--own": label?.color?.backgroundColor }} />
                    )}
                    <bdi>{name}</bdi>
                    {Boolean(label?.threadsUnread) && (
                      <span class="unread-count" title="unread">
                        {label?.threadsUnread}
                      </span>
                    )}
                  </button>
                </li>
              );
            })}
          </ul>
        </nav>
      ),
  );
}

function Threads({ view }: { view: View }) {
  const { environment, mail, labels } = view;
  const { query } = place.value;
  const list = chosenList();
  const text = query.get("q") ?? "";
  const [pages, setPages] = useState(1);
  const label = list === "ALL" ? "" : list;
  const found = useLoad(
    (signal) => mail.threads({ label, text, pages }, signal),
    [mail, label, text, pages],
  );
  useWorldLive(environment, found.reload);
  const names = new Map([...labels.map(({ id, name }) => [id, name] as const), ...LISTS]);
  return (
    <section class="room" aria-label={names.get(list) ?? list}>
      <header>
        <h2>
          <bdi>{names.get(list) ?? list}</bdi>
        </h2>
        <label>
          Search
          <input
            type="search"
            placeholder="from:john is:unread"
            value={text}
            onChange={({ currentTarget }) => setQuery({ mail: undefined, q: currentTarget.value })}
          />
        </label>
      </header>
      <Ready of={found}>
        {({ threads, hasMore }) =>
          threads.length === 0 ? (
            <Empty title={text ? "No matches." : "No mail here."} />
          ) : (
            <ol class="mail-list">
              {threads.map((thread) => (
                <ThreadLine key={thread.id} of={thread} view={view} list={list} />
              ))}
              {hasMore && (
                <li>
                  <button type="button" onClick={() => setPages(pages + 1)}>
                    Older mail
                  </button>
                </li>
              )}
            </ol>
          )
        }
      </Ready>
    </section>
  );
}

/** Who takes part in a thread, by first names; oneself as `me`, and a draft as what it is. */
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

function ThreadLine({ of, view, list }: { of: Thread; view: View; list: string }) {
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

function Opened({ view, id }: { view: View; id: string }) {
  const { environment, mail, mailbox, marks, labels } = view;
  const loaded = useLoad((signal) => mail.thread(id, signal), [mail, id]);
  useWorldLive(environment, loaded.reload);
  return (
    <section class="room" aria-label="Thread">
      <header>
        <h2>
          <bdi>
            {(loaded.data?.messages[0] && headerOf(loaded.data.messages[0], "subject")) || "Thread"}
          </bdi>
        </h2>
        <button type="button" onClick={() => setQuery({ mail: undefined })}>
          Close
        </button>
      </header>
      <Ready of={loaded}>
        {({ messages }) => (
          <div class="mail-list">
            {messages.map((message) => (
              <Message
                key={message.id}
                of={message}
                labels={labels}
                {...changeOf(message, mailbox, marks)}
              />
            ))}
          </div>
        )}
      </Ready>
    </section>
  );
}
