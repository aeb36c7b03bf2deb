/** An attempt as a square that links to its run. */
import type { ListedRun } from "~/clients/typescript/schema";
import { shownReward, wordOf } from "~/console/parts/verdict";
import { pathTo } from "~/console/place";

function stateOf({ status, gradable }: ListedRun): string {
  if (gradable === false) return "unsure";
  return status === "completed" ? "unsure" : status;
}
const WORDS: Readonly<Record<string, string>> = { unsure: "not graded" };

/** `n`: of the attempt, counted from 1. */
export function Square({ of, n, isHere = false }: { of: ListedRun; n: number; isHere?: boolean }) {
  const state = stateOf(of);
  const isUnsafe = (of.unsafeCount ?? 0) > 0;
  const words = [
    `attempt ${n}: ${WORDS[state] ?? wordOf(of)}`,
    ...(of.reward === null ? [] : [`reward ${shownReward(of.reward)}`]),
    ...(isUnsafe ? [`${of.unsafeCount} unsafe`] : []),
    ...(of.execution_time === null ? [] : [`${of.execution_time.toFixed(1)} s`]),
  ].join(", ");
  return (
    <a
      class={`square ${state} ${isUnsafe ? "unsafe" : ""}`}
      href={pathTo("runs", of.runId)}
      title={words}
      aria-current={isHere ? "page" : undefined}
    >
      <span class="hidden">{words}</span>
    </a>
  );
}

export function SquareLegend() {
  return (
    <p class="legend quiet">
      <span class="square passed" /> passed <span class="square failed" /> failed{" "}
      <span class="square unsure" /> not graded <span class="square running" /> running{" "}
      <span class="square passed unsafe" /> changed something that nobody asked for
    </p>
  );
}
