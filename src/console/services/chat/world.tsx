/** A chat environment as one of its users sees it. Differences from the template are tinted. */
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { EnvironmentDetail } from "~/clients/typescript/schema";
import { useWorldLive } from "~/console/live";
import { useAction, useLoad } from "~/console/loading";
import { type Marks, useMarks } from "~/console/marks";
import type { Names } from "~/console/names";
import { Avatar } from "~/console/parts/avatar";
import { Empty, Failure, Id, Ready } from "~/console/parts/basics";
import { useWorldClock, type WorldClock } from "~/console/parts/clock";
import { Icon } from "~/console/parts/icons";
import { UserChoice } from "~/console/parts/user-choice";
import { VirtualList } from "~/console/parts/virtual";
import { place, setQuery } from "~/console/place";
import {
  type Chat,
  type ChatMessage,
  type ChatUser,
  type Conversation,
  chatNames,
  createChat,
} from "~/console/services/chat/data";
import { linesOf } from "~/console/services/chat/lines";
import {
  type Baseline,
  keyOf,
  markOf,
  readBaseline,
  subjectsOf,
} from "~/console/services/chat/marks";
import { Message } from "~/console/services/chat/message";
import { inline } from "~/console/services/chat/text";
import type { WorldProps } from "~/console/services/service";

/** A workspace as one user sees it. */
type View = {
  readonly environment: EnvironmentDetail;
  readonly chat: Chat;
  readonly names: Names;
  readonly marks: Marks<Baseline>;
  readonly clock: WorldClock;
  /** The user whose view it is. */
  readonly viewer: string;
};

export function ChatWorld({ environment }: WorldProps) {
  const as = place.value.query.get("as") ?? "";
  const { environmentId } = environment;
  const chat = useMemo(() => createChat(environment, as), [environmentId, as]);
  const people = useLoad((signal) => chat.users(signal), [environmentId]);
  const rooms = useLoad((signal) => chat.conversations(signal), [chat]);
  const marks = useMarks(environment, readBaseline, subjectsOf);
  useWorldLive(environment, rooms.reload);
  const clock = useWorldClock(environment);
  return (
    <Ready of={people}>
      {(users) => (
        <Ready of={rooms}>
          {(conversations) => (
            <Workspace
              key={`${environmentId} ${as}`}
              environment={environment}
              chat={chat}
              marks={marks}
              clock={clock}
              viewer={as || environment.impersonateUserId}
              users={users}
              conversations={conversations}
            />
          )}
        </Ready>
      )}
    </Ready>
  );
}

/** Own conversations first, then those to join; channels before people. */
const GROUPS: readonly (readonly [string, (conversation: Conversation) => boolean])[] = [
  ["Channels", (each) => !each.is_im && !each.is_mpim && each.is_member === true],
  ["Direct messages", (each) => Boolean(each.is_im || each.is_mpim)],
  ["Other channels", (each) => !each.is_im && !each.is_mpim && !each.is_member],
];

function Workspace({
  users,
  conversations,
  ...given
}: Omit<View, "names"> & {
  users: readonly ChatUser[];
  conversations: readonly Conversation[];
}) {
  const { query } = place.value;
  const names = useMemo(() => chatNames(users, conversations), [users, conversations]);
  const view = { ...given, names };
  const chosen =
    conversations.find(({ id }) => id === query.get("channel")) ??
    conversations.find(({ is_member }) => is_member) ??
    conversations[0];
  const thread = query.get("thread");
  const active = users.filter(({ deleted }) => !deleted);
  return (
    <div class={`rooms ${thread ? "threaded" : ""}`}>
      <div class="side">
        <UserChoice
          environment={view.environment}
          users={active.map(({ id }) => ({ id, name: names.get(id) ?? id }))}
          clears={["channel", "thread"]}
        />
        {GROUPS.map(([title, belongs]) => {
          const shown = conversations.filter(belongs);
          if (shown.length === 0) return null;
          return (
            <nav key={title} aria-label={title}>
              <h3>{title}</h3>
              <ul>
                {shown.map((conversation) => (
                  <li key={conversation.id}>
                    <button
                      type="button"
                      aria-current={conversation.id === chosen?.id}
                      onClick={() => setQuery({ channel: conversation.id, thread: undefined })}
                    >
                      <Kind of={conversation} name={names.get(conversation.id) ?? ""} />
                      <bdi>{bare(names.get(conversation.id) ?? conversation.id)}</bdi>
                      {conversation.is_archived && <span class="quiet">archived</span>}
                    </button>
                  </li>
                ))}
              </ul>
            </nav>
          );
        })}
      </div>
      {chosen ? (
        <Room key={chosen.id} view={view} conversation={chosen} />
      ) : (
        <Empty title="This user sees no conversation." />
      )}
      {chosen && thread && (
        <Thread key={`${chosen.id} ${thread}`} view={view} channel={chosen.id} ts={thread} />
      )}
    </div>
  );
}

