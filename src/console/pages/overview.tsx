/** The state of the server, its load, and the newest environments and runs. */
import { useEffect } from "preact/hooks";
import type { Overview as Numbers } from "~/clients/typescript/schema";
import { addressOf, get } from "~/console/api";
import { history, note } from "~/console/history";
import { useLoad } from "~/console/loading";
import { EnvironmentTable } from "~/console/pages/environments";
import { RunTable, useRuns } from "~/console/pages/runs";
import { Badge, Head, Ready, Table, Tile } from "~/console/parts/basics";
import { Chart } from "~/console/parts/chart";
import { AsJson } from "~/console/parts/dialog";
import { pathTo } from "~/console/place";

const NEWEST = 8;
const READ_MS = 5_000;
const SOON_MS = 1_000;

export function Overview() {
  const numbers = useLoad((signal) => get<Numbers>("/overview", {}, signal), []);
  useEffect(() => {
    const timer = setInterval(() => {
      if (!document.hidden) numbers.reload();
    }, READ_MS);
    // A second reading soon: rates need two.
    const soon = setTimeout(numbers.reload, SOON_MS);
    return () => {
      clearInterval(timer);
      clearTimeout(soon);
    };
  }, []);
  useEffect(() => {
    if (numbers.data) note(numbers.data);
  }, [numbers.data]);
  return (
    <>
      <Head title="Overview">
        <AsJson address={addressOf("/overview")} />
      </Head>
      <Ready of={numbers}>
        {(data) => (
          <>
            <Tiles of={data} />
            <Charts />
          </>
        )}
      </Ready>
      <h2>
        <a href={pathTo("environments")}>Newest environments</a>
      </h2>
      <EnvironmentTable query={{ status: "active", limit: NEWEST }} />
      <h2>
        <a href={pathTo("runs")}>Newest runs</a>
      </h2>
      <NewestRuns />
      {numbers.data && <Lists of={numbers.data} />}
    </>
  );
}

function NewestRuns() {
  return <RunTable of={useRuns(() => ({ limit: NEWEST }), [])} />;
}

function Charts() {
  const { at, calls, errors, median, p95 } = history.value;
  return (
    <div class="charts">
      <Chart
        title="Calls to this server"
        unit="/s"
        at={at}
        series={[
          { name: "all", values: calls },
          { name: "with errors", values: errors },
        ]}
      />
      <Chart
        title="Creating an environment"
        unit="ms"
        at={at}
        series={[
          { name: "p50", values: median },
          { name: "p95", values: p95 },
        ]}
      />
    </div>
  );
}

const MIB = 1024 * 1024;
const mebibytes = (bytes: number) => `${(bytes / MIB).toFixed(1)} MiB`;

function Tiles({
  of: { status, version, postgres, own, runs, environments, capture, calls },
}: {
  of: Numbers;
}) {
  const { passed, failed, notGradable } = own.verdicts;
  const all = environments.reduce((sum, { count }) => sum + count, 0);
  const isFull = capture !== null && capture.retainedBytes > capture.budgetBytes / 2;
  return (
    <dl class="tiles">
      <Tile name="Server" note={`version ${version}, Postgres ${postgres ?? "unknown"}`}>
        <Badge kind={status === "ready" ? "good" : "bad"}>{status}</Badge>
      </Tile>
      <Tile name="Your environments" note={`${all} of all users`}>
        {own.environments}
      </Tile>
      <Tile
        name="Your runs"
        note={`${runs.running + runs.ending + runs.evaluating} of all users not ended`}
      >
        {own.runs}
      </Tile>
      <Tile name="Verdicts of 24 hours" note={`${failed} failed, ${notGradable} not graded`}>
        {passed} passed
      </Tile>
      {capture && (
        <Tile
          name="Log retained"
          note={`of ${mebibytes(capture.budgetBytes)}, ${mebibytes(capture.lagBytes)} behind`}
        >
          {isFull ? (
            <Badge kind="unsure">{mebibytes(capture.retainedBytes)}</Badge>
          ) : (
            mebibytes(capture.retainedBytes)
          )}
        </Tile>
      )}
      <Tile name="Calls in flight" note="at this server">
        {calls.inFlight}
      </Tile>
    </dl>
  );
}

function Lists({ of: { pool, calls } }: { of: Numbers }) {
  return (
    <div class="pair">
      {pool.length > 0 && (
        <Table label="Schemas ready" columns={["Template", "Schemas ready", "Target"]}>
          {pool.map(({ template, ready, target }) => (
            <tr key={template}>
              <td>{template}</td>
              <td class="number">
                {ready < target ? <Badge kind="unsure">{ready}</Badge> : ready}
              </td>
              <td class="number">{target}</td>
            </tr>
          ))}
        </Table>
      )}
      {calls.errors.length > 0 && (
        <Table label="Errors" columns={["Errors since the start", "Count"]}>
          {calls.errors.map(({ code, count }) => (
            <tr key={code}>
              <td>
                <code>{code}</code>
              </td>
              <td class="number">{count}</td>
            </tr>
          ))}
        </Table>
      )}
    </div>
  );
}
