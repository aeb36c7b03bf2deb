/** Places as users see them: a conversation with its messages, an issue with its fields and comments. */
import type { ComponentChildren } from "preact";
import { shortName } from "~/console/names";
import { chatText, emoji, type Names } from "~/console/parts/chat-text";
import { Minute } from "~/console/parts/clock";
import { Long } from "~/console/parts/text";
import type { Row } from "~/console/rows";
import { PRIORITIES } from "~/console/tracker-data";
import type { WorldRow } from "~/console/world";

/** Messages that are shown before a changed one, as context. */
const CONTEXT = 2;
/** Rows of a table that are shown of one place: the last ones. */
const SHOWN_MAX = 60;

const text = (value: unknown) => (typeof value === "string" ? value : "");

/** Marks a row that the run changed, by colour and in words. */
function Marked({
  of,
  latest,
  children,
}: {
  of: WorldRow;
  latest: number;
  children: ComponentChildren;
}) {
  const { changedBy, isGone } = of;
  if (changedBy === undefined) return <div class="thing">{children}</div>;
  const kind = [changedBy === latest ? "latest" : "", isGone ? "gone" : ""].join(" ");
  const by = changedBy === 0 ? "changed by no call" : `changed by call ${changedBy}`;
  return (
    <div class={`thing tinted ${kind}`} title={by}>
      {children}
      <span class="by">{isGone ? `removed, ${by}` : by}</span>
    </div>
  );
}

/** The rows of one conversation or issue. `latest`: the call whose changes are marked most. */
export function Place({
  id,
  rows,
  names,
  latest,
}: {
  id: string;
  rows: readonly WorldRow[];
  names: Names;
  latest: number;
}) {
  const ofTable = (table: string) => rows.filter((each) => each.table === table);
  const reactions = ofTable("reactions").filter(({ row }) => "ts" in row);
  const changed = new Set(
    reactions.filter(({ changedBy }) => changedBy !== undefined).map(({ row }) => row["ts"]),
  );
  const messages = inView(
    changed,
    ofTable("messages").toSorted((a, b) => (text(a.row["ts"]) < text(b.row["ts"]) ? -1 : 1)),
  );
  const issue = ofTable("issues")[0];
  const comments = ofTable("comments").slice(-SHOWN_MAX);
  const others = rows
    .filter((each) => each.changedBy !== undefined && each !== issue && !DRAWN.has(each.table))
    .slice(-SHOWN_MAX);
  const reactionsOn = Map.groupBy(
    reactions.filter(({ isGone }) => !isGone),
    ({ row }) => messageKey(row),
  );
  return (
    <div class="place">
      <h4>{names.get(id) ?? shortName(id)}</h4>
      {issue && (
        <Marked of={issue} latest={latest}>
          <Issue row={issue.row} names={names} />
        </Marked>
      )}
      {messages.map((message) => (
        <Marked key={text(message.row["ts"])} of={message} latest={latest}>
          <Message
            row={message.row}
            reactions={reactionsOn.get(messageKey(message.row)) ?? []}
            names={names}
          />
        </Marked>
      ))}
      {comments.map((comment) => (
        <Marked key={text(comment.row["id"])} of={comment} latest={latest}>
          <strong>{names.get(text(comment.row["userId"])) ?? "Unknown user"}</strong>{" "}
          <span class="quiet">commented</span>
          <div class="words">
            <Long text={text(comment.row["body"])} max={600} />
          </div>
        </Marked>
      ))}
      {others.map((other, index) => (
        <Marked key={index} of={other} latest={latest}>
          <Other of={other} names={names} />
        </Marked>
      ))}
    </div>
  );
}

/** Tables with a form of their own, and those whose rows only accompany other changes. */
const DRAWN = new Set([
  ...["messages", "reactions", "comments"],
  ...["issue_history", "notifications", "issue_subscribers", "channels"],
]);

const messageKey = (row: Row) => `${row["channel_id"]} ${row["ts"]}`;

/** Messages that changed or whose reactions changed, each with some before it. */
function inView(reacted: ReadonlySet<unknown>, messages: readonly WorldRow[]): WorldRow[] {
  const shown = new Set<number>();
  messages.forEach(({ changedBy, row }, index) => {
    if (changedBy === undefined && !reacted.has(row["ts"])) return;
    for (let near = Math.max(0, index - CONTEXT); near <= index; near++) shown.add(near);
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
  reactions: readonly WorldRow[];
  names: Names;
}) {
  const byEmoji = Map.groupBy(reactions, ({ row }) => text(row["name"]));
  const author = shortName(
    text(row["username"]) || names.get(text(row["user_id"])) || text(row["user_id"]),
  );
  return (
    <>
      <strong>{author}</strong>{" "}
      <span class="quiet">
        <Minute at={Number(row["ts"]) * 1000} />
        {row["thread_ts"] ? " in a thread" : ""}
        {row["edited"] ? " edited" : ""}
      </span>
      <div class="words">
        <Long text={text(row["text"])} max={600}>
          {(shown) => chatText(shown, names)}
        </Long>
      </div>
      {byEmoji.size > 0 && (
        <div class="labels">
          {[...byEmoji].map(([name, users]) => (
            <span
              key={name}
              class={`badge ${users.some(({ changedBy }) => changedBy !== undefined) ? "unsure" : ""}`}
              title={`:${name}: ${users.map(({ row }) => names.get(text(row["user_id"]))).join(", ")}`}
            >
              {emoji(name)} {users.length}
            </span>
          ))}
        </div>
      )}
    </>
  );
}

/** Columns of an issue and their labels. */
const ISSUE_FIELDS: readonly (readonly [string, string])[] = [
  ["stateId", "State"],
  ["assigneeId", "Assignee"],
  ["projectId", "Project"],
  ["cycleId", "Cycle"],
  ["parentId", "Parent"],
  ["estimate", "Estimate"],
  ["dueDate", "Due"],
];

function Issue({ row, names }: { row: Row; names: Names }) {
  const shown = (value: unknown) =>
    typeof value === "string" ? (names.get(value) ?? value.slice(0, 12)) : String(value);
  const fields = ISSUE_FIELDS.filter(
    ([column]) => row[column] !== undefined && row[column] !== null,
  );
  return (
    <>
      <div class="words">
        <strong>
          <Long
            text={text(row["title"]) || "An issue whose title the run did not change"}
            max={300}
          />
        </strong>
      </div>
      <div class="labels">
        {fields.map(([column, name]) => (
          <span key={column} class="badge">
            {name}: {shown(row[column])}
          </span>
        ))}
        {typeof row["priority"] === "number" && row["priority"] > 0 && (
          <span class="badge">{PRIORITIES[row["priority"]]}</span>
        )}
      </div>
      {text(row["description"]) !== "" && (
        <div class="words quiet">
          <Long text={text(row["description"])} max={300} />
        </div>
      )}
    </>
  );
}

function Other({ of: { table, row, isGone }, names }: { of: WorldRow; names: Names }) {
  const title = ["name", "title", "identifier", "user_id", "labelId", "type"]
    .map((column) => text(row[column]))
    .find(Boolean);
  return (
    <>
      <span class="quiet">
        {table.replaceAll("_", " ")}
        {isGone ? " (removed)" : ""}:
      </span>{" "}
      <Long text={title === undefined ? "a row" : (names.get(title) ?? title)} max={200} />
    </>
  );
}
