/** Signs that an app is at work. */
import type { ChatSession } from "~/replicas/chat/method";

/** Of the state of a streamed message. */
export const STREAMING = "in_progress";
/** Of records: the threads with an assistant, as "channel ts". */
export const ASSISTANT_THREAD = "assistant_thread";
/** The service removes a status after this time. */
const STATUS_SECONDS = 120;
/** A stream that began earlier, and was not ended, has been given up. */
const STREAM_SECONDS = 600;
/** Newest messages of a channel that are looked at. */
const NEWEST = 20;

/** The status of an assistant in a thread, or a stream that has not ended. Undefined without any. */
export async function findBusySign(
  { sql, t }: ChatSession,
  now: number,
): Promise<string | undefined> {
  const seconds = Math.floor(now / 1000);
  const since = `${seconds - STREAM_SECONDS}.000000`;
  const [sign] = await sql<{ text: string }[]>`
    (
      select concat('the status of thread ', id, ': ', data->>'status') as text from ${t.records}
      where type = ${ASSISTANT_THREAD} and data->>'status' is not null and (data->>'at')::int8 > ${seconds - STATUS_SECONDS} limit 1
    ) union all (
      select concat('the stream ', m.ts, ' in ', m.channel_id) from ${t.channels} c join lateral (
        select channel_id, ts, extra from ${t.messages} where channel_id = c.id order by ts desc limit ${NEWEST}
      ) m on ts >= ${since} and extra->>'streaming_state' = ${STREAMING} limit 1
    ) limit 1
  `;
  return sign?.text;
}
