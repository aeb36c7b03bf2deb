/** Batches of Google's APIs: `POST /batch` and `/batch/gmail/v1`. */
import { runBatch } from "~/replicas/kit/batch";
import { GoogleError } from "~/replicas/kit/google/errors";
import type { Batches } from "~/replicas/replica";
import type { HttpAnswer } from "~/wire/message";

/**
 * `name`: of the API in paths, `gmail/v1`. `callsMax`: in one batch. `unavailable`: the API's own answer to a call that
 * it does not make. `refuse`: its error for a request that is no batch.
 */
export const batchesOf = (
  name: string,
  rules: {
    readonly callsMax: number;
    readonly unavailable: () => HttpAnswer;
    readonly refuse: (reason: string) => GoogleError;
  },
): Batches => ({
  paths: ["batch", `batch/${name}`],
  async run(request, body, calls) {
    const { callsMax, unavailable: overflow, refuse } = rules;
    try {
      return await runBatch(request, body, { ...calls, callsMax, overflow, refuse });
    } catch (error) {
      if (error instanceof GoogleError) return error.answer;
      throw error;
    }
  },
});
