/** A mail environment as the owner of one of its mailboxes sees it. Differences from the template are tinted. */
import { useMemo, useState } from "preact/hooks";
import { ask } from "~/console/api";
import { useWorldLive } from "~/console/live";
import { useLoad } from "~/console/loading";
import { useMarks } from "~/console/marks";
import { Empty, Ready } from "~/console/parts/basics";
import { useWorldClock } from "~/console/parts/clock";
import { UserChoice } from "~/console/parts/user-choice";
import { place, setQuery } from "~/console/place";
import { nameOf, textOf } from "~/console/rows";
import { createMail, headerOf, type Label, type Mail } from "~/console/services/mail/data";
import { LISTS } from "~/console/services/mail/labels";
import { changeOf, readBaseline, subjectsOf } from "~/console/services/mail/marks";
import { Message } from "~/console/services/mail/message";
import { mailRecords } from "~/console/services/mail/records";
import { type ListView, ThreadLine } from "~/console/services/mail/thread-line";
import { readOwnRows, type ServiceEnvironment } from "~/console/services/member";
import type { WorldProps } from "~/console/services/service";
import { peopleIn } from "~/console/services/shape";

/** The shown mailbox, and the means to read it. */
type View = ListView & {
  readonly environment: ServiceEnvironment;
  readonly mail: Mail;
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
        <SearchField key={`${list} ${text}`} text={text} />
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

/** Typed text counts when it is sent. Until then, a list that changes leaves it alone. */
function SearchField({ text }: { text: string }) {
  const [typed, setTyped] = useState(text);
  const submit = (event: Event) => {
    event.preventDefault();
    setQuery({ mail: undefined, q: typed });
  };
  return (
    <form onSubmit={submit}>
      <label>
        Search
        <input
          type="search"
          placeholder="from:john is:unread"
          value={typed}
          onInput={({ currentTarget }) => setTyped(currentTarget.value)}
        />
      </label>
    </form>
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
