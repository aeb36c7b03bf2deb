/** An issue that a run touched: its fields and comments. */
import type { Names } from "~/console/names";
import { Avatar } from "~/console/parts/avatar";
import { Markdown } from "~/console/parts/markdown";
import { Marked, PlaceFrame, type PlaceProps, SHOWN_MAX } from "~/console/parts/place";
import { Long } from "~/console/parts/text";
import { type Row, textOf } from "~/console/rows";
import { PRIORITIES } from "~/console/services/tracker/data";
import { Priority } from "~/console/services/tracker/signs";

const DRAWN = [
  ...["issues", "comments", "reactions"],
  ...["issue_history", "notifications", "issue_subscribers"],
];

export function IssuePlace(place: PlaceProps) {
  const { rows, names, latest } = place;
  const issue = rows.find(({ table }) => table === "issues");
  const comments = rows.filter(({ table }) => table === "comments").slice(-SHOWN_MAX);
  return (
    <PlaceFrame of={place} drawn={DRAWN}>
      {issue && (
        <Marked of={issue} latest={latest}>
          <Issue row={issue.row} names={names} />
        </Marked>
      )}
      {comments.map((comment) => (
        <Marked key={textOf(comment.row["id"])} of={comment} latest={latest}>
          <Avatar
            id={textOf(comment.row["userId"])}
            name={names.get(textOf(comment.row["userId"])) ?? ""}
          />{" "}
          <strong>{names.get(textOf(comment.row["userId"])) ?? "Unknown user"}</strong>{" "}
          <span class="quiet">commented</span>
          <div class="words">
            <Long text={textOf(comment.row["body"])} max={600}>
              {(shown) => <Markdown text={shown} />}
            </Long>
          </div>
        </Marked>
      ))}
    </PlaceFrame>
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
    typeof value === "string" ? (names.get(value) ?? `…${value.slice(-8)}`) : String(value);
  const fields = ISSUE_FIELDS.filter(
    ([column]) => row[column] !== undefined && row[column] !== null,
  );
  return (
    <>
      <div class="words">
        <strong>
          <Long
            text={textOf(row["title"]) || "An issue whose title the run did not change"}
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
          <span class="badge">
            <Priority of={row["priority"]} /> {PRIORITIES[row["priority"]]}
          </span>
        )}
      </div>
      {textOf(row["description"]) !== "" && (
        <div class="words quiet">
          <Long text={textOf(row["description"])} max={300} />
        </div>
      )}
    </>
  );
}
