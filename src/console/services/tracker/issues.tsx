/** The issues that the board and the list show. */
import { useRef, useState } from "preact/hooks";
import type { EnvironmentDetail } from "~/clients/typescript/schema";
import { useWorldLive } from "~/console/live";
import { useLoad } from "~/console/loading";
import { Empty } from "~/console/parts/basics";
import { searched } from "~/console/parts/filters";
import { pathTo, place } from "~/console/place";
import {
  type IssuePage,
  issueFilter,
  type Team,
  type Tracker,
} from "~/console/services/tracker/data";
import type { IssueMarks } from "~/console/services/tracker/marks";

/** A workspace as one user sees it. */
export type View = {
  readonly environment: EnvironmentDetail;
  readonly tracker: Tracker;
  readonly teams: readonly Team[];
  readonly marks: IssueMarks;
};

/**
 * The newest issues that pass the filters of the page, `count` pages of them; with those that are known, `more` reads the
 * following ones only.
 */
export function useIssues({ environment, tracker }: View, pagesFirst: number) {
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

export function NoIssues({ environment }: View) {
  return (
    <Empty title="No issues, or none that match.">
      <p>
        The agent files issues at <code>{environment.environmentUrl}/graphql</code>.
      </p>
    </Empty>
  );
}

/** The address of an issue on the same page, with the filters of the board. */
export function issueAddress(id: string): string {
  const { parts, query } = place.value;
  return pathTo(...parts, { ...Object.fromEntries(query), issue: id });
}
