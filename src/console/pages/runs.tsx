/** The caller's runs. */
import type { ListedRun, RunList } from "~/clients/typescript/schema";
import { addressOf, get, type Query } from "~/console/api";
import { useLive } from "~/console/live";
import { useLoad } from "~/console/loading";
import { Empty, Head, Id, Ready, Table } from "~/console/parts/basics";
import { duration, Time } from "~/console/parts/clock";
import { AsJson } from "~/console/parts/dialog";
import { Choice, More, Search } from "~/console/parts/filters";
import { Labels, Verdict } from "~/console/parts/verdict";
import { pathTo, place, setQuery } from "~/console/place";

const PER_PAGE = 200;
const STATUSES = ["", "running", "passed", "failed", "completed"];

export function Runs() {
  const { query } = place.value;
  const status = query.get("status") ?? "";
  const environmentId = query.get("environment") ?? "";
  const cursor = query.get("cursor") ?? undefined;
  const wanted = { status, environmentId, limit: PER_PAGE, cursor };
  return (
    <>
      <Head title="Runs">
        <AsJson address={addressOf("/runs", wanted)} />
      </Head>
      <div class="filters">
        <Search />
        <Choice label="Status" name="status" value={status} options={STATUSES} />
      </div>
      <RunTable query={wanted} text={query.get("q") ?? ""} hasMore />
    </>
  );
}

const isFound = (run: ListedRun, text: string) =>
  [run.runId, run.environmentId, ...Object.entries(run.labels).map((pair) => pair.join("="))].some(
    (field) => field.toLowerCase().includes(text.trim().toLowerCase()),
  );

export function RunTable({
  query,
  text = "",
  hasMore = false,
}: {
  query: Query;
  text?: string;
  hasMore?: boolean;
}) {
  const list = useLoad((signal) => get<RunList>("/runs", query, signal), [JSON.stringify(query)]);
  useLive(list.reload, ({ name }) => name === "run");
  return (
    <Ready of={list}>
      {({ runs, nextCursor }) => {
        const shown = runs.filter((each) => isFound(each, text));
        return (
          <>
            {shown.length === 0 ? (
              <Empty title={runs.length === 0 ? "No runs." : "None fits the filter."}>
                <p>
                  A run records everything that changes in an environment:{" "}
                  <code>POST /api/platform/startRun</code> starts one.
                </p>
              </Empty>
            ) : (
              <Table
                label="Runs"
                columns={["Run", "Verdict", "Score", "Environment", "Labels", "Started", "Took"]}
              >
                {shown.map((run) => (
                  <Row key={run.runId} run={run} />
                ))}
              </Table>
            )}
            {hasMore && nextCursor && <More onClick={() => setQuery({ cursor: nextCursor })} />}
          </>
        );
      }}
    </Ready>
  );
}

function Row({ run }: { run: ListedRun }) {
  return (
    <tr>
      <td>
        <Id id={run.runId} href={pathTo("runs", run.runId)} name="run's id" />
      </td>
      <td>
        <Verdict run={run} />
      </td>
      <td class="number">{run.score ? `${run.score.passed} of ${run.score.total}` : "–"}</td>
      <td>
        <Id id={run.environmentId} name="environment's id" />
      </td>
      <td>
        <Labels of={run.labels} />
      </td>
      <td>
        <Time at={run.startedAt} />
      </td>
      <td class="number">
        {run.execution_time === null ? "–" : duration(run.execution_time * 1000)}
      </td>
    </tr>
  );
}
