/** A client of Socket Mode: as little as a test needs to see each message. */
import { eventually } from "./database";

export const APP = "A01AGENTONE";

export type Envelope = { readonly type: string; readonly [field: string]: any };

/** Asks for the address of a connection, with an app's token. */
export async function openAddress(url: string, environmentUrl: string, token: string) {
  const response = await fetch(`${url}${environmentUrl}/apps.connections.open`, {
    method: "POST",
    headers: { Authorization: `Bearer ${token}` },
  });
  return (await response.json()) as { ok: boolean; url: string; error?: string };
}

/** Connects, and acknowledges each envelope that `takes` wants. */
export function connectApp(
  address: string,
  takes: (envelope: Envelope) => boolean = () => true,
  onMessage?: (message: Envelope) => void,
  /** The answer in the acknowledgement. */
  answerTo: (payload: any) => object | undefined = () => ({}),
) {
  const socket = new WebSocket(address);
  const received: Envelope[] = [];
  const closed = Promise.withResolvers<number>();
  socket.onmessage = ({ data }) => {
    const message: Envelope = JSON.parse(String(data));
    received.push(message);
    onMessage?.(message);
    if (message["envelope_id"] && takes(message))
      socket.send(
        JSON.stringify({
          envelope_id: message["envelope_id"],
          payload: answerTo(message["payload"]),
        }),
      );
  };
  socket.onclose = ({ code }) => closed.resolve(code);
  socket.onerror = () => closed.resolve(0);
  const envelopes = () => received.filter(({ type }) => type === "events_api");
  return {
    socket,
    received,
    closed: closed.promise,
    envelopes,
    texts: () => envelopes().map(({ payload }): string => payload.event.text),
    /** Waits for so many envelopes. */
    has: (count: number) =>
      eventually(() => {
        if (envelopes().length < count) throw new Error(`only ${envelopes().length}`);
      }),
    /** Waits for the first message. */
    greeted: () =>
      eventually(() => {
        if (received.length === 0) throw new Error("no hello");
      }),
  };
}
