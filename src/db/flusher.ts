/**
 * Waits for the disk on behalf of calls, for many at a time.
 *
 * A commit keeps its locks until its log is on disk. Messages of a channel lock the channel, so that calls of one
 * environment would wait for one flush after the other. Calls of one environment that are made at the same time
 * therefore commit without waiting, and are answered only after a later flush of the whole log, which they share. Other
 * calls wait by themselves: Postgres shares their flushes, and one more statement would cost more than it saves.
 */
import { connect } from "~/db/connect";
import { unavailable } from "~/errors";

export type Flusher = ReturnType<typeof createFlusher>;

/** The wait of one call. */
export type Deferral = {
  /** Whether a commit that is about to be sent may leave the wait to `settle`. */
  readonly defer: () => boolean;
  /**
   * Resolves when the deferred commits are on disk. Throws 503 if that is not known: Postgres may have lost them in a
   * crash.
   */
  readonly settle: () => Promise<void>;
};

export function createFlusher(url: string) {
  /** Lost connections so far. A flush proves nothing about commits before the loss: Postgres may have crashed. */
  let losses = 0;
  let isOpen = false;
  let isOpening = false;
  let last: Promise<unknown> = Promise.resolve();
  let next: Promise<unknown> | undefined;
  const sql = connect(url, {
    max: 1,
    name: "flush",
    onClose() {
      losses++;
      isOpen = false;
    },
  });

  /** Connects, for the calls to come. */
  async function open(): Promise<void> {
    if (isOpening) return;
    isOpening = true;
    const before = losses;
    await sql`select`.then(
      () => {
        isOpen = losses === before;
      },
      () => undefined,
    );
    isOpening = false;
  }

  /** A flush that begins after this call. */
  function flush(): Promise<unknown> {
    next ??= last.then(async () => {
      next = undefined;
      // A commit that waits, and with it everything that was committed before.
      await sql`select pg_logical_emit_message(true, 'diorama_flush', '')`;
    });
    last = next.catch(() => undefined);
    return next;
  }

  return {
    /** Begins a call. `isBusy`: others of its environment may wait for it. */
    begin(isBusy: () => boolean): Deferral {
      let since: number | undefined;
      return {
        defer() {
          if (!isBusy()) return false;
          if (isOpen) since ??= losses;
          else void open();
          return isOpen;
        },
        async settle() {
          if (since === undefined) return;
          const flushed = await flush().then(
            () => true,
            () => false,
          );
          if (!flushed || losses !== since)
            throw unavailable("The connection to the database was lost");
        },
      };
    },

    async end(): Promise<void> {
      await sql.end({ timeout: 1 });
    },
  };
}
