/** Bytes for a client, which takes them at its own pace. */
import type { Socket } from "bun";
import type { HttpAnswer } from "~/wire/message";
import type { Stream } from "~/wire/stream";
import type { Upgrade } from "~/wire/websocket";

export type OutgoingAnswer = HttpAnswer & {
  /** Sent in place of the body. */
  readonly stream?: Stream | undefined;
  /** The use of the connection after the answer. */
  readonly upgrade?: Upgrade | undefined;
};

const EMPTY = Buffer.alloc(0);

/** `onWait`: the client has not taken everything; `isProgress`: it has taken some. */
export function createOutgoing(
  socket: Pick<Socket<unknown>, "write">,
  onWait: (how: { readonly isProgress: boolean }) => void,
) {
  let unsent: Buffer = EMPTY;
  let isGone = false;
  let draining: PromiseWithResolvers<void> | undefined;

  function settle(): void {
    draining?.resolve();
    draining = undefined;
  }

  function flush(): void {
    if (unsent.byteLength === 0 || isGone) return;
    const taken = socket.write(unsent);
    if (taken > 0) unsent = taken === unsent.byteLength ? EMPTY : unsent.subarray(taken);
    if (unsent.byteLength === 0) settle();
    else onWait({ isProgress: taken > 0 });
  }

  return {
    flush,
    send(bytes: Buffer): void {
      if (isGone) return;
      unsent = unsent.byteLength === 0 ? bytes : Buffer.concat([unsent, bytes]);
      flush();
    },
    isDrained: () => unsent.byteLength === 0,
    /** Resolves when the client has taken everything, or is gone. */
    async drained(): Promise<void> {
      if (unsent.byteLength === 0) return;
      draining ??= Promise.withResolvers();
      await draining.promise;
    },
    /** The client is gone. */
    lose(): void {
      isGone = true;
      unsent = EMPTY;
      settle();
    },
  };
}
