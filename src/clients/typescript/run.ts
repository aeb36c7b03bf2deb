/** A run: the recording of everything that changes in an environment. */
import { DioramaError, type Http } from "./http";
import type {
  Call,
  CallPage,
  Diff,
  Ending,
  ExpectedOutput,
  NewRun,
  Run as Results,
  RunReasons,
  EvaluatedRun as Verdict,
} from "./schema";

export type { NewRun };

/** How the attempt at a test ended. One that `crashed` or `timed_out` has not passed. */
export type RunEnd = {
  readonly ending?: Ending;
  readonly exitCode?: number;
  /** The price of the attempt, in US dollars. */
  readonly costUsd?: number;
};

/** A page of the list of calls. */
const CALLS_PER_PAGE = 1_000;

export class Run {
  readonly id: string;
  readonly #http: Http;

  constructor(http: Http, id: string) {
    this.#http = http;
    this.id = id;
  }

  /** Ends the run. Returns the net effect of everything that committed since its start. */
  async diff(): Promise<Diff> {
    const { diff } = await this.#end<{ diff: Diff | null }>("/diffRun", {});
    if (diff) return diff;
    throw new DioramaError(`Run ${this.id} has no diff`, { code: "run_failed", status: 200 });
  }

  /** Ends the run. Returns the verdict of its test, or of `expectedOutput`. */
  async evaluate(expectedOutput?: ExpectedOutput, end: RunEnd = {}): Promise<Verdict> {
    const body = { ...end, ...(expectedOutput && { expectedOutput }) };
    const answer = await this.#end<Verdict | Results>("/evaluateRun", body);
    const { status, passed, score, success, reward, explanations } = answer;
    if (passed === null || score === null || (status !== "passed" && status !== "failed"))
      throw new DioramaError(`Run ${this.id} ended without a verdict`, {
        code: "run_already_completed",
        status: 400,
      });
    const { stateVerdict, ...verdict } = answer;
    return {
      // A run that ended with its environment has no numbers if it is not gradable.
      ...verdict,
      status,
      passed,
      score,
      success: success ?? false,
      reward: reward ?? 0,
      explanations: explanations ?? [],
      ...(stateVerdict && { stateVerdict }),
    };
  }

  /** Repeatable: a run that has ended, perhaps because an answer was lost, answers its results. */
  async #end<Answer>(path: string, options: object): Promise<Answer> {
    const body = { ...options, runId: this.id };
    try {
      return await this.#http.call<Answer>("POST", path, { body, isRepeatable: true });
    } catch (error) {
      if (!(error instanceof DioramaError && error.code === "run_already_completed")) throw error;
      return (await this.results()) as Answer;
    }
  }

  /** The page of the run in the console. */
  get consoleUrl(): string {
    return `${this.#http.url}/console/runs/${this.id}`;
  }

  /** Why the run has its verdict, in words with names: lines of text, none if there is nothing to explain. */
  async reasons(): Promise<string> {
    return (await this.#http.call<RunReasons>("GET", `/runs/${this.id}/reasons`)).text;
  }

  toString(): string {
    return `Run ${this.id}`;
  }

  [Symbol.for("nodejs.util.inspect.custom")](): string {
    return `<${this}>`;
  }

  /** The run, with its results once it has ended. */
  async results(): Promise<Results> {
    return await this.#http.call<Results>("GET", `/results/${this.id}`);
  }

  /** The calls that the environment received during the run, in order. */
  async calls(): Promise<Call[]> {
    const calls: Call[] = [];
    for (let after: number | null = 0; after !== null; ) {
      const page: CallPage = await this.#http.call("GET", `/runs/${this.id}/calls`, {
        query: { after, limit: CALLS_PER_PAGE },
      });
      calls.push(...page.calls);
      // While the run goes on, the last page has no next one either.
      after = page.next;
    }
    return calls;
  }
}
