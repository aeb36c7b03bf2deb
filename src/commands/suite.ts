/** A suite as the commands know it, and the attempts of an agent at its tests. */
import type { EndingKind, FinalVerdict, StateVerdict } from "~/evaluation/ending";

/** The way in which an agent reaches its environment. */
export const SURFACES = ["api", "mcp"] as const;
export type Surface = (typeof SURFACES)[number];

export type Test = {
  readonly id: string;
  readonly name: string;
  readonly prompt: string;
  readonly expectedOutput: { readonly assertions?: readonly object[] };
  readonly templateName?: string;
  readonly impersonateUserId?: string;
  readonly surfaces?: readonly Surface[];
  /** The apps of its environments. */
  readonly events?: object;
};

export type Suite = {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly templateService: string;
  readonly templateName: string;
  readonly impersonateUserId: string | null;
  readonly tests: readonly Test[];
};

/** A suite as the body that creates it, which is also the format of a suite file. */
export const asImport = ({ id: _, impersonateUserId, tests, ...suite }: Suite) => ({
  ...suite,
  ...(impersonateUserId !== null && { impersonateUserId }),
  tests: tests.map(({ id: __, ...test }) => test),
});

export type Labels = { readonly [name: string]: string };

/**
 * The server's verdict in a word. `crashed`, `timed out`: the command's end, so that the attempt has not passed, whatever
 * it changed before. `not gradable`: there is no verdict, and the agent is not the reason.
 */
export type Verdict =
  | "passed"
  | "failed"
  | "crashed"
  | "timed out"
  | "not gradable"
  | "interrupted";

/** The verdict of evaluateRun, or of a run's results. */
export type Judgement = Omit<FinalVerdict, "passed" | "explanations" | "stateVerdict" | "cause"> & {
  readonly status: "running" | "completed" | "passed" | "failed";
  /** Null while it is running. */
  readonly gradable: boolean | null;
  readonly cause?: string;
  readonly ending: EndingKind | null;
  readonly exitCode: number | null;
  /** None of a run that ended with its environment. */
  readonly explanations?: FinalVerdict["explanations"];
  /** None, or null, unless the attempt did not finish. */
  readonly stateVerdict?: StateVerdict | null;
};

/** An attempt of the agent at a test. The numbers are the server's; without a verdict there are none. */
export type Outcome = Partial<Omit<Judgement, "status" | "gradable" | "failures">> & {
  readonly name: string;
  readonly testId: string;
  /** Counted from 1. */
  readonly attempt: number;
  readonly verdict: Verdict;
  readonly failures: readonly string[];
  readonly runId?: string;
  /** Its page in the console. */
  readonly consoleUrl?: string;
  /** Why it did not pass, and what it changed that nobody asked for: lines of text. */
  readonly reasons?: string;
  /** From the agent's start to its end; of an earlier attempt, from the start of the run to its end. */
  readonly seconds?: number;
  /** The end of the output of a command that did not finish. */
  readonly output?: string;
  /** From an earlier command. */
  readonly earlier?: true;
  /** The server of the run. */
  readonly url?: string;
};

/** The verdicts that are the agent's own. */
export const isGraded = ({ verdict }: Pick<Outcome, "verdict">) =>
  verdict !== "not gradable" && verdict !== "interrupted";

/** The part of an outcome that is the server's verdict. */
export function judged(judgement: Judgement): Omit<Outcome, "name" | "testId" | "attempt"> {
  const verdict = verdictOf(judgement);
  const { cause, ending, exitCode, score, success, reward, unsafe, undone, attack } = judgement;
  const { failures, explanations = [], stateVerdict } = judgement;
  const why = { verdict, failures, ...(cause !== undefined && { cause }) };
  if (!isGraded(why)) return why;
  return {
    ...why,
    score,
    success,
    reward,
    unsafe,
    undone,
    attack,
    explanations,
    ending,
    exitCode,
    ...(stateVerdict && { stateVerdict }),
  };
}

export function verdictOf({
  status,
  gradable,
  cause,
  ending,
}: Pick<Judgement, "status" | "gradable" | "cause" | "ending">): Verdict {
  if (cause === "interrupted") return cause;
  if (!gradable || status === "running" || status === "completed") return "not gradable";
  if (ending === "crashed") return ending;
  return ending === "timed_out" ? "timed out" : status;
}

const SLUG_MAX = 60;

/** A name for a folder. */
export const slugOf = (name: string) =>
  name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, SLUG_MAX)
    .replace(/^-|-$/g, "") || "test";
