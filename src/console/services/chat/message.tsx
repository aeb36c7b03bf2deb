/** A message of the chat, with its reactions, files and attachments. */
import type { Cause, Mark } from "~/console/marks";
import { type Names, shortName } from "~/console/names";
import { Avatar } from "~/console/parts/avatar";
import { Minute } from "~/console/parts/clock";
import { MarkNote, titleOf } from "~/console/parts/mark-note";
import { Link, Long } from "~/console/parts/text";
import type { ChatFile, ChatMessage } from "~/console/services/chat/data";
import { emoji } from "~/console/services/chat/emoji";
import { chatText } from "~/console/services/chat/text";

const KIB = 1024;
const BLOCK_TEXTS_MAX = 200;
const TITLE_USERS_MAX = 50;

export function Message({
  of,
  names,
  mark,
  cause,
  follows = false,
  viewer,
  onThread,
}: {
  of: ChatMessage;
  names: Names;
  mark: Mark;
  cause: Cause | undefined;
  /** The message before is of the same person, a moment earlier. */
  follows?: boolean;
  /** The user whose own reactions are marked. */
  viewer: string;
  onThread?: () => void;
}) {
  const { ts, user, username, subtype, reply_count: replies = 0 } = of;
  const isBot = subtype === "bot_message" || of.bot_id !== undefined;
  const author = shortName(username || names.get(user ?? "") || user || "Unknown user");
  return (
    <article
      class={`message ${mark ? "tinted" : ""} ${follows ? "follows" : ""}`}
      title={
        mark &&
        `${mark === "new" ? "New" : "Changed"} since the template${cause ? `, by ${titleOf(cause)}` : ""}`
      }
    >
      {!follows && <Avatar id={user ?? author} name={author} isBot={isBot} isLarge />}
      <header>
        <strong class={follows ? "hidden" : ""}>
          <bdi>{author}</bdi>
        </strong>{" "}
        <span class="quiet">
          <Minute at={Number(ts) * 1000} />
          {subtype &&
            !["me_message", "bot_message"].includes(subtype) &&
            ` ${subtype.replaceAll("_", " ")}`}
          {of.edited && " (edited)"}
          {of.pinned_to && " pinned"}
        </span>
        <MarkNote mark={mark} cause={cause} />
      </header>
      <Body of={of} names={names} />
      {of.files?.map((file) => (
        <File key={file.id} of={file} />
      ))}
      {of.attachments?.map((attachment, index) => (
        <Attachment key={index} of={attachment} names={names} />
      ))}
      {(of.reactions || replies > 0) && (
        <div class="labels">
          {of.reactions?.map(({ name, count, users }) => (
            <span
              key={name}
              class={`chip ${users.includes(viewer) ? "own" : ""}`}
              title={`:${name}: ${users
                .slice(0, TITLE_USERS_MAX)
                .map((each) => names.get(each) ?? each)
                .join(", ")}`}
            >
              {emoji(name)} {count}
            </span>
          ))}
          {replies > 0 && onThread && (
            <button type="button" class="small" onClick={onThread}>
              {replies} {replies === 1 ? "reply" : "replies"}
            </button>
          )}
        </div>
      )}
    </article>
  );
}

function Body({ of, names }: { of: ChatMessage; names: Names }) {
  const own = of.blocks?.some((block) => typeOf(block) !== "rich_text") ? textsOf(of.blocks) : [];
  const text = own.length > 0 ? own.join("\n") : of.text;
  if (!text) return null;
  return (
    <div class="words">
      <Long text={text}>{(shown) => chatText(shown, names)}</Long>
    </div>
  );
}

const typeOf = (block: unknown) => (block as { type?: unknown } | null)?.type;

/** The texts of blocks in order: strings named `text` or `alt_text`, at any depth. */
function textsOf(value: unknown, found: string[] = []): string[] {
  if (found.length >= BLOCK_TEXTS_MAX || value === null || typeof value !== "object") return found;
  for (const [name, each] of Object.entries(value))
    if ((name === "text" || name === "alt_text") && typeof each === "string") found.push(each);
    else textsOf(each, found);
  return found;
}

function sizeOf(bytes: number): string {
  if (bytes < KIB) return `${bytes} B`;
  return bytes < KIB * KIB
    ? `${(bytes / KIB).toFixed(1)} kB`
    : `${(bytes / KIB / KIB).toFixed(1)} MB`;
}

function File({ of: { title, name, size, mimetype } }: { of: ChatFile }) {
  return (
    <div class="file">
      <bdi>{shortName(title || name || "a file")}</bdi>{" "}
      <span class="quiet">
        {mimetype}
        {size !== undefined && ` · ${sizeOf(size)}`}
      </span>
    </div>
  );
}

function Attachment({ of, names }: { of: Readonly<Record<string, unknown>>; names: Names }) {
  const text = (field: string) => (typeof of[field] === "string" ? of[field] : "");
  const title = shortName(text("title"));
  const body = text("text") || (title ? "" : text("fallback"));
  return (
    <div class="attachment">
      {text("pretext") && <Long text={text("pretext")} />}
      {title && (
        <div>
          <strong>
            {text("title_link") ? <Link href={text("title_link")}>{title}</Link> : title}
          </strong>
        </div>
      )}
      {body && (
        <div class="words">
          <Long text={body}>{(shown) => chatText(shown, names)}</Long>
        </div>
      )}
    </div>
  );
}
