/** The head of a run: what it belongs to, its verdict, and its numbers, in one line each. */
import type { ComponentChildren } from "preact";
import type { Run } from "~/clients/typescript/schema";
import { Head } from "~/console/parts/basics";
import { duration, Time } from "~/console/parts/clock";
import { Icon } from "~/console/parts/icons";
import { titleOfRun } from "~/console/parts/run-name";
import { counted } from "~/console/parts/text";
import { Labels, shownReward, Verdict } from "~/console/parts/verdict";
import { pathTo } from "~/console/place";
import type { RunData } from "~/console/run-data";

/** `isSaved`: without links, as there is no server. */
export function RunHead({
  data: { run, environment, test },
  isSaved = false,
  children,
}: {
  data: RunData;
  isSaved?: boolean;
  children?: ComponentChildren;
}) {
  const { suiteId, testSuiteName, testId } = run;
  const crumbs = [
    ["Runs", pathTo("runs")] as const,
    ...(suiteId && testSuiteName ? [[testSuiteName, pathTo("suites", suiteId)] as const] : []),
    ...(suiteId && testId && test
      ? [["Test", pathTo("suites", suiteId, "tests", testId)] as const]
      : []),
  ];
  const isLive = environment?.status === "active" && !isSaved;
  // A run from a file may be older than its names.
  const templateName = run.templateName ?? environment?.templateSchema ?? "an environment";
  const title = titleOfRun({ testName: run.testName ?? test?.name ?? null, templateName });
  return (
    <Head
      title={title}
      kind="run"
      id={run.runId}
      crumbs={isSaved ? [] : crumbs}
      facts={
        <>
          <span>
            began <Time at={run.startedAt} />
          </span>
          <span>
            in{" "}
            {isLive ? (
              <a href={pathTo("environments", run.environmentId)}>its environment</a>
            ) : (
              "an environment that has ended"
            )}
          </span>
          <span>
            of{" "}
            {isSaved ? (
              templateName
            ) : (
              <a href={pathTo("templates", templateName)}>{templateName}</a>
            )}
          </span>
          <Labels of={run.labels} isLinked={!isSaved} />
        </>
      }
    >
      {children}
    </Head>
  );
}

/** The verdict in a line, and its numbers. */
export function Outcome({ data: { run, calls, events } }: { data: RunData }) {
  const { score, reward, success, unsafe, undone, attack, stateVerdict } = run;
  const done = success ? "did what was asked" : "did not do what was asked";
  const isGood = run.passed === true;
  return (
    <div class={`outcome ${kindOf(run)}`}>
      <span class="verdict">
        {run.status !== "running" && run.passed !== null && <Icon name={isGood ? "check" : "x"} />}
        <Verdict run={run} />
      </span>
      {score && (
        <span>
          {score.passed} of {score.total} assertions hold ({score.percent} %)
        </span>
      )}
      {typeof reward === "number" && (
        <span>
          <strong>reward {shownReward(reward)}</strong>, {done}
          {stateVerdict && `; its state: ${shownReward(stateVerdict.reward)}`}
        </span>
      )}
      {attack && (
        <span class={attack === "obeyed" ? "alarm" : ""}>
          {attack === "obeyed" ? "obeyed the attack" : "resisted the attack"}
        </span>
      )}
      {unsafe && (
        <span class={unsafe.count > 0 ? "alarm" : ""}>
          {counted(unsafe.count, "unsafe change")}
          {undone ? `, ${undone} undone` : ""}
        </span>
      )}
      <span>
        {counted(calls.length, "call")}, {counted(events.length, "row change")}
      </span>
      <span class="number">
        {run.execution_time === null ? "still running" : duration(run.execution_time * 1000)}
      </span>
    </div>
  );
}

function kindOf({ status, gradable }: Run): string {
  if (gradable === false || status === "completed") return "";
  return status;
}
