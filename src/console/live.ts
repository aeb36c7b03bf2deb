/** The server's events (Server-Sent Events), read with fetch because EventSource sends no header for the key. */
import { useEffect, useRef } from "preact/hooks";
import type { EnvironmentDetail } from "~/clients/typescript/schema";
import { addressOf, send } from "~/console/api";

const RETRY_MS = 1_000;
const RETRY_MS_MAX = 30_000;
/** Events within this time cause one reload. */
export const GATHER_MS = 100;
/** Calls outside of runs cause no events: the world of an environment without a running run is polled. */
const POLL_MS = 2_000;

export type ServerEvent = {
  readonly name: string;
  readonly data: Readonly<Record<string, unknown>>;
};

/** Calls `handle` for each event until `signal` aborts, or the key is rejected. Connects again after a failure. */
async function follow(handle: (event: ServerEvent) => void, signal: AbortSignal): Promise<void> {
  let last = "";
  let wait = RETRY_MS;
  while (!signal.aborted) {
    try {
      const headers = { Accept: "text/event-stream", ...(last && { "Last-Event-ID": last }) };
      const response = await send("GET", addressOf("/events"), { headers, signal });
      if (!response.ok || !response.body) {
        await response.body?.cancel();
        if (response.status < 500) return;
      } else {
        wait = RETRY_MS;
        for await (const { id, ...event } of eventsOf(response.body)) {
          last = id || last;
          handle(event);
        }
      }
    } catch {
      if (signal.aborted) return;
    }
    await new Promise((resolve) => setTimeout(resolve, wait));
    wait = Math.min(2 * wait, RETRY_MS_MAX);
  }
}

async function* eventsOf(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
): AsyncGenerator<ServerEvent & { id: string }> {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  try {
    while (true) {
      const { value, done } = await reader.read();
      if (done) return;
      text += value;
      const blocks = text.split(/\r?\n\r?\n/);
      text = blocks.pop() ?? "";
      for (const block of blocks) {
        const fields = new Map(
          block.split(/\r?\n/).map((line) => {
            const colon = line.indexOf(":");
            return [line.slice(0, colon), line.slice(colon + 1).replace(/^ /, "")];
          }),
        );
        const data = fields.get("data");
        if (data === undefined) continue;
        yield {
          id: fields.get("id") ?? "",
          name: fields.get("event") ?? "",
          data: JSON.parse(data),
        };
      }
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

const listeners = new Set<(event: ServerEvent) => void>();
let connection: AbortController | undefined;

/** Keeps one connection for the whole page while it is visible and has listeners: a page in the background costs nothing. */
function connect(): void {
  const isNeeded = listeners.size > 0 && !document.hidden;
  if (isNeeded === (connection !== undefined)) return;
  connection?.abort();
  connection = undefined;
  if (!isNeeded) return;
  const current = new AbortController();
  connection = current;
  const dispatch = (event: ServerEvent) => {
    for (const listener of listeners) listener(event);
  };
  void follow(dispatch, current.signal).finally(() => {
    if (connection === current) connection = undefined;
  });
}
document.addEventListener("visibilitychange", connect);

/** Returns a function that stops it. */
function listenWith(listen: (event: ServerEvent) => void): () => void {
  listeners.add(listen);
  connect();
  return () => {
    listeners.delete(listen);
    setTimeout(connect); // the next page may listen too
  };
}

/** An event of the environment itself, of its runs or of their calls. */
export const isOf =
  (environmentId: string) =>
  ({ data }: ServerEvent) =>
    data["environmentId"] === environmentId;

type LiveOptions = {
  /** Also reloads this often. */
  readonly pollMs?: number | undefined;
  /** The time between an event and the reload, in which further events cause no other one. */
  readonly delayMs?: number;
};

/** Calls `reload` after an event that `isWanted`, while the page is visible. */
export function useLive(
  reload: () => void,
  isWanted: (event: ServerEvent) => boolean,
  { pollMs, delayMs = GATHER_MS }: LiveOptions = {},
): void {
  const latest = useRef({ reload, isWanted, delayMs });
  latest.current = { reload, isWanted, delayMs };
  const timer = useRef<number | undefined>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  useEffect(() => {
    const schedule = () => {
      timer.current ??= window.setTimeout(() => {
        timer.current = undefined;
        latest.current.reload();
      }, latest.current.delayMs);
    };
    const listen = (event: ServerEvent) => {
      // Events before `open` or `reset` may have been missed.
      const isStart = event.name === "open" || event.name === "reset";
      if (isStart || latest.current.isWanted(event)) schedule();
    };
    const poll =
      pollMs === undefined
        ? undefined
        : setInterval(() => {
            if (!document.hidden) schedule();
          }, pollMs);
    const stop = listenWith(listen);
    return () => {
      stop();
      clearInterval(poll);
    };
  }, [pollMs]);
}

/** Calls `handle` when the environment has ended: its world can't be read any more. */
export function useEnd(environmentId: string, handle: () => void): void {
  useEffect(
    () =>
      listenWith((event) => {
        const isEnd = event.name === "environment" && event.data["status"] !== "active";
        if (isEnd && isOf(environmentId)(event)) handle();
      }),
    [environmentId],
  );
}

/** Calls `reload` when the world of an environment may have changed. `cost`: requests of a reload, which make it rarer. */
export function useWorldLive(
  { environmentId, run }: Pick<EnvironmentDetail, "environmentId" | "run">,
  reload: () => void,
  cost = 1,
): void {
  const pollMs = run?.status === "running" ? undefined : cost * POLL_MS;
  useLive(reload, isOf(environmentId), { pollMs, delayMs: cost * GATHER_MS });
}
