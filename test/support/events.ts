/** A reader of Server-Sent Events. */
import { expect } from "bun:test";
import { eventually } from "./database";

export type Received = { id: string | undefined; event: string; data: any };

/** Reads a stream of events as they arrive. Fails unless it is one. */
export async function listen(url: string, headers: Record<string, string> = {}) {
  const gone = new AbortController();
  const response = await fetch(url, { headers, signal: gone.signal });
  if (response.status !== 200) throw new Error(`${response.status}: ${await response.text()}`);
  expect(response.headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
  const reading = readEvents(response.body!);
  return {
    events: reading.events,
    /** The data of all events of a name so far. */
    of: (name: string) =>
      reading.events.filter(({ event }) => event === name).map(({ data }) => data),
    /** The position to continue at. */
    lastId: () => reading.events.findLast(({ id }) => id !== undefined)?.id ?? "",
    until: async (check: (events: readonly Received[]) => void) =>
      await eventually(() => check(reading.events)),
    /** Resolves when the server has ended the stream. */
    ended: reading.ended,
    async close() {
      gone.abort();
      await reading.ended;
    },
  };
}

/** Parses a stream. `ended` also resolves when it breaks. */
export function readEvents(body: ReadableStream<Uint8Array>) {
  const events: Received[] = [];
  const read = async () => {
    const decoder = new TextDecoder();
    let text = "";
    for await (const part of body) {
      const blocks = (text + decoder.decode(part, { stream: true })).split("\n\n");
      text = blocks.pop() ?? "";
      for (const block of blocks) {
        const field = (name: string) => new RegExp(`^${name}: (.*)$`, "m").exec(block)?.[1];
        const event = field("event");
        if (event) events.push({ id: field("id"), event, data: JSON.parse(field("data") ?? "") });
      }
    }
  };
  return { events, ended: read().catch(() => undefined) };
}
