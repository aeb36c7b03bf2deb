/** Results of runs, as JSON text: a diff may be megabytes long, and is sent as it is stored. */
import type { Pool } from "~/db/connect";
import { findEvents } from "~/platform/runs/evaluation-store";
import type { RunLookup } from "~/platform/runs/lookup";
import * as store from "~/platform/runs/store";
import { consoleUrl, isOpen } from "~/platform/runs/view";

const NO_EVENTS = { total: 0, events: [] };
export function createResults({ pool, lookup }: { pool: Pool; lookup: RunLookup }) {
  return {
    /** Returns the results of a run, as JSON text. */
    async results(userId: string, runId: string): Promise<string> {
      const run = await lookup.requireAs(store.findResult, userId, runId);
      const { status, passed, score, failures, explanations, diff, cause, labels } = run;
      const verdict = run.verdict.slice(1, -1);
      const head = `{"runId":${JSON.stringify(runId)},"status"`;
      const { environmentId, testId, suiteId: testSuiteId, startedAt } = run;
      const origin = JSON.stringify({ environmentId, testId, testSuiteId, startedAt });
      const { note, bookmarked, costUsd, names, actedByHand } = run;
      const more = JSON.stringify({
        ...(actedByHand > 0 && { actedByHand }),
        ...{ note, bookmarked, costUsd, ...names },
        consoleUrl: consoleUrl(runId),
      });
      const tail = `"labels":${labels},${origin.slice(1, -1)},${more.slice(1)}`;
      if (isOpen(status))
        return `${head}:"running","passed":null,"score":null,${verdict},"failures":[],"diff":null,"execution_time":null,"gradable":null,${tail}`;
      const explained = explanations === null ? "" : `,"explanations":${explanations}`;
      const { deliveries } = run;
      const delivered = deliveries === null ? "" : `,"deliveries":${deliveries}`;
      const caused = cause === null ? "" : `,"cause":"${cause}"`;
      return `${head}:"${status}","passed":${passed},"score":${score},${verdict},"failures":${failures}${explained},"diff":${diff},"execution_time":${run.executionSeconds},"gradable":${run.gradable}${delivered}${caused},${tail}`;
    },

    /** Returns the individual changes of a run in order, as JSON text. Empty while it is running. */
    async events(userId: string, runId: string): Promise<string> {
      const run = await lookup.require(userId, runId);
      const kept = isOpen(run.status) ? null : await findEvents(pool, runId);
      const { total, events } = kept === null ? NO_EVENTS : JSON.parse(kept);
      const complete = kept !== null && events.length === total;
      return JSON.stringify({ runId, total, complete, events });
    },
  };
}
