/** A suite as the commands know it, and the attempts of an agent at its tests. */

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

export type Labels = { readonly [name: string]: string };

/**
 * `crashed`, `timed out`: the command's end; it does not pass, whatever it changed before. `not gradable`: there is no
 * verdict, and the agent is not the reason.
 */
export type Verdict =
  | "passed"
  | "failed"
  | "crashed"
  | "timed out"
  | "not gradable"
  | "interrupted";

/** The verdict of evaluateRun. */
export type Judgement = {
  readonly status: "passed" | "failed";
  readonly score: { readonly passed: number; readonly total: number; readonly percent: number };
  readonly failures: readonly string[];
  readonly explanations: readonly {
    /** Counted from 1; 0: the whole test. */
    readonly assertion: number;
    readonly summary: string;
    readonly nearest: readonly {
      readonly key: { readonly [column: string]: unknown };
      readonly failed: readonly string[];
    }[];
  }[];
};

/** An attempt of the agent at a test. */
export type Outcome = Partial<Omit<Judgement, "status">> & {
  readonly name: string;
  readonly testId: string;
  /** Counted from 1. */
  readonly attempt: number;
  readonly verdict: Verdict;
  readonly failures: readonly string[];
  readonly runId?: string;
  /** Why it is not gradable, if the server knows. */
  readonly cause?: string;
  /** From the agent's start to its end; of an earlier attempt, from the start of the run to its end. */
  readonly seconds?: number;
  readonly exitCode?: number | null;
  /** The end of the output of a command that did not finish. */
  readonly output?: string;
  /** From an earlier command. */
  readonly earlier?: true;
};

/** The verdicts that are the agent's own. */
export const isGraded = ({ verdict }: Outcome) =>
  verdict !== "not gradable" && verdict !== "interrupted";

const SLUG_MAX = 60;

/** A name for a folder. */
export const slugOf = (name: string) =>
  name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, SLUG_MAX)
    .replace(/^-|-$/g, "") || "test";
