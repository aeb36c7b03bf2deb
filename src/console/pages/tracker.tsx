/** A tracker environment as one of its users sees it. Differences from the template are tinted. */
import { useMemo } from "preact/hooks";
import type { EnvironmentDetail } from "~/clients/typescript/schema";
import { useWorldLive } from "~/console/live";
import { useLoad } from "~/console/loading";
import {
  type Cause,
  type IssueMarks,
  issueMarkOf,
  type Mark,
  readCauses,
  readIssueBaseline,
} from "~/console/marks";
import { IssueView } from "~/console/pages/issue";
import { Empty, Ready, Table } from "~/console/parts/basics";
import { Choice, Rest, Search, searched } from "~/console/parts/filters";
import { MarkNote, titleOf } from "~/console/parts/mark-note";
import { UserChoice } from "~/console/parts/user-choice";
import { pathTo, place } from "~/console/place";
import {
  createTracker,
  type Issue,
  PER_PAGE,
  type Person,
  PRIORITIES,
  type State,
  type Team,
} from "~/console/tracker-data";

const NO_CAUSES: ReadonlyMap<string, Cause> = new Map();

export function TrackerWorld({ environment }: { environment: EnvironmentDetail }) {
  const { query } = place.value;
  const { environmentId, run } = environment;
  const as = query.get("as") ?? "";
  const tracker = useMemo(() => createTracker(environment, as), [environmentId, as]);
  const workspace = useLoad((signal) => tracker.workspace(signal), [tracker]);
  const issues = useLoad((signal) => tracker.issues(signal), [tracker]);
  const baseline = useLoad(() => readIssueBaseline(environment), [environmentId]);
  const causes = useLoad(() => readCauses(environmentId), [environmentId, run?.runId, run?.status]);
  useWorldLive(environment, issues.reload, 1 + Math.floor((issues.data?.length ?? 0) / PER_PAGE));
  const marks = { baseline: baseline.data, causes: causes.data ?? NO_CAUSES };
  const chosen = query.get("issue");
  return (
    <Ready of={workspace}>
      {({ users, teams }) => (
        <>
          <Filters
            environment={environment}
            users={users}
            teams={teams}
            issues={issues.data ?? []}
          />
          <Ready of={issues}>
            {(all) => <Issues all={all} teams={teams} environment={environment} marks={marks} />}
          </Ready>
          {chosen && (
            <IssueView key={`${chosen} ${as}`} tracker={tracker} id={chosen} marks={marks} />
          )}
        </>
      )}
    </Ready>
  );
}

const ALL = ["", "all"] as const;

function Filters({
  environment,
  users,
  teams,
  issues,
}: {
  environment: EnvironmentDetail;
  users: readonly Person[];
  teams: readonly Team[];
  issues: readonly Issue[];
}) {
  const { query } = place.value;
  const projects = new Map(
    issues.flatMap(({ project }) => (project ? [[project.id, project.name] as const] : [])),
  );
  const cycles = new Map(
    issues.flatMap(({ cycle }) =>
      cycle ? [[cycle.id, cycle.name ?? `Cycle ${cycle.number}`] as const] : [],
    ),
  );
  return (
    <div class="filters">
      <Search />
      <Choice
        label="Team"
        name="team"
        options={[ALL, ...teams.map(({ key, name }) => [key, name] as const)]}
      />
      <Choice label="Project" name="project" options={[ALL, ...projects]} />
      <Choice label="Cycle" name="cycle" options={[ALL, ...cycles]} />
      <Choice
        label="View"
        name="view"
        value={query.get("view") ?? "board"}
        options={["board", "list"]}
      />
      <UserChoice environment={environment} users={users} />
    </div>
  );
}

/** In the order of the workflow. */
const TYPES = ["triage", "backlog", "unstarted", "started", "completed", "canceled", "duplicate"];

const byProgress = (a: State, b: State) =>
  TYPES.indexOf(a.type) - TYPES.indexOf(b.type) || a.position - b.position;

/** Limits of issues that are shown in a column and in the list. */
const COLUMN_MAX = 100;
const LIST_MAX = 1_000;

function Issues({
  all,
  teams,
  environment,
  marks,
}: {
  all: readonly Issue[];
  teams: readonly Team[];
  environment: EnvironmentDetail;
  marks: IssueMarks;
}) {
  const { query } = place.value;
  const word = searched();
  const team = teams.find(({ key }) => key === query.get("team"));
  const [project, cycle] = [query.get("project"), query.get("cycle")];
  const shown = all.filter(
    (issue) =>
      (!team || issue.team.id === team.id) &&
      (!project || issue.project?.id === project) &&
      (!cycle || issue.cycle?.id === cycle) &&
      `${issue.identifier} ${issue.title} ${issue.assignee?.name}`.toLowerCase().includes(word),
  );
  if (shown.length === 0)
    return (
      <Empty title={all.length === 0 ? "No issues." : "No matches."}>
        <p>
          The agent files issues at <code>{environment.environmentUrl}/graphql</code>.
        </p>
      </Empty>
    );
  if (query.get("view") === "list") return <List issues={shown} marks={marks} />;
  // States of the same name in several teams share a column.
  const states = teams.flatMap((each) => (team && each !== team ? [] : each.states.nodes));
  const columns = new Map(states.toSorted(byProgress).map((state) => [state.name, state]));
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: an area that scrolls must be reachable by keyboard
    <section class="board" aria-label="Board" tabIndex={0}>
      {[...columns.keys()].map((name) => {
        const inside = shown.filter(({ state }) => state.name === name);
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

/** The address of an issue on the same page, with the filters of the board. */
function issueAddress(id: string): string {
  const { parts, query } = place.value;
  return pathTo(...parts, { ...Object.fromEntries(query), issue: id });
}

/** The change of an issue since the template, and the call that made it. */
function changeOf(issue: Issue, { baseline, causes }: IssueMarks) {
  const cause = causes.get(issue.id);
  const mark: Mark = issueMarkOf(baseline, issue) ?? (cause && "touched");
  return { cause, mark };
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

function List({ issues, marks }: { issues: readonly Issue[]; marks: IssueMarks }) {
  return (
    <>
      <Table
        label="Issues"
        columns={["Issue", "Title", "State", "Priority", "Assignee", "Changed"]}
      >
        {issues.slice(0, LIST_MAX).map((issue) => {
          const change = changeOf(issue, marks);
          return (
            <tr
              key={issue.id}
              class={change.mark ? "tinted" : ""}
              title={change.cause && titleOf(change.cause)}
            >
              <td class="number">{issue.identifier}</td>
              <td>
                <a href={issueAddress(issue.id)}>
                  <bdi>{issue.title.slice(0, 300)}</bdi>
                </a>
              </td>
              <td>{issue.state.name}</td>
              <td>{PRIORITIES[issue.priority]}</td>
              <td>{issue.assignee?.name}</td>
              <td>
                <MarkNote {...change} />
              </td>
            </tr>
          );
        })}
      </Table>
      <Rest count={issues.length - LIST_MAX} />
    </>
  );
}
