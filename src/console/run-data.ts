/** Everything that is shown of a run, for the page and for the command that writes it to a file. */
import type {
  Call,
  CallPage,
  EnvironmentDetail,
  EnvironmentEvent,
  Run,
  RunDeliveryPage,
  RunEvent,
  RunEvents,
  RunReasons,
  TestDetails,
} from "~/clients/typescript/schema";
import type { Ask, Rows } from "~/console/rows";
import { WORLD } from "~/console/services/member";
import { recordsOf } from "~/console/services/records";

export type RunData = {
  readonly run: Run;
  readonly calls: readonly Call[];
  readonly attribution: CallPage["attribution"];
  /** That were caused during the run, with who received them: at most the first ones. */
  readonly sent: readonly EnvironmentEvent[];
  /** False if some calls or changes are missing. */
  readonly isComplete: boolean;
  readonly events: readonly RunEvent[];
  readonly environment: EnvironmentDetail | null;
  readonly test: TestDetails | null;
  /** The verdict in words. */
  readonly reasons: RunReasons | null;
  /** Known rows at the start of the run, by table. */
  readonly base: Rows;
};
/** Those parts of a run that the API of the platform has. */
export type RunParts = Omit<RunData, "base">;

/** The service that a run is of; undefined if its environment is gone and it has no calls. */
export const serviceOfRun = ({ environment, calls }: RunData) =>
  environment?.service ??
  (calls.some(({ service }) => service !== calls[0]?.service) ? WORLD : calls[0]?.service);

export const CALLS_PER_PAGE = 1_000;
const CALLS_MAX = 20_000;
const SENT_MAX = 2_000;

const orNull = <T>(answer: Promise<T>): Promise<T | null> => answer.catch(() => null);

/** Reads a run, and the rows around its changes. */
export async function readRun(ask: Ask, runId: string): Promise<RunData> {
  const parts = await readParts(ask, runId);
  const { environment, events } = parts;
  const base = environment
    ? await orNull(recordsOf(environment.service).base(ask, environment, events))
    : null;
  return { ...parts, base: base ?? {} };
}

/** Reads a run. Throws if it does not exist; parts that are gone are null. `ask` takes a path from the root. */
export async function readParts(ask: Ask, runId: string): Promise<RunParts> {
  const platform = "/api/platform";
  const run = await ask<Run>(`${platform}/results/${encodeURIComponent(runId)}`);
  const [journal, events, sent, environment, test, reasons] = await Promise.all([
    readCalls(ask, runId),
    ask<RunEvents>(`${platform}/runs/${runId}/events`),
    readSent(ask, runId),
    orNull(ask<EnvironmentDetail>(`${platform}/env/${run.environmentId}`)),
    run.testId === null ? null : orNull(ask<TestDetails>(`${platform}/tests/${run.testId}`)),
    orNull(ask<RunReasons>(`${platform}/runs/${runId}/reasons`)),
  ]);
  return {
    run,
    ...journal,
    isComplete: journal.isComplete && events.complete,
    events: events.events,
    sent,
    environment,
    test,
    reasons,
  };
}

async function readCalls(ask: Ask, runId: string) {
  const calls: Call[] = [];
  let page: CallPage | undefined;
  let after: number | null = 0;
  while (after !== null && calls.length < CALLS_MAX) {
    page = await ask<CallPage>(
      `/api/platform/runs/${runId}/calls?after=${after}&limit=${CALLS_PER_PAGE}`,
    );
    calls.push(...page.calls);
    after = page.next;
  }
  return {
    calls,
    attribution: page?.attribution ?? "none",
    isComplete: (page?.complete ?? true) && after === null,
  };
}

async function readSent(ask: Ask, runId: string) {
  const sent: EnvironmentEvent[] = [];
  let after: number | null = 0;
  while (after !== null && sent.length < SENT_MAX) {
    const page: RunDeliveryPage = await ask(
      `/api/platform/runs/${runId}/deliveries?after=${after}`,
    );
    sent.push(...page.events);
    after = page.next;
  }
  return sent;
}
