/** Issues as a list that is read as it is scrolled. */
import { Ready } from "~/console/parts/basics";
import { MarkNote, titleOf } from "~/console/parts/mark-note";
import { VirtualList } from "~/console/parts/virtual";
import { type Issue, PRIORITIES } from "~/console/services/tracker/data";
import { issueAddress, NoIssues, useIssues, type View } from "~/console/services/tracker/issues";
import { changeOf, type IssueMarks } from "~/console/services/tracker/marks";
import { PersonName, Priority, StateName } from "~/console/services/tracker/signs";

export function List({ view }: { view: View }) {
  const { loaded, more } = useIssues(view, 1);
  const { marks } = view;
  return (
    <Ready of={loaded}>
      {({ issues, hasMore }) =>
        issues.length === 0 ? (
          <NoIssues {...view} />
        ) : (
          <>
            <p class="quiet" role="status">
              {issues.length.toLocaleString("en")} issues{hasMore && ", more as you scroll"}
            </p>
            <div class="columns issues" aria-hidden="true">
              {["Issue", "Title", "State", "Priority", "Assignee", "Changed"].map((name) => (
                <span key={name}>{name}</span>
              ))}
            </div>
            <VirtualList
              label="Issues"
              items={issues}
              keyOf={({ id }) => id}
              estimate={34}
              onEnd={more}
            >
              {(issue) => <Line issue={issue} marks={marks} />}
            </VirtualList>
          </>
        )
      }
    </Ready>
  );
}

function Line({ issue, marks }: { issue: Issue; marks: IssueMarks }) {
  const { id, identifier, title, state, priority, assignee } = issue;
  const change = changeOf(issue, marks);
  return (
    <article
      class={`issues ${change.mark ? "tinted" : ""}`}
      title={change.cause && titleOf(change.cause)}
    >
      <span class="number">{identifier}</span>
      <a href={issueAddress(id)}>
        <bdi>{title.slice(0, 300)}</bdi>
      </a>
      <span>
        <StateName of={state} />
      </span>
      <span>
        <Priority of={priority} /> <span aria-hidden="true">{PRIORITIES[priority]}</span>
      </span>
      <span>{assignee && <PersonName of={assignee} />}</span>
      <span>
        <MarkNote {...change} />
      </span>
    </article>
  );
}
