/** A conversation that a run touched: its messages, with those that changed marked. */
import { type Names, shortName } from "~/console/names";
import { Avatar } from "~/console/parts/avatar";
import { Moment } from "~/console/parts/clock";
import { Marked, PlaceFrame, type PlaceProps, SHOWN_MAX } from "~/console/parts/place";
import { Long } from "~/console/parts/text";
import type { RebuiltRow } from "~/console/rebuilt";
import { type Row, textOf } from "~/console/rows";
import { emoji } from "~/console/services/chat/emoji";
import { chatText } from "~/console/services/chat/text";

/** Messages that are shown before a changed one, as context. */
const CONTEXT = 2;
const DRAWN = ["messages", "reactions", "channels"];

export function ConversationPlace(place: PlaceProps) {
  const { rows, names, latest } = place;
  const ofTable = (table: string) => rows.filter((each) => each.table === table);
  const reactions = ofTable("reactions").filter(({ row }) => "ts" in row);
  const changed = new Set(
    reactions.filter(({ changedBy }) => changedBy !== undefined).map(({ row }) => row["ts"]),
  );
  const messages = inView(
    changed,
    ofTable("messages").toSorted((a, b) => (orderOf(a.row) < orderOf(b.row) ? -1 : 1)),
  );
  const reactionsOn = Map.groupBy(
    reactions.filter(({ isGone }) => !isGone),
    ({ row }) => messageKey(row),
  );
  return (
    <PlaceFrame of={place} drawn={DRAWN}>
      {messages.map((message) => (
        <div key={textOf(message.row["ts"])} class={isReply(message.row) ? "replies" : ""}>
          <Marked of={message} latest={latest}>
            <Message
              row={message.row}
              reactions={reactionsOn.get(messageKey(message.row)) ?? []}
              names={names}
            />
          </Marked>
        </div>
      ))}
    </PlaceFrame>
  );
}

const messageKey = (row: Row) => `${row["channel_id"]} ${row["ts"]}`;

const isReply = (row: Row) => Boolean(row["thread_ts"]) && row["thread_ts"] !== row["ts"];

/** A thread stands where it began, and its replies below. */
const orderOf = (row: Row) =>
  `${textOf(row["thread_ts"]) || textOf(row["ts"])} ${textOf(row["ts"])}`;

/** Messages that changed or whose reactions changed, each with some before it. */
function inView(reacted: ReadonlySet<unknown>, messages: readonly RebuiltRow[]): RebuiltRow[] {
  const shown = new Set<number>();
  messages.forEach(({ changedBy, row }, index) => {
    if (changedBy === undefined && !reacted.has(row["ts"])) return;
    for (let near = Math.max(0, index - CONTEXT); near <= index; near++) shown.add(near);
    const root = messages.findIndex((each) => isReply(row) && each.row["ts"] === row["thread_ts"]);
    if (root >= 0) shown.add(root);
  });
  return [...shown]
    .toSorted((a, b) => a - b)
    .slice(-SHOWN_MAX)
    .flatMap((index) => messages[index] ?? []);
}

function Message({
  row,
  reactions,
  names,
}: {
  row: Row;
  reactions: readonly RebuiltRow[];
  names: Names;
}) {
  const byEmoji = Map.groupBy(reactions, ({ row }) => textOf(row["name"]));
  const author = shortName(
    textOf(row["username"]) || names.get(textOf(row["user_id"])) || textOf(row["user_id"]),
  );
  return (
    <>
      <Avatar id={textOf(row["user_id"]) || author} name={author} /> <strong>{author}</strong>{" "}
      <span class="quiet">
        <Moment at={Number(row["ts"]) * 1000} />
        {row["edited"] ? " edited" : ""}
      </span>
      <div class="words">
        <Long text={textOf(row["text"])} max={600}>
          {(shown) => chatText(shown, names)}
        </Long>
      </div>
      {byEmoji.size > 0 && (
        <div class="labels">
          {[...byEmoji].map(([name, users]) => (
            <span
              key={name}
              class={`chip ${users.some(({ changedBy }) => changedBy !== undefined) ? "unsure" : ""}`}
              title={`:${name}: ${users.map(({ row }) => names.get(textOf(row["user_id"]))).join(", ")}`}
            >
              {emoji(name)} {users.length}
            </span>
          ))}
        </div>
      )}
    </>
  );
}
