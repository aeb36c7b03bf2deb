/** The outcome of a run, and its labels. */
import type { Run } from "~/clients/typescript/schema";
import { Badge } from "~/console/parts/basics";
import { pathTo } from "~/console/place";

type Judged = Pick<Run, "status" | "gradable" | "cause"> & Partial<Pick<Run, "ending">>;

/** A verdict in a word and a colour. An outcome that says nothing about the agent is not a failure. */
export function Verdict({ run }: { run: Judged }) {
  if (run.gradable === false)
    return <Badge kind="unsure">not graded{run.cause && `: ${run.cause}`}</Badge>;
  const kind = { running: "busy", completed: "plain", passed: "good", failed: "bad" }[run.status];
  const because = run.cause === "agent_limit" && `: ${run.cause}`;
  return (
    <Badge kind={kind}>
      {wordOf(run)}
      {because}
    </Badge>
  );
}

/** A failed attempt of an agent that did not finish has a word of its own. */
export function wordOf({ status, ending }: Judged): string {
  if (status === "failed" && ending === "crashed") return "crashed";
  return status === "failed" && ending === "timed_out" ? "timed out" : status;
}

/** A reward, or a mean of rewards; null without one. */
export const shownReward = (reward: number | null | undefined) =>
  reward === null || reward === undefined ? "–" : `${Number(reward.toFixed(2))}`;

/** `isLinked`: each leads to the runs that have it too. */
export function Labels({
  of,
  isLinked = false,
}: {
  of: Readonly<Record<string, string>>;
  isLinked?: boolean;
}) {
  return (
    <span class="labels">
      {Object.entries(of).map(([name, value]) => {
        const text = `${name}=${value}`;
        return isLinked ? (
          <a
            key={name}
            class="badge plain"
            href={pathTo("runs", { label: text })}
            title={`Runs with ${text}`}
          >
            {text}
          </a>
        ) : (
          <span key={name} class="badge plain" title={text}>
            {text}
          </span>
        );
      })}
    </span>
  );
}
