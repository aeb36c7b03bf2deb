/** The caller's runs. */
import type { ListedRun, RunList } from "~/clients/typescript/schema";
import { addressOf, call, get, type Query } from "~/console/api";
import { useLive } from "~/console/live";
import { type Loaded, useLoad } from "~/console/loading";
import { Empty, Head, Id, Ready } from "~/console/parts/basics";
import { duration, Time } from "~/console/parts/clock";
import { AsJson } from "~/console/parts/dialog";
import { Listing } from "~/console/parts/filters";
import { filtersOf, queryOf, RunFilters, Searched, useSuites } from "~/console/parts/run-filters";
import { Bookmark, RunName, SuiteOf } from "~/console/parts/run-name";
import { Labels, shownReward, Verdict } from "~/console/parts/verdict";
import { pathTo } from "~/console/place";

const PER_PAGE = 100;

export function Runs() {
  const suites = useSuites();
  const filters = filtersOf();
  const list = useRuns(() => ({ ...queryOf(), limit: PER_PAGE, count: "true" }), filters);
  return (
    <>
      <Head title="Runs">
        <AsJson address={addressOf("/runs", { ...queryOf(), limit: PER_PAGE })} />
      </Head>
      <RunFilters of={suites} />
      <Searched
        counts={list.data?.asked === filters.join() ? list.data.counts : undefined}
        of={suites}
      />
      <RunTable of={list} hasMore />
    </>
  );
}

/** A list of runs that follows the server's events. `inputs`: of the query, which is made when the list is read. */
export function useRuns(query: () => Query, inputs: readonly string[]) {
  const list = useLoad(async (signal) => {
    const runs = await get<RunList>("/runs", query(), signal);
    return { ...runs, asked: inputs.join() };
  }, inputs);
  useLive(list.reload, ({ name }) => name === "run");
  return list;
}

const COLUMNS = [
  ...["Run", "Verdict", "Reward", "Unsafe", "Labels", "Environment", "Started", "Took"],
  <span key="bookmark" class="hidden">
    Bookmark
  </span>,
];

export function RunTable({ of, hasMore = false }: { of: Loaded<RunList>; hasMore?: boolean }) {
  return (
    <Ready of={of}>
      {({ runs, nextCursor, counts }) =>
        runs.length === 0 && counts && counts.all > 0 ? (
          <Empty title="No run matches.">
            <p>The server searched all your runs. Clear the filters, or search for less.</p>
          </Empty>
        ) : (
          <Listing
            label="Runs"
            columns={COLUMNS}
            items={runs}
            textsOf={() => [""]}
            row={(run) => <Row key={run.runId} run={run} reload={of.reload} />}
            nextCursor={hasMore ? nextCursor : undefined}
          >
            <p>
              A run records everything that an agent changes. <code>diorama suites run</code> makes
              one for each attempt at a test; <code>POST /api/platform/startRun</code> starts one in
              any environment, and so does each call in the{" "}
              <a href={pathTo("playground")}>playground</a>.
            </p>
          </Listing>
        )
      }
    </Ready>
  );
}

function Row({ run, reload }: { run: ListedRun; reload: () => void }) {
  const mark = async (bookmarked: boolean) => {
    await call("PATCH", `/runs/${run.runId}`, { body: { bookmarked } });
    reload();
  };
  return (
    <tr>
      <th scope="row">
        <RunName of={run} />
        <div class="quiet under">
          <SuiteOf run={run} /> <Id id={run.runId} name="run's id" />
        </div>
        {run.note && (
          <div class="quiet note-line">
            <bdi>{run.note.slice(0, 200)}</bdi>
          </div>
        )}
      </th>
      <td>
        <Verdict run={run} />{" "}
        {run.score && (
          <span class="quiet number" title="Assertions that hold">
            {run.score.passed} of {run.score.total}
          </span>
        )}
      </td>
      <td class="number">{shownReward(run.reward)}</td>
      <td class="number">{run.unsafeCount ?? "–"}</td>
      <td>
        <Labels of={run.labels} isLinked />
      </td>
      <td>
        <a class="plain" href={pathTo("templates", run.templateName)}>
          {run.templateName}
        </a>
        <div>
          <Id
            id={run.environmentId}
            href={pathTo("environments", run.environmentId)}
            name="environment's id"
          />
        </div>
      </td>
      <td>
        <Time at={run.startedAt} />
      </td>
      <td class="number">
        {run.execution_time === null ? "–" : duration(run.execution_time * 1000)}
      </td>
      <td class="mark">
        <Bookmark isOn={run.bookmarked} set={mark} />
      </td>
    </tr>
  );
}
