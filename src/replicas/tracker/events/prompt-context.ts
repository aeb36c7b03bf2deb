/** The text from which an agent begins: the issue of its session and its threads, as elements that look like XML. */
import type { EventRow } from "~/replicas/events";
import { idsOf } from "~/replicas/tracker/events/lists";
import { related, type View } from "~/replicas/tracker/events/view";

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

/** The comments of a thread, in their order: the root and the replies. */
export const threadOf = (rootId: unknown, issueId: unknown, view: View): readonly EventRow[] =>
  view
    .list("comments", "issueId", issueId)
    .filter(({ id, parentId }) => id === rootId || parentId === rootId)
    .toSorted(
      (a, b) => Number(a["parentId"] !== null) - Number(b["parentId"] !== null) || order(a, b),
    );

const order = (a: EventRow, b: EventRow) =>
  `${a["createdAt"]} ${a["id"]}`.localeCompare(`${b["createdAt"]} ${b["id"]}`);

const thread = (name: string, rootId: unknown, issueId: unknown, view: View): string =>
  block(
    name,
    { "comment-id": rootId },
    threadOf(rootId, issueId, view).map((row) => {
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
    ...(row["description"] ? [text("description", {}, row["description"])] : []),
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

export function promptContext({ issueId, commentId }: EventRow, view: View): string {
  const issue = view.row("Issue", issueId);
  const roots = view
    .list("comments", "issueId", issueId)
    .filter(({ id, parentId }) => parentId === null && id !== commentId)
    .toSorted(order);
  return [
    ...(issue ? [issueElement(issue, view)] : []),
    ...(commentId == null ? [] : [thread("primary-directive-thread", commentId, issueId, view)]),
    ...roots.map(({ id }) => thread("other-thread", id, issueId, view)),
  ].join("\n\n");
}
