/** Issues by state. */
import { Ready } from "~/console/parts/basics";
import { Rest } from "~/console/parts/filters";
import { MarkNote, titleOf } from "~/console/parts/mark-note";
import { place } from "~/console/place";
import { type Issue, PRIORITIES, type State } from "~/console/services/tracker/data";
import { issueAddress, NoIssues, useIssues, type View } from "~/console/services/tracker/issues";
import { changeOf, type IssueMarks } from "~/console/services/tracker/marks";

/** In the order of the workflow. */
const TYPES = ["triage", "backlog", "unstarted", "started", "completed", "canceled", "duplicate"];

const byProgress = (a: State, b: State) =>
  TYPES.indexOf(a.type) - TYPES.indexOf(b.type) || a.position - b.position;

/** The board has the newest 3,000 issues, and shows so many of a column. */
const BOARD_PAGES = 12;
const COLUMN_MAX = 100;

export function Board({ view }: { view: View }) {
  const { loaded } = useIssues(view, BOARD_PAGES);
  return (
    <Ready of={loaded}>
      {({ issues, hasMore }) =>
        issues.length === 0 ? (
          <NoIssues {...view} />
        ) : (
          <>
            <Columns issues={issues} view={view} />
            {hasMore && (
              <p class="quiet">
                These are the newest {issues.length.toLocaleString("en")} issues: the list has all.
              </p>
            )}
          </>
        )
      }
    </Ready>
  );
}

function Columns({ issues, view: { teams, marks } }: { issues: readonly Issue[]; view: View }) {
  const team = place.value.query.get("team");
  // States of the same name in several teams share a column.
  const states = teams.flatMap(({ key, states }) => (team && key !== team ? [] : states.nodes));
  const columns = new Map(states.toSorted(byProgress).map((state) => [state.name, state]));
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: an area that scrolls must be reachable by keyboard
    <section class="board" aria-label="Board" tabIndex={0}>
      {[...columns.keys()].map((name) => {
        const inside = issues.filter(({ state }) => state.name === name);
        return (
          <section key={name} aria-label={name}>
            <h3>
              {name} <span class="quiet">{inside.length}</span>
            </h3>
            {inside.slice(0, COLUMN_MAX).map((issue) => (
              <Card key={issue.id} issue={issue} marks={marks} />
            ))}
            <Rest count={inside.length - COLUMN_MAX} />
          </section>
        );
      })}
    </section>
  );
}

function Card({ issue, marks }: { issue: Issue; marks: IssueMarks }) {
  const { identifier, title, priority, assignee, labels } = issue;
  const change = changeOf(issue, marks);
  return (
    <article
      class={`card ${change.mark ? "tinted" : ""}`}
      title={change.cause && titleOf(change.cause)}
    >
      <span class="quiet">{identifier}</span> <MarkNote {...change} />
      <div>
        <a href={issueAddress(issue.id)}>
          <bdi>{title.slice(0, 300)}</bdi>
        </a>
      </div>
      <div class="labels">
        {priority > 0 && <span class="badge">{PRIORITIES[priority]}</span>}
        {assignee && <span class="badge">{assignee.name}</span>}
        {labels.nodes.map(({ id, name }) => (
          <span key={id} class="badge">
            {name}
          </span>
        ))}
      </div>
    </article>
  );
}
