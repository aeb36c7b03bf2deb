/** The text from which an agent begins: the issue of its session and its threads, as elements that look like XML. */
import type { EventRow } from "~/replicas/events";
import { idsOf } from "~/replicas/tracker/events/lists";
import { related, type View } from "~/replicas/tracker/events/view";
import { NEWEST_MAX } from "~/replicas/tracker/store/events";

const ESCAPED: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };

/** A text of people cannot open or close an element. */
const escaped = (text: unknown) =>
  String(text ?? "")
    .replace(/[&<>]/g, (sign) => ESCAPED[sign] ?? sign)
    .replaceAll('"', "&quot;");

const attributesOf = (attributes: Readonly<Record<string, unknown>>) =>
  Object.entries(attributes)
    .map(([name, value]) => ` ${name}="${escaped(value)}"`)
    .join("");

type Attributes = Readonly<Record<string, unknown>>;

/** An element on one line. */
const text = (name: string, attributes: Attributes, content: unknown) =>
  `<${name}${attributesOf(attributes)}>${escaped(content)}</${name}>`;

/** An element of several lines. */
const block = (name: string, attributes: Attributes, lines: readonly string[]) =>
  [`<${name}${attributesOf(attributes)}>`, ...lines, `</${name}>`].join("\n");

/** A description longer than this ends there. In characters. */
const DESCRIPTION_MAX = 32_000;
/** A comment longer than this ends there. In characters, so that even the longest one fits among the comments. */
const COMMENT_MAX = 8_000;
/** Of all comments, with their signs escaped. The service limits them too, and does not publish how. */
const COMMENTS_BYTES_MAX = 64 * 1024;

const cut = (value: unknown, max: number): string => {
  const whole = String(value ?? "");
  return whole.length <= max ? whole : `${whole.slice(0, max - 1).toWellFormed()}…`;
};

/** The first of these comments, as many as an event has room for. */
function fitting(rows: readonly EventRow[]): readonly EventRow[] {
  const found: EventRow[] = [];
  let bytes = 0;
  for (const row of rows.slice(0, NEWEST_MAX)) {
    const body = cut(row["body"], COMMENT_MAX);
    bytes += Buffer.byteLength(escaped(body));
    if (bytes > COMMENTS_BYTES_MAX) break;
    found.push({ ...row, body });
  }
  return found;
}

const order = (a: EventRow, b: EventRow) =>
  `${a["createdAt"]} ${a["id"]}`.localeCompare(`${b["createdAt"]} ${b["id"]}`);

/** The root, then the replies. */
const inThread = (a: EventRow, b: EventRow) =>
  Number(a["parentId"] !== null) - Number(b["parentId"] !== null) || order(a, b);

const rootOf = ({ id, parentId }: EventRow): unknown => parentId ?? id;

/** The newest comments of an issue first. */
const newestFirst = (issueId: unknown, view: View): readonly EventRow[] =>
  view.list("comments", "issueId", issueId).toSorted((a, b) => order(b, a));

/** The newest comments of a thread except one, in their order. */
export const commentsBeside = (
  { commentId, sourceCommentId, issueId }: EventRow,
  view: View,
): readonly EventRow[] =>
  fitting(
    newestFirst(issueId, view).filter(
      (row) => rootOf(row) === commentId && row["id"] !== sourceCommentId,
    ),
  ).toSorted(inThread);

const thread = (name: string, rootId: unknown, rows: readonly EventRow[], view: View): string =>
  block(
    name,
    { "comment-id": rootId },
    rows.toSorted(inThread).map((row) => {
      const author = related("Comment", row, "user", view)?.["displayName"];
      const attributes = { author: author ?? "", "created-at": row["createdAt"] };
      return block("comment", attributes, [escaped(row["body"])]);
    }),
  );

function issueElement(row: EventRow, view: View): string {
  const team = related("Issue", row, "team", view);
  const project = related("Issue", row, "project", view);
  const parent = related("Issue", row, "parent", view);
  const labels = idsOf(view, "issue_label_assignments", row["id"]).map(
    (id) => view.row("IssueLabel", id)?.["name"],
  );
  return block("issue", { identifier: row["identifier"] }, [
    text("title", {}, row["title"]),
    ...(row["description"]
      ? [text("description", {}, cut(row["description"], DESCRIPTION_MAX))]
      : []),
    ...(team ? [`<team${attributesOf({ name: team["name"] })}/>`] : []),
    ...labels.map((label) => text("label", {}, label)),
    ...(parent
      ? [
          block("parent-issue", { identifier: parent["identifier"] }, [
            text("title", {}, parent["title"]),
          ]),
        ]
      : []),
    ...(project ? [text("project", { name: project["name"] }, project["description"])] : []),
  ]);
}

/** The issue, and the newest comments: those of the session's own thread before the others. */
export function promptContext({ issueId, commentId }: EventRow, view: View): string {
  const issue = view.row("Issue", issueId);
  const comments = newestFirst(issueId, view);
  const own = comments.filter((row) => rootOf(row) === commentId);
  const others = comments.filter((row) => rootOf(row) !== commentId);
  const shown = Map.groupBy(fitting([...own, ...others]).toSorted(order), rootOf);
  return [
    ...(issue ? [issueElement(issue, view)] : []),
    ...(commentId == null
      ? []
      : [thread("primary-directive-thread", commentId, shown.get(commentId) ?? [], view)]),
    ...[...shown]
      .filter(([id]) => id !== commentId)
      .map(([id, rows]) => thread("other-thread", id, rows, view)),
  ].join("\n\n");
}
