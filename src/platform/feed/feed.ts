/**
 * The feed of events: environments, runs and calls of a user, as they change on any server.
 *
 * Nothing is written for it. While there are readers, the server looks for rows that transactions have changed since
 * their positions, so it works across servers and after a reconnect, and costs nothing without readers. For a reader
 * that does not take its events nothing is read: its position stays, and memory is bounded.
 */
import { isUnavailable, type Pool } from "~/db/connect";
import { currentPosition, isReached, type Span } from "~/db/positions";
import { ApiError, NotAuthed } from "~/errors";
import { errorFields, type Log } from "~/log";
import type { Metrics } from "~/metrics";
import { environmentId, malformed } from "~/platform/environments/id";
import { type Event, readEvents } from "~/platform/feed/events";
import { createQuota } from "~/platform/quota";
import { streamed } from "~/wire/stream";

export type Feed = ReturnType<typeof createFeed>;

/** Open streams of this server. */
const READERS_MAX = 200;
export const READERS_PER_USER_MAX = 20;
/** Between two looks for changes. */
const READ_MS = 250;
/** Between two signs of life, which also find out whether a key is still valid. */
const BEAT_MS = 15_000;
/** Waiting for a reader. Above it, the reader's position stays. */
const BUFFER_BYTES = 256 * 1024;
/** The headers of a stream. */
export const EVENT_STREAM = {
  "Content-Type": "text/event-stream; charset=utf-8",
  // Proxies would keep events until a buffer is full.
  "X-Accel-Buffering": "no",
};
const BEAT = Buffer.from(":\n\n");

type Reader = {
  readonly userId: string;
  /** Only events of this one. */
  readonly environmentId: string | undefined;
  /** Throws NotAuthed when the key is no longer valid. */
  readonly authenticate: () => Promise<unknown>;
  readonly leave: () => void;
  position: string;
  controller?: ReadableStreamDefaultController<Uint8Array>;
};

function requireId(text: string): string {
  const id = environmentId(text);
  if (id !== undefined) return id;
  throw new ApiError("invalid_request", `environmentId: ${malformed().message}`);
}

/** One event; `id` is the position after it. */
const frame = (name: string, data: string, id?: string) =>
  `${id === undefined ? "" : `id: ${id}\n`}event: ${name}\ndata: ${data}\n\n`;

export function createFeed(deps: { pool: Pool; log: Log; metrics: Metrics; beatMs?: number }) {
  const { pool, log, metrics, beatMs = BEAT_MS } = deps;
  const readers = new Set<Reader>();
  const quota = createQuota(
    { max: READERS_MAX, perHolder: READERS_PER_USER_MAX },
    { limit: "event stream", plural: "streams of events open" },
  );
  let looking: NodeJS.Timeout | undefined;
  let beating: NodeJS.Timeout | undefined;

  function add(reader: Reader): void {
    readers.add(reader);
    metrics.feedReaders.set(readers.size);
    looking ??= setTimeout(look, READ_MS);
    beating ??= setInterval(beat, beatMs);
  }

  function remove(reader: Reader): void {
    readers.delete(reader);
    reader.leave();
    metrics.feedReaders.set(readers.size);
    if (readers.size > 0) return;
    clearTimeout(looking);
    clearInterval(beating);
    looking = undefined;
    beating = undefined;
  }

  function end(reader: Reader): void {
    if (!readers.has(reader)) return;
    remove(reader);
    reader.controller?.close();
  }

  function write(reader: Reader, text: string): void {
    if (readers.has(reader)) reader.controller?.enqueue(Buffer.from(text));
  }

  /** Brings every reader that has taken its events to the current position. */
  async function look(): Promise<void> {
    try {
      const ready = [...readers].filter(({ controller }) => (controller?.desiredSize ?? 0) > 0);
      const to = ready.length > 0 ? await currentPosition(pool) : "";
      // Readers that keep up have the same position, and are read for together.
      for (const [from, group] of Map.groupBy(ready, ({ position }) => position))
        if (from !== to) await advance(group, { from, to });
    } catch (error) {
      if (!isUnavailable(error)) log.error("events not read", errorFields(error));
    }
    looking = readers.size > 0 ? setTimeout(look, READ_MS) : undefined;
  }

  async function advance(group: readonly Reader[], span: Span): Promise<void> {
    const users = [...new Set(group.map(({ userId }) => userId))];
    const events = await readEvents(pool, users, span);
    if (!events && users.length > 1) {
      for (const user of users)
        await advance(
          group.filter(({ userId }) => userId === user),
          span,
        );
      return;
    }
    for (const reader of group) {
      reader.position = span.to;
      if (events) send(reader, events.get(reader.userId) ?? [], span.to);
      else write(reader, frame("reset", "{}", span.to));
    }
  }

  function send(reader: Reader, events: readonly Event[], position: string): void {
    const wanted =
      reader.environmentId === undefined
        ? events
        : events.filter((event) => event.environmentId === reader.environmentId);
    const last = wanted.length - 1;
    const frames = wanted.map(({ name, data }, index) =>
      frame(name, data, index === last ? position : undefined),
    );
    if (frames.length > 0) write(reader, frames.join(""));
  }

  function beat(): void {
    for (const reader of readers) {
      if ((reader.controller?.desiredSize ?? 0) > 0) reader.controller?.enqueue(BEAT);
      reader.authenticate().catch((error) => {
        if (error instanceof NotAuthed) end(reader);
      });
    }
  }

  return {
    /**
     * Opens a stream of this user's events. It continues after `lastEventId` if that is a position. Throws
     * LimitExceeded, or 503, if too many streams are open, and `invalid_request` for a malformed environment.
     */
    async open(
      userId: string,
      wanted: { lastEventId: string | undefined; environmentId: string | undefined },
      authenticate: () => Promise<unknown>,
    ): Promise<Response> {
      const only = wanted.environmentId === undefined ? undefined : requireId(wanted.environmentId);
      const reader: Reader = {
        userId,
        environmentId: only,
        authenticate,
        leave: quota.take(userId),
        position: "",
      };
      add(reader); // counts from here on; it is read for once it has a stream
      try {
        const { lastEventId = "" } = wanted;
        const resumed = await isReached(pool, lastEventId);
        reader.position = resumed ? lastEventId : await currentPosition(pool);
        const stream = new ReadableStream<Uint8Array>(
          {
            start(controller) {
              reader.controller = controller;
              write(reader, frame("open", JSON.stringify({ resumed }), reader.position));
            },
            cancel: () => remove(reader),
          },
          new ByteLengthQueuingStrategy({ highWaterMark: BUFFER_BYTES }),
        );
        return streamed(stream, EVENT_STREAM);
      } catch (error) {
        remove(reader);
        throw error;
      }
    },

    /** Ends every stream. */
    stop(): void {
      for (const reader of readers) end(reader);
    },
  };
}
