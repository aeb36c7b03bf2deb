/** How an attempt at a test ended, and what that means for its verdict. */
import type { Verdict } from "~/evaluation/evaluate";

export const ENDINGS = {
  answered: "the agent finished",
  crashed: "the agent failed, so that the attempt has not passed",
  timed_out: "the agent's time ran out, so that the attempt has not passed",
  interrupted: "the attempt was stopped from outside, and says nothing about the agent",
} as const;
export type EndingKind = keyof typeof ENDINGS;

export type Ending = {
  /** Null if it was not reported. */
  readonly ending: EndingKind | null;
  /** Of the agent's process, if it had one. */
  readonly exitCode: number | null;
};

/** The verdict on the state that an agent left which did not finish. */
export type StateVerdict = Pick<Verdict, "passed" | "success" | "score" | "reward" | "failures">;

export type FinalVerdict = Verdict & {
  readonly stateVerdict?: StateVerdict;
  /** `interrupted`: it is not gradable. `agent_limit`: the run exceeded a limit, and is graded as failed. */
  readonly cause?: "interrupted" | "agent_limit";
};

/** An attempt that did not finish has not passed, whatever its state. */
export function afterEnding(verdict: FinalVerdict, { ending, exitCode }: Ending): FinalVerdict {
  if (ending === null || ending === "answered") return verdict;
  const { passed, success, score, reward, failures } = verdict;
  const code = exitCode === null ? "" : `: exit code ${exitCode}`;
  return {
    ...verdict,
    passed: false,
    success: false,
    reward: 0,
    failures: [`attempt ${ending.replace("_", " ")}${code}`, ...failures],
    stateVerdict: { passed, success, score, reward, failures },
    ...(ending === "interrupted" && { cause: ending }),
  };
}
