/** The outcome of a run, and its labels. */
import type { Run } from "~/clients/typescript/schema";
import { Badge } from "~/console/parts/basics";

/** A verdict in a word and a colour. An outcome that says nothing about the agent is not a failure. */
export function Verdict({ run }: { run: Pick<Run, "status" | "gradable" | "cause"> }) {
  if (run.gradable === false)
    return <Badge kind="unsure">not graded{run.cause && `: ${run.cause}`}</Badge>;
  const kind = { running: "busy", completed: "plain", passed: "good", failed: "bad" }[run.status];
  return <Badge kind={kind}>{run.status}</Badge>;
}

export function Labels({ of }: { of: Readonly<Record<string, string>> }) {
  return (
    <span class="labels">
      {Object.entries(of).map(([name, value]) => (
        <span key={name} class="badge plain">
          {name}={value}
        </span>
      ))}
    </span>
  );
}
