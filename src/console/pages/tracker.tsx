/** A tracker environment as one of its users sees it. What differs from the template is tinted. */
import { useMemo } from "preact/hooks";
import type { EnvironmentDetail } from "~/clients/typescript/schema";
import { isOf, useLive } from "~/console/live";
import { useLoad } from "~/console/loading";
import {
  type Cause,
  causeOfIssue,
  type IssueMarks,
  issueMarkOf,
  PRIORITIES,
  readCauses,
  readIssueBaseline,
} from "~/console/marks";
import { IssueView } from "~/console/pages/issue";
import { Empty, Ready, Table } from "~/console/parts/basics";
import { Search } from "~/console/parts/filters";
import { pathTo, place, setQuery } from "~/console/place";
import {
  createTracker,
  type Issue,
  type Person,
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
  useLive(issues.reload, isOf(environmentId), run?.status !== "running");
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
    issues.flatMap(({ project }) => (project ? [[project.id, project.name]] : [])),
  );
  const cycles = new Map(
    issues.flatMap(({ cycle }) =>
      cycle ? [[cycle.id, cycle.name ?? `Cycle ${cycle.number}`]] : [],
    ),
  );
  const choices = [
    ["Team", "team", teams.map(({ key, name }) => [key, name] as const)],
    ["Project", "project", [...projects]],
    ["Cycle", "cycle", [...cycles]],
  ] as const;
  return (
    <div class="filters">
      <Search />
      {choices.map(([label, name, options]) => (
        <label key={name}>
          {label}
          <select
            value={query.get(name) ?? ""}
            onChange={({ currentTarget }) => setQuery({ [name]: currentTarget.value })}
          >
            <option value="">all</option>
            {options.map(([value = "", text]) => (
              <option key={value} value={value}>
                {text}
              </option>
            ))}
          </select>
        </label>
      ))}
      <label>
        View
        <select
          value={query.get("view") ?? "board"}
          onChange={({ currentTarget }) => setQuery({ view: currentTarget.value })}
        >
          <option>board</option>
          <option>list</option>
        </select>
      </label>
      <label>
        As user
        <select
          value={query.get("as") || environment.impersonateUserId}
          onChange={({ currentTarget }) => setQuery({ as: currentTarget.value })}
        >
          {users.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
              {id === environment.impersonateUserId ? " (the agent)" : ""}
            </option>
          ))}
        </select>
      </label>
    </div>
  );
}

/** In the order in which work proceeds. */
const TYPES = ["triage", "backlog", "unstarted", "started", "completed", "canceled", "duplicate"];

const byProgress = (a: State, b: State) =>
  TYPES.indexOf(a.type) - TYPES.indexOf(b.type) || a.position - b.position;

/** Issues of a column that are shown until somebody filters. */
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
  const word = (query.get("q") ?? "").trim().toLowerCase();
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
      <Empty title={all.length === 0 ? "No issues." : "None fits the filter."}>
        <p>
          The agent files issues at <code>{environment.environmentUrl}/graphql</code>.
        </p>
      </Empty>
    );
  if (query.get("view") === "list")
    return <List issues={shown} environment={environment} marks={marks} />;
  // States of several teams with one name are one column.
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
              <Card key={issue.id} issue={issue} environment={environment} marks={marks} />
            ))}
            {inside.length > COLUMN_MAX && (
              <p class="quiet">and {inside.length - COLUMN_MAX} more</p>
            )}
          </section>
        );
      })}
    </section>
  );
}

/** The address of an issue, with the filters of the board. */
function issueAddress(environmentId: string, id: string): string {
  const query = Object.fromEntries(place.value.query);
  return pathTo("environments", environmentId, { ...query, issue: id });
}

function MarkNote({ issue, marks }: { issue: Issue; marks: IssueMarks }) {
  const mark = issueMarkOf(marks.baseline, issue);
  const cause = causeOfIssue(marks.causes, issue.id);
  if (!mark && !cause) return null;
  return (
    <span class="by">
      {mark ?? "touched"}
      {cause && (
        <>
          {" by "}
          <a
            href={pathTo("runs", cause.runId)}
            title={`call ${cause.n} of run ${cause.runId}: ${cause.name}`}
          >
            call {cause.n}
          </a>
        </>
      )}
    </span>
  );
}

const isTinted = (issue: Issue, { baseline, causes }: IssueMarks) =>
  issueMarkOf(baseline, issue) !== undefined || causeOfIssue(causes, issue.id) !== undefined;

function Card({
  issue,
  environment,
  marks,
}: {
  issue: Issue;
  environment: EnvironmentDetail;
  marks: IssueMarks;
}) {
  const { identifier, title, priority, assignee, labels } = issue;
  return (
    <article class={`card ${isTinted(issue, marks) ? "tinted" : ""}`}>
      <span class="quiet">{identifier}</span> <MarkNote issue={issue} marks={marks} />
      <div>
        <a href={issueAddress(environment.environmentId, issue.id)}>
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

function List({
  issues,
  environment,
  marks,
}: {
  issues: readonly Issue[];
  environment: EnvironmentDetail;
  marks: IssueMarks;
}) {
  return (
    <Table label="Issues" columns={["Issue", "Title", "State", "Priority", "Assignee", "Changed"]}>
      {issues.slice(0, LIST_MAX).map((issue) => (
        <tr key={issue.id} class={isTinted(issue, marks) ? "tinted" : ""}>
          <td class="number">{issue.identifier}</td>
          <td>
            <a href={issueAddress(environment.environmentId, issue.id)}>
              <bdi>{issue.title.slice(0, 300)}</bdi>
            </a>
          </td>
          <td>{issue.state.name}</td>
          <td>{PRIORITIES[issue.priority]}</td>
          <td>{issue.assignee?.name}</td>
          <td>
            <MarkNote issue={issue} marks={marks} />
          </td>
        </tr>
      ))}
    </Table>
  );
}
