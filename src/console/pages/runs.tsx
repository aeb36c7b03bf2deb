/** The caller's runs. */
import type { ListedRun, RunList } from "~/clients/typescript/schema";
import { addressOf, get, type Query } from "~/console/api";
import { useLive } from "~/console/live";
import { useLoad } from "~/console/loading";
import { Head, Id, Ready } from "~/console/parts/basics";
import { duration, Time } from "~/console/parts/clock";
import { AsJson } from "~/console/parts/dialog";
import { Choice, Listing, Search } from "~/console/parts/filters";
import { Labels, shownReward, Verdict } from "~/console/parts/verdict";
import { pathTo, place } from "~/console/place";

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
        <Choice label="Status" name="status" options={STATUSES} />
      </div>
      <RunTable query={wanted} hasMore />
    </>
  );
}

export function RunTable({ query, hasMore = false }: { query: Query; hasMore?: boolean }) {
  const list = useLoad((signal) => get<RunList>("/runs", query, signal), [JSON.stringify(query)]);
  useLive(list.reload, ({ name }) => name === "run");
  return (
    <Ready of={list}>
      {({ runs, nextCursor }) => (
        <Listing
          label="Runs"
          columns={[
            "Run",
            "Verdict",
            "Score",
            "Reward",
            "Unsafe",
            "Environment",
            "Labels",
            "Started",
            "Took",
          ]}
          items={runs}
          textsOf={({ runId, environmentId, labels }) => [
            runId,
            environmentId,
            ...Object.entries(labels).map((pair) => pair.join("=")),
          ]}
          row={(run) => <Row key={run.runId} run={run} />}
          nextCursor={hasMore ? nextCursor : undefined}
        >
          <p>
            A run records everything that changes in an environment:{" "}
            <code>POST /api/platform/startRun</code> starts one.
          </p>
        </Listing>
      )}
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
      <td class="number">{shownReward(run.reward)}</td>
      <td class="number">{run.unsafeCount ?? "–"}</td>
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