/** The icon stands for the sign before the name of a channel. */
const bare = (name: string) => name.replace(/^#/, "");

function Kind({
  of: { is_im, is_mpim, is_private, user },
  name,
}: {
  of: Conversation;
  name: string;
}) {
  if (is_im) return <Avatar id={user ?? name} name={name} />;
  if (is_mpim) return <Icon name="users" />;
  return <Icon name={is_private ? "lock" : "hash"} />;
}

const FIRST_PAGE = 100;
const NEXT_PAGE = 999;

function Room({ view, conversation }: { view: View; conversation: Conversation }) {
  const { environment, chat, names, marks } = view;
  const { id } = conversation;
  const [older, setOlder] = useState<readonly ChatMessage[]>([]);
  const [hasMore, setHasMore] = useState<boolean>();
  const { error, perform } = useAction();
  const isBusy = useRef(false);
  const newest = useLoad((signal) => chat.history(id, undefined, FIRST_PAGE, signal), [chat, id]);
  useWorldLive(environment, newest.reload);
  const messages = useMemo(() => {
    const tail = newest.data?.messages ?? [];
    const [first] = tail;
    return [...older.filter(({ ts }) => !first || ts < first.ts), ...tail];
  }, [older, newest.data]);
  const lines = useMemo(() => linesOf(messages, view.clock), [messages, view.clock]);
  // Keeps messages that newer ones push out of the newest page.
  useEffect(() => {
    if (newest.data) setOlder(messages);
  }, [newest.data]);
  const readOlder = async () => {
    const [first] = messages;
    if (isBusy.current || !first || hasMore === false || newest.data?.hasMore === false) return;
    isBusy.current = true;
    await perform(async () => {
      const page = await chat.history(id, first.ts, NEXT_PAGE);
      setOlder((known) => [...page.messages, ...known.filter(({ ts }) => ts >= first.ts)]);
      setHasMore(page.hasMore);
    });
    isBusy.current = false;
  };
  const about = conversation.topic?.value || conversation.purpose?.value;
  return (
    <section class="room" aria-label={names.get(id)}>
      <header>
        <h2>
          <bdi>{names.get(id)}</bdi>
        </h2>
        <Id id={id} name="conversation's id" />
        {about && (
          <p class="quiet">
            <bdi>{inline(about, names)}</bdi>
          </p>
        )}
      </header>
      <Failure error={error} retry={readOlder} />
      <Ready of={newest}>
        {() =>
          messages.length === 0 ? (
            <Empty title="No messages here." />
          ) : (
            <VirtualList
              label="Messages"
              items={lines}
              keyOf={({ message }) => message.ts}
              estimate={56}
              atEnd
              onTop={readOlder}
            >
              {({ message, day, follows }) => (
                <>
                  {day && <h3 class="day">{day}</h3>}
                  <Message
                    of={message}
                    names={names}
                    mark={markOf(marks.baseline, id, message)}
                    cause={marks.causes.get(keyOf(id, message.ts))}
                    follows={follows}
                    viewer={view.viewer}
                    onThread={() => setQuery({ channel: id, thread: message.ts })}
                  />
                </>
              )}
            </VirtualList>
          )
        }
      </Ready>
    </section>
  );
}

function Thread({ view, channel, ts }: { view: View; channel: string; ts: string }) {
  const { environment, chat, names, marks } = view;
  const loaded = useLoad((signal) => chat.replies(channel, ts, signal), [chat, channel, ts]);
  useWorldLive(environment, loaded.reload);
  return (
    <section class="room" aria-label="Thread">
      <header>
        <h2>Thread</h2>
        <button type="button" onClick={() => setQuery({ thread: undefined })}>
          Close
        </button>
      </header>
      <Ready of={loaded}>
        {(messages) => (
          <VirtualList
            label="Replies"
            items={linesOf(messages, view.clock)}
            keyOf={({ message }) => message.ts}
            estimate={56}
          >
            {({ message, day, follows }) => (
              <>
                {day && <h3 class="day">{day}</h3>}
                <Message
                  of={message}
                  names={names}
                  mark={markOf(marks.baseline, channel, message)}
                  cause={marks.causes.get(keyOf(channel, message.ts))}
                  follows={follows}
                  viewer={view.viewer}
                />
              </>
            )}
          </VirtualList>
        )}
      </Ready>
    </section>
  );
}
