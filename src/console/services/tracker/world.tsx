/** A tracker environment as one of its users sees it. Differences from the template are tinted. */
import { useMemo } from "preact/hooks";
import type { EnvironmentDetail } from "~/clients/typescript/schema";
import { useLoad } from "~/console/loading";
import { useMarks } from "~/console/marks";
import { Ready } from "~/console/parts/basics";
import { useWorldClock } from "~/console/parts/clock";
import { Choice, Search } from "~/console/parts/filters";
import { UserChoice } from "~/console/parts/user-choice";
import { place } from "~/console/place";
import type { WorldProps } from "~/console/services/service";
import { Board } from "~/console/services/tracker/board";
import { type Cycle, createTracker, type Tracker } from "~/console/services/tracker/data";
import { IssueView } from "~/console/services/tracker/issue";
import { List } from "~/console/services/tracker/list";
import { readBaseline, subjectsOf } from "~/console/services/tracker/marks";

export function TrackerWorld({ environment }: WorldProps) {
  const { query } = place.value;
  const { environmentId } = environment;
  const as = query.get("as") ?? "";
  const tracker = useMemo(() => createTracker(environment, as), [environmentId, as]);
  const workspace = useLoad((signal) => tracker.workspace(signal), [tracker]);
  const marks = useMarks(environment, readBaseline, subjectsOf);
  const clock = useWorldClock(environment);
  const chosen = query.get("issue");
  const Issues = query.get("view") === "list" ? List : Board;
  return (
    <Ready of={workspace}>
      {(data) => (
        <>
          <Filters environment={environment} of={data} />
          <Issues view={{ environment, tracker, teams: data.teams, marks }} />
          {chosen && (
            <IssueView
              key={`${chosen} ${as}`}
              tracker={tracker}
              id={chosen}
              marks={marks}
              clock={clock}
            />
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
