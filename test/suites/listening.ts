/** A bot that receives the events of an app over Socket Mode, for the solutions of tests for bots. */
import { eventually } from "../support/database";
import { connectApp, openAddress } from "../support/socket-mode";
import type { Given } from "./server";

/** An event, and the name of the one that the service sends again. */
export type Heard = { readonly id: string; readonly event: any };

/** Connects, acts, and handles so many events in the order in which they come. */
export async function listen(
  { serviceUrl, appToken }: Given,
  begin: () => Promise<unknown>,
  count: number,
  handle: (heard: Heard) => Promise<unknown>,
): Promise<void> {
  const { url } = await openAddress(serviceUrl, "/chat", `${appToken}`);
  const app = connectApp(url);
  try {
    await eventually(() => {
      if (app.received.length === 0) throw new Error("no hello");
    });
    await begin();
    for (let handled = 0; handled < count; handled++) {
      await app.has(handled + 1);
      const { event_id: id, event } = app.envelopes()[handled]?.["payload"] ?? {};
      await handle({ id, event });
    }
  } finally {
    app.socket.close();
  }
}
