/** A run in short: its prompt, its verdict and numbers, and where it happened. */
import type { Run } from "~/clients/typescript/schema";
import { Id, Tile } from "~/console/parts/basics";
import { duration, Time } from "~/console/parts/clock";
import { counted, Long } from "~/console/parts/text";
import { Labels, shownReward, Verdict } from "~/console/parts/verdict";
import { pathTo } from "~/console/place";
import type { RunData } from "~/console/run-data";

export function Summary({ data, isSaved }: { data: RunData; isSaved: boolean }) {
  const { run, environment, test, calls, events } = data;
  const live = !isSaved && environment?.status === "active";
  return (
    <>
      {test && (
        <blockquote class="prompt">
          <Long text={test.prompt} />
        </blockquote>
      )}
      <dl class="tiles">
        <Tile
          name="Verdict"
          note={
            run.score &&
            `${run.score.passed} of ${run.score.total} assertions hold (${run.score.percent} %)`
          }
        >
          <Verdict run={run} />
        </Tile>
        {run.score && <Judgement of={run} />}
        <Tile name="Calls" note={counted(events.length, "row change")}>
          {calls.length.toLocaleString("en")}
        </Tile>
        <Tile
          name="Took"
          note={
            <>
              began <Time at={run.startedAt} />
            </>
          }
        >
          {run.execution_time === null ? "…" : duration(run.execution_time * 1000)}
        </Tile>
        <Tile name="Environment" isSmall note={environment?.templateSchema ?? "gone"}>
          <Id
            id={run.environmentId}
            name="environment's id"
            {...(live && { href: pathTo("environments", run.environmentId) })}
          />
        </Tile>
        {test && (
          <Tile name="Test" isSmall>
            {test.name}
          </Tile>
        )}
        {Object.keys(run.labels).length > 0 && (
          <Tile name="Labels" isSmall>
            <Labels of={run.labels} />
          </Tile>
        )}
      </dl>
      {!data.isComplete && (
        <p class="note">
          Some calls or changes of this run are not shown: it has more than a page can hold.
        </p>
      )}
    </>
  );
}

/** A run from a file may be older than these numbers. */
function Judgement({ of: { success, reward, unsafe, undone, stateVerdict } }: { of: Run }) {
  const done = success ? "did what was asked" : "did not do what was asked";
  const state = stateVerdict && `; its state: ${shownReward(stateVerdict.reward)}`;
  return (
    <>
      {typeof reward === "number" && (
        <Tile name="Reward" note={`${done}${state ?? ""}`}>
          {shownReward(reward)}
        </Tile>
      )}
      {unsafe && (
        <Tile name="Unsafe changes" note={undone ? `${undone} undone` : undefined}>
          {unsafe.count.toLocaleString("en")}
        </Tile>
      )}
    </>
  );
}
