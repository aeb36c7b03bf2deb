/** A run: what was asked, the verdict and its reasons, its calls with the places they touched, and its net effect. */
import { useMemo, useState } from "preact/hooks";
import { Calls } from "~/console/parts/calls";
import { NetDiff } from "~/console/parts/changes";
import { Failures, Reasons } from "~/console/parts/reasons";
import { Outcome } from "~/console/parts/run-head";
import { RunNote } from "~/console/parts/run-note";
import { Long } from "~/console/parts/text";
import { createHistory } from "~/console/rebuilt";
import { type RunData, serviceOfRun } from "~/console/run-data";
import { recordsOf } from "~/console/services/records";

/** `reload`: reads the run anew; undefined if it was saved. */
export function RunView({ data, reload }: { data: RunData; reload?: () => void }) {
  const history = useMemo(() => createHistory(data, recordsOf(serviceOfRun(data))), [data]);
  const [wanted, want] = useState<{ readonly n: number }>();
  const { names } = history;
  const { run, reasons, environment } = data;
  const isLive = reload !== undefined && environment?.status === "active";
  return (
    <>
      <Outcome data={data} />
      <RunNote of={run} reload={reload} />
      {reasons?.prompt && (
        <section class="asked" aria-label="Asked">
          <h2>Asked</h2>
          <blockquote class="prompt">
            <Long text={reasons.prompt} />
          </blockquote>
        </section>
      )}
      {!data.isComplete && (
        <p class="note">
          Some calls or changes of this run are not shown: it has more than a page can hold.
        </p>
      )}
      {reasons ? (
        <Reasons
          of={reasons}
          failures={run.failures}
          isPassed={run.passed}
          links={{
            show: (n) => want({ n }),
            environment: isLive ? environment : undefined,
          }}
        />
      ) : (
        <Failures of={run.failures} />
      )}
      <Calls data={data} history={history} wanted={wanted} />
      <h2>Net effect</h2>
      {run.diff ? (
        <NetDiff diff={run.diff} names={names} />
      ) : (
        <p class="empty">
          {run.status === "running"
            ? "It is known when the run ends."
            : `It is not known: ${run.cause === "agent_limit" ? "the run exceeded a limit" : "the run is not gradable"}.`}
        </p>
      )}
    </>
  );
}
