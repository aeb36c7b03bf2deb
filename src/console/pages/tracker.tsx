/** A tracker environment as one of its users sees it. Differences from the template are tinted. */
import { useMemo, useRef, useState } from "preact/hooks";
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
import { Empty, Ready } from "~/console/parts/basics";
import { Choice, Rest, Search, searched } from "~/console/parts/filters";
import { MarkNote, titleOf } from "~/console/parts/mark-note";
import { UserChoice } from "~/console/parts/user-choice";
import { VirtualList } from "~/console/parts/virtual";
import { pathTo, place } from "~/console/place";
import {
  type Cycle,
  createTracker,
  type Issue,
  type IssuePage,
  issueFilter,
  PRIORITIES,
  type State,
  type Team,
  type Tracker,
} from "~/console/tracker-data";

const NO_CAUSES: ReadonlyMap<string, Cause> = new Map();

/** A workspace as one user sees it. */
type View = {
  readonly environment: EnvironmentDetail;
  readonly tracker: Tracker;
  readonly teams: readonly Team[];
  readonly marks: IssueMarks;
};

export function TrackerWorld({ environment }: { environment: EnvironmentDetail }) {
  const { query } = place.value;
  const { environmentId, run } = environment;
  const as = query.get("as") ?? "";
  const tracker = useMemo(() => createTracker(environment, as), [environmentId, as]);
  const workspace = useLoad((signal) => tracker.workspace(signal), [tracker]);
  const baseline = useLoad(() => readIssueBaseline(environment), [environmentId]);
  const causes = useLoad(() => readCauses(environmentId), [environmentId, run?.runId, run?.status]);
  const marks = { baseline: baseline.data, causes: causes.data ?? NO_CAUSES };
  const chosen = query.get("issue");
  const Issues = query.get("view") === "list" ? List : Board;
  return (
    <Ready of={workspace}>
      {(data) => (
        <>
          <Filters environment={environment} of={data} />
          <Issues view={{ environment, tracker, teams: data.teams, marks }} />
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
  of: { users, teams, projects, cycles },
}: {
  environment: EnvironmentDetail;
  of: Awaited<ReturnType<Tracker["workspace"]>>;
}) {
  const { query } = place.value;
  const cycleName = ({ team, name, number }: Cycle) => `${team.key} ${name ?? `Cycle ${number}`}`;
  return (
    <div class="filters">
      <Search />
      <Choice
        label="Team"
        name="team"
        options={[ALL, ...teams.map(({ key, name }) => [key, name] as const)]}
      />
      <Choice
        label="Project"
        name="project"
        options={[ALL, ...projects.map(({ id, name }) => [id, name] as const)]}
      />
      <Choice
        label="Cycle"
        name="cycle"
        options={[ALL, ...cycles.map((cycle) => [cycle.id, cycleName(cycle)] as const)]}
      />
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

/**
 * The newest issues that pass the filters of the page, `count` pages of them; with those that are known, `more` reads the
 * following ones only.
 */
function useIssues({ environment, tracker }: View, pagesFirst: number) {
  const { query } = place.value;
  const [team = "", project = "", cycle = ""] = ["team", "project", "cycle"].map(
    (name) => query.get(name) ?? "",
  );
  const filter = issueFilter({ team, project, cycle, word: searched() });
  const key = JSON.stringify([environment.environmentId, query.get("as"), filter]);
  const known = useRef<{ key: string; pages: readonly IssuePage[] }>({ key, pages: [] });
  const isStale = useRef(false);
  const [wanted, setWanted] = useState({ key, count: pagesFirst });
  const count = wanted.key === key ? wanted.count : pagesFirst;
  const loaded = useLoad(
    async (signal) => {
      const isKnown = known.current.key === key && !isStale.current;
      isStale.current = false;
      const pages = isKnown ? [...known.current.pages] : [];
      let last = pages.at(-1);
      while (pages.length < count && (!last || last.end !== undefined)) {
        last = await tracker.issues(filter, last?.end, signal);
        pages.push(last);
      }
      known.current = { key, pages };
      return { issues: pages.flatMap(({ issues }) => issues), hasMore: last?.end !== undefined };
    },
    [tracker, key, count],
  );
  const reload = () => {
    isStale.current = true;
    loaded.reload();
  };
  useWorldLive(environment, reload, Math.max(1, known.current.pages.length));
  const more = () => {
    if (loaded.data?.hasMore && known.current.pages.length === count)
      setWanted({ key, count: count + 1 });
  };
  return { loaded, more };
}

function NoIssues({ environment }: View) {
  return (
    <Empty title="No issues, or none that match.">
      <p>
        The agent files issues at <code>{environment.environmentUrl}/graphql</code>.
      </p>
    </Empty>
  );
}

/** In the order of the workflow. */
const TYPES = ["triage", "backlog", "unstarted", "started", "completed", "canceled", "duplicate"];

const byProgress = (a: State, b: State) =>
  TYPES.indexOf(a.type) - TYPES.indexOf(b.type) || a.position - b.position;

/** The board has the newest 3,000 issues, and shows so many of a column. */
const BOARD_PAGES = 12;
const COLUMN_MAX = 100;

function Board({ view }: { view: View }) {
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

function List({ view }: { view: View }) {
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
      <span>{state.name}</span>
      <span>{PRIORITIES[priority]}</span>
      <span>{assignee?.name}</span>
      <span>
        <MarkNote {...change} />
      </span>
    </article>
  );
}
