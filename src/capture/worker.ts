/**
 * The thread's side of capture: decoding a million changes would otherwise block the HTTP loop. Communicates with
 * `reader.ts` in messages.
 */

import type { Records, StoredVerdict } from "~/capture/records";
import { createStream, type Stream, type StreamOptions } from "~/capture/stream";
import type { Recorded, StreamEvent } from "~/capture/stream-events";
import { connect, type Pool } from "~/db/connect";
import { createLog, type LogOptions } from "~/log";

export type ToWorker =
  | {
      readonly type: "begin";
      readonly options: StreamOptions;
      readonly logOptions: LogOptions;
      readonly instance: string;
    }
  | { readonly type: "want" }
  | {
      readonly type: "evaluated";
      readonly call: string;
      readonly verdict: StoredVerdict | undefined;
    }
  | { readonly type: "stop" };
export type FromWorker = StreamEvent | { readonly type: "stopped" };

const CONNECTIONS = 2;

/** How long the server may take for a verdict; after that the run is stored without one, which follows later. */
const VERDICT_MS = 2_000;

/** Reads the log in the thread `self`. The thread's entry point belongs to the platform, which has the records. */
export function serveReader(self: Worker, records: Records): void {
  const answer = (message: FromWorker) => self.postMessage(message);
  const evaluations = new Map<string, (verdict: StoredVerdict | undefined) => void>();
  let stream: Stream | undefined;
  let pool: Pool | undefined;

  self.onmessage = ({ data }: MessageEvent<ToWorker>) => {
    if (data.type === "want") stream?.want();
    else if (data.type === "evaluated") evaluations.get(data.call)?.(data.verdict);
    else if (data.type === "stop") void stop();
    else {
      pool = connect(data.options.url, { max: CONNECTIONS, name: "capture", camel: true });
      const log = createLog({ ...data.logOptions, instance: data.instance });
      stream = createStream({
        ...data.options,
        records,
        pool,
        log,
        instance: data.instance,
        emit: answer,
        evaluate,
      });
    }
  };

  /** Asks the server for its verdict, so that it is stored with the result in one statement. */
  async function evaluate(call: string, recorded: Recorded): Promise<StoredVerdict | undefined> {
    const { promise, resolve } = Promise.withResolvers<StoredVerdict | undefined>();
    evaluations.set(call, resolve);
    const timer = setTimeout(() => resolve(undefined), VERDICT_MS);
    answer({ type: "evaluate", call, recorded });
    const verdict = await promise;
    clearTimeout(timer);
    evaluations.delete(call);
    return verdict;
  }

  async function stop() {
    await stream?.stop();
    await pool?.end({ timeout: 1 });
    answer({ type: "stopped" });
  }
}
