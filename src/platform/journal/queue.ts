/**
 * Calls that wait to be appended. When there is no room, the environment that takes the most of it gives way: its own
 * lines are dropped, and counted, and no other environment loses any.
 */

/** A call that has ended. Times are those of `performance.now()`. */
export type WaitingCall = {
  readonly environmentId: string;
  readonly began: number;
  readonly ended: number;
  /** Memory that it takes, without its answer. */
  readonly bytes: number;
  /** Only some journals keep it, so it is dropped before any line is. `text`: undefined once it is. */
  answer: { text: string | undefined; readonly characters: number } | undefined;
};

/**
 * Calls of an environment that were dropped, and when the first began and the last ended. `own`: how many of them because
 * the environment itself had too many.
 */
export type Dropped = { count: number; own: number; began: number; ended: number };

export type Taken<Call> = {
  readonly calls: readonly Call[];
  readonly dropped: ReadonlyMap<string, Dropped>;
};

/** Of an equal share of the room, for an environment that most likely has no run. */
const IDLE_SHARE = 0.25;

type Share<Call> = { readonly calls: Call[]; withAnswer: Call[]; bytes: number };

const answerBytes = ({ answer }: WaitingCall) => answer?.text?.length ?? 0;

/**
 * `ownBytes`: an environment that has more than this has caused the loss itself. `isIdle`: whether an environment was
 * without a run when that was last looked up. Its calls most likely belong to none, so it gives way first; but it may
 * have begun one, so it has a share as well.
 */
export function createQueue<Call extends WaitingCall>({
  bytesMax,
  ownBytes,
  isIdle,
}: {
  bytesMax: number;
  ownBytes: number;
  isIdle: (environmentId: string) => boolean;
}) {
  let shares = new Map<string, Share<Call>>();
  let dropped = new Map<string, Dropped>();
  let bytes = 0;
  /** The database was not available: what is lost is nobody's own fault. */
  let isBehind = false;

  function noteDropped(environmentId: string, lost: Dropped): void {
    const known = dropped.get(environmentId);
    if (!known) {
      dropped.set(environmentId, { ...lost });
      return;
    }
    known.count += lost.count;
    known.own += lost.own;
    known.began = Math.min(known.began, lost.began);
    known.ended = Math.max(known.ended, lost.ended);
  }

  function charge(share: Share<Call>, change: number): void {
    share.bytes += change;
    bytes += change;
  }

  /** The environment that gives way: there is always one that takes its share of the room or more. */
  function largest(): [string, Share<Call>] | undefined {
    const fair = bytes / shares.size;
    let found: [string, Share<Call>] | undefined;
    let isFoundIdle = false;
    for (const [environmentId, share] of shares) {
      const idle = isIdle(environmentId);
      if (share.bytes < (idle ? fair * IDLE_SHARE : fair)) continue;
      if (found && (isFoundIdle === idle ? share.bytes <= found[1].bytes : isFoundIdle)) continue;
      [found, isFoundIdle] = [[environmentId, share], idle];
    }
    return found;
  }

  /** Drops answers of the largest environment, or if it has none, its newest line. */
  function giveWay(): boolean {
    const found = largest();
    if (!found) return false;
    const [environmentId, share] = found;
    if (share.withAnswer.length > 0) {
      for (const call of share.withAnswer) {
        charge(share, -answerBytes(call));
        if (call.answer) call.answer.text = undefined;
      }
      share.withAnswer = [];
      return true;
    }
    const own = isBehind || share.bytes <= ownBytes ? 0 : 1;
    const call = share.calls.pop();
    if (call) {
      charge(share, -call.bytes);
      noteDropped(environmentId, { count: 1, own, began: call.began, ended: call.ended });
    }
    if (share.calls.length === 0) shares.delete(environmentId);
    return true;
  }

  function add(call: Call): void {
    const share = shares.get(call.environmentId) ?? { calls: [], withAnswer: [], bytes: 0 };
    shares.set(call.environmentId, share);
    share.calls.push(call);
    if (answerBytes(call) > 0) share.withAnswer.push(call);
    charge(share, call.bytes + answerBytes(call));
    while (bytes > bytesMax && giveWay());
  }

  function take(): Taken<Call> {
    const taken = { calls: [...shares.values()].flatMap(({ calls }) => calls), dropped };
    [shares, dropped, bytes] = [new Map(), new Map(), 0];
    return taken;
  }

  return {
    add,
    /** Characters and overhead of everything that waits. */
    size: () => bytes,

    /** Removes and returns everything that waits, in the order of each environment. */
    take,

    /** Puts back what could not be appended, in front of what has been added meanwhile. */
    putBack(taken: Taken<Call>): void {
      isBehind = true;
      const newer = take();
      for (const { calls } of [taken, newer]) for (const call of calls) add(call);
      for (const { dropped } of [taken, newer])
        for (const [environmentId, lost] of dropped) noteDropped(environmentId, lost);
    },

    /** Counts what will never be appended. */
    lose({ calls, dropped }: Taken<Call>): void {
      for (const [environmentId, lost] of dropped) noteDropped(environmentId, lost);
      for (const { environmentId, began, ended } of calls)
        noteDropped(environmentId, { count: 1, own: 0, began, ended });
    },

    /** Everything taken has been appended. */
    caughtUp(): void {
      isBehind = false;
    },
  };
}
