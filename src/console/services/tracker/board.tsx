/** Issues by state. */
import { useEffect, useRef, useState } from "preact/hooks";
import { Avatar } from "~/console/parts/avatar";
import { Ready } from "~/console/parts/basics";
import { Rest } from "~/console/parts/filters";
import { MarkNote, titleOf } from "~/console/parts/mark-note";
import { place } from "~/console/place";
import type { Issue, State } from "~/console/services/tracker/data";
import { issueAddress, NoIssues, useIssues, type View } from "~/console/services/tracker/issues";
import { changeOf, type IssueMarks } from "~/console/services/tracker/marks";
import { LabelChips, Priority, StateName } from "~/console/services/tracker/signs";

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
  const board = useRef<HTMLElement>(null);
  const hasMore = useOverflow(board, columns.size);
  return (
    <div class={`fades ${hasMore ? "more" : ""}`}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: an area that scrolls must be reachable by keyboard */}
      <section ref={board} class="board" aria-label="Board" tabIndex={0}>
        {[...columns].map(([name, state]) => {
          const inside = issues.filter((issue) => issue.state.name === name);
          return (
            <section key={name} aria-label={name}>
              <h3>
                <StateName of={state} /> <span class="quiet">{inside.length}</span>
              </h3>
              {inside.slice(0, COLUMN_MAX).map((issue) => (
                <Card key={issue.id} issue={issue} marks={marks} />
              ))}
              <Rest count={inside.length - COLUMN_MAX} />
            </section>
          );
        })}
      </section>
    </div>
  );
}

/** Whether more columns follow to the right of those in view. */
function useOverflow(board: { readonly current: HTMLElement | null }, columns: number): boolean {
  const [hasMore, setHasMore] = useState(false);
  useEffect(() => {
    const element = board.current;
    if (!element) return;
    const look = () => {
      const { scrollLeft, clientWidth, scrollWidth } = element;
      setHasMore(scrollLeft + clientWidth < scrollWidth - 1);
    };
    const resized = new ResizeObserver(look);
    resized.observe(element);
    element.addEventListener("scroll", look, { passive: true });
    return () => {
      resized.disconnect();
      element.removeEventListener("scroll", look);
    };
  }, [columns]);
  return hasMore;
}

function Card({ issue, marks }: { issue: Issue; marks: IssueMarks }) {
  const { identifier, title, priority, assignee, labels } = issue;
  const change = changeOf(issue, marks);
  return (
    <article
      class={`card ${change.mark ? "tinted" : ""}`}
      title={change.cause && titleOf(change.cause)}
    >
      <header class="top">
        <Priority of={priority} />
        <span class="number">{identifier}</span>
        {assignee && <Avatar id={assignee.id} name={assignee.name} />}
        {assignee && <span class="hidden">{assignee.name}</span>}
      </header>
      <a href={issueAddress(issue.id)}>
        <bdi>{title.slice(0, 300)}</bdi>
      </a>
      {labels.nodes.length > 0 && (
        <div class="labels">
          <LabelChips of={labels.nodes} />
        </div>
      )}
      <MarkNote {...change} />
    </article>
  );
}
