/** An environment in which a run has begun, for tests. */
import { Environment } from "./environment";
import type { Http } from "./http";
import type { Run, RunEnd } from "./run";
import type {
  Call,
  CreatedEnvironment,
  Diff,
  EvaluatedRun,
  ExpectedOutput,
  NewRun,
} from "./schema";

/** Shown in the report of a failed test. */
const CALLS_MAX = 10;
const ROWS_MAX = 50;
const LINE_MAX = 1_000;

export class RecordedEnvironment extends Environment {
  #recording: Run | undefined;
  #run: Omit<NewRun, "envId"> = {};

  /** `run`: of each run that starts in it. */
  static async begin(
    http: Http,
    created: CreatedEnvironment,
    run: Omit<NewRun, "envId"> = {},
  ): Promise<RecordedEnvironment> {
    const environment = new RecordedEnvironment(http, created);
    environment.#run = run;
    await environment.startRun();
    return environment;
  }

  /** The run that has begun before the test, or the one that was started since. */
  get recording(): Run {
    if (this.#recording) return this.#recording;
    throw new TypeError("There is no run");
  }

  /** Ends the recording and starts another run. */
  override async startRun(options: Omit<NewRun, "envId"> = {}): Promise<Run> {
    await this.#recording?.diff();
    this.#recording = await super.startRun({ ...this.#run, ...options });
    return this.#recording;
  }

  /** Ends the recording. Returns the net effect of everything that committed in it. */
  async diff(): Promise<Diff> {
    return await this.recording.diff();
  }

  /** The calls until now, or until the end of the recording. */
  async calls(): Promise<Call[]> {
    return await this.recording.calls();
  }

  /** Ends the recording. Returns the verdict of an expectation. */
  async evaluate(expectedOutput: ExpectedOutput, end: RunEnd = {}): Promise<EvaluatedRun> {
    return await this.recording.evaluate(expectedOutput, end);
  }

  /** Ends the recording. Its page with the reasons of its verdict, the changes and the last calls, for a person. */
  async report(): Promise<string> {
    try {
      const diff = await this.diff();
      const run = `${this.recording.consoleUrl}\n${await this.recording.reasons()}`.trimEnd();
      const parts = { run, diff: diffText(diff), calls: callsText(await this.calls()) };
      return Object.entries(parts)
        .map(([name, text]) => `Diorama ${name}:\n${text}`)
        .join("\n\n");
    } catch (error) {
      return `Diorama: the run has no diff: ${error instanceof Error ? error.message : error}`;
    }
  }
}

/** Without empty columns. */
function diffText({ inserts, updates, deletes }: Diff): string {
  const marked = [
    ...inserts.map((row) => ["+", row] as const),
    ...updates.map((row) => ["~", row] as const),
    ...deletes.map((row) => ["-", row] as const),
  ];
  if (marked.length === 0) return "nothing changed";
  const lines = marked.slice(0, ROWS_MAX).map(([sign, { __table__: table, ...row }]) => {
    const shown = Object.entries(row).filter(([, value]) => value !== null);
    return cut(`${sign} ${table} ${JSON.stringify(Object.fromEntries(shown))}`);
  });
  const more = marked.length - ROWS_MAX;
  return [...lines, ...(more > 0 ? [`… and ${more} more`] : [])].join("\n");
}

function callsText(calls: readonly Call[]): string {
  if (calls.length === 0) return "no calls";
  const lines = calls
    .slice(-CALLS_MAX)
    .map(({ n, name, arguments: given, status, error }) =>
      cut(`${n}. ${name} ${JSON.stringify(given)} → ${error ?? status}`),
    );
  const earlier = calls.length - CALLS_MAX;
  return [...(earlier > 0 ? [`… ${earlier} calls before`] : []), ...lines].join("\n");
}

const cut = (line: string) => (line.length <= LINE_MAX ? line : `${line.slice(0, LINE_MAX)}…`);
