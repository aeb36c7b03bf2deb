/**
 * Capture in a thread of its own: decoding a million changes would otherwise keep the HTTP loop waiting.
 * Speaks to `capture.ts` in messages; started by it only.
 */
import type { StreamEvent } from "~/capture/reading";
import { createStream, type Stream, type StreamOptions } from "~/capture/stream";
import { connect, type Pool } from "~/db/connect";
import { createLog, type Level } from "~/log";

export type ToWorker =
  | {
      readonly type: "begin";
      readonly options: StreamOptions;
      readonly level: Level;
      readonly instance: string;
    }
  | { readonly type: "want" }
  | { readonly type: "stop" };
export type FromWorker = StreamEvent | { readonly type: "stopped" };

declare const self: Worker;

const CONNECTIONS = 2;
const answer = (message: FromWorker) => self.postMessage(message);

let stream: Stream | undefined;
let pool: Pool | undefined;

self.onmessage = ({ data }: MessageEvent<ToWorker>) => {
  if (data.type === "want") stream?.want();
  else if (data.type === "stop") void stop();
  else {
    pool = connect(data.options.url, { max: CONNECTIONS, name: "capture", camel: true });
    const log = createLog(data.level, data.instance);
    stream = createStream({ ...data.options, pool, log, instance: data.instance, emit: answer });
  }
};

async function stop() {
  await stream?.stop();
  await pool?.end({ timeout: 1 });
  answer({ type: "stopped" });
}
