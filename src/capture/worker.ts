/**
 * Capture in a thread of its own: decoding a million changes would otherwise keep the HTTP loop waiting.
 * Speaks to `capture.ts` in messages; started by it only.
 */
import type { Recorded, StreamEvent } from "~/capture/reading";
import type { Judgement } from "~/capture/results";
import { createStream, type Stream, type StreamOptions } from "~/capture/stream";
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
  | { readonly type: "judged"; readonly call: string; readonly judgement: Judgement | undefined }
  | { readonly type: "stop" };
export type FromWorker = StreamEvent | { readonly type: "stopped" };

declare const self: Worker;

const CONNECTIONS = 2;
const answer = (message: FromWorker) => self.postMessage(message);

/** A server that is asked for a verdict has this long; then the run is stored without, for it to be given later. */
const JUDGE_MS = 2_000;

let stream: Stream | undefined;
let pool: Pool | undefined;

self.onmessage = ({ data }: MessageEvent<ToWorker>) => {
  if (data.type === "want") stream?.want();
  else if (data.type === "judged") judging.get(data.call)?.(data.judgement);
  else if (data.type === "stop") void stop();
  else {
    pool = connect(data.options.url, { max: CONNECTIONS, name: "capture", camel: true });
    const log = createLog({ ...data.logOptions, instance: data.instance });
    stream = createStream({
      ...data.options,
      pool,
      log,
      instance: data.instance,
      emit: answer,
      judge,
    });
  }
};

const judging = new Map<string, (judgement: Judgement | undefined) => void>();

/** Asks the server for its verdict, so that it is stored with the result in one statement. */
async function judge(call: string, recorded: Recorded): Promise<Judgement | undefined> {
  const { promise, resolve } = Promise.withResolvers<Judgement | undefined>();
  judging.set(call, resolve);
  const timer = setTimeout(() => resolve(undefined), JUDGE_MS);
  answer({ type: "judge", call, recorded });
  const judgement = await promise;
  clearTimeout(timer);
  judging.delete(call);
  return judgement;
}

async function stop() {
  await stream?.stop();
  await pool?.end({ timeout: 1 });
  answer({ type: "stopped" });
}
